"""What a server counts and measures, for Prometheus.

Each server has :class:`Metrics` of its own, and whoever knows of an event counts it there: the move
service and the server, never a worker process, which tells the server in a message.
"""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

MARGINS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds; what is below the first was late."""

DELAYS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0)
"""Seconds."""

COMPILE_TIMES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Seconds."""


class Metrics:
    """The counters, gauges and histograms of one server."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.replies = Counter(
            "ggp_player_replies", "Replies by the kind of request", ["kind"], registry=registry
        )
        self.moves = Counter(
            "ggp_player_moves",
            "Moves by where they came from: search, tracker (the only legal move, or the first), "
            "guess",
            ["source"],
            registry=registry,
        )
        self.illegal = Counter(
            "ggp_player_illegal_choices",
            "Choices of a search that were no legal moves, and were replaced",
            registry=registry,
        )
        self.late = Counter(
            "ggp_player_late_replies", "Replies that left after the clock", registry=registry
        )
        self.margin_left = Histogram(
            "ggp_player_margin_left_seconds",
            "What was left of the game manager's clock when the reply left",
            buckets=MARGINS,
            registry=registry,
        )
        self.worker_deaths = Counter(
            "ggp_player_worker_deaths",
            "Ends of worker processes by cause: stopped (by the server), memory, signal, exit",
            ["cause"],
            registry=registry,
        )
        self.compile_seconds = Histogram(
            "ggp_player_compile_seconds",
            "How long compiling the rules of a match took",
            buckets=COMPILE_TIMES,
            registry=registry,
        )
        self.loop_delay = Histogram(
            "ggp_player_event_loop_delay_seconds",
            "How late the event loop runs what is due",
            buckets=DELAYS,
            registry=registry,
        )
        self._matches = Gauge("ggp_player_matches", "Running matches", registry=registry)
        self._workers = Gauge(
            "ggp_player_workers_memory_bytes",
            "Resident memory of all worker processes",
            registry=registry,
        )
        ProcessCollector(registry=registry)

    def watch(self, matches: Callable[[], float], workers_memory: Callable[[], float]) -> None:
        """Ask for these values whenever the metrics are read."""
        self._matches.set_function(matches)
        self._workers.set_function(workers_memory)

    def reply_sent(self, margin_left: float) -> None:
        """Count a reply under a clock; ``margin_left`` is in seconds."""
        self.margin_left.observe(margin_left)
        if margin_left < 0:
            self.late.inc()

    def text(self) -> bytes:
        """All values in Prometheus' text format."""
        return generate_latest(self._registry)
