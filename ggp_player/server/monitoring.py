"""Pages for whoever watches the server: ``/healthz``, ``/readyz`` and ``/metrics``.

No message of the protocol is written like these addresses, so they take nothing from game managers
that send messages in the address.

============  ==================================================================================
page          what it says
============  ==================================================================================
``/healthz``  200 while the event loop answers, worker processes can be started and the searches
              find moves; otherwise 503, and a restart may help
``/readyz``   200 where a START would begin a match now, with all searches; otherwise 503
``/metrics``  counters, gauges and histograms as Prometheus reads them
============  ==================================================================================
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic_core import to_json

from ggp_player.server.player import Player
from ggp_player.worker.compiling import is_warm
from ggp_player.worker.health import Subject

PATHS = ("/metrics", "/healthz", "/readyz")
"""The addresses of the pages here."""

TICK = 0.1
"""Seconds between two measurements of the event loop's delay."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """What a server is ready for. ``problems`` are for people to read."""

    warm: bool
    searches_failing: bool
    workers_failing: bool
    free_seats: int
    draining: bool
    problems: tuple[str, ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Whether moves come from searches."""
        return not (self.searches_failing or self.workers_failing)

    @property
    def is_ready(self) -> bool:
        """Whether a match could begin now, and be played well."""
        is_free = self.free_seats > 0 and not self.draining
        return is_free and self.warm and self.is_healthy


def readiness(player: Player) -> Readiness:
    """Find out what a player is ready for."""
    health = player.health
    return Readiness(
        warm=is_warm(),
        searches_failing=health.has(Subject.SEARCHES),
        workers_failing=health.has(Subject.WORKERS),
        free_seats=player.free_seats,
        draining=player.is_draining,
        problems=tuple(map(str, health.problems)),
    )


def is_monitoring(target: str) -> bool:
    """Check whether a path, with what follows it, is one of a page here."""
    return target.partition("?")[0] in PATHS


def page(player: Player, path: str) -> web.Response | None:
    """Make the page at a path; None where there is none."""
    if path == "/metrics":
        kind = {"Content-Type": CONTENT_TYPE_LATEST}
        return web.Response(body=player.metrics.text(), headers=kind)
    if path not in PATHS:
        return None
    now = readiness(player)
    is_good = now.is_ready if path == "/readyz" else now.is_healthy
    body = to_json(now) + b"\n"
    return web.Response(status=200 if is_good else 503, body=body, content_type="application/json")


@asynccontextmanager
async def loop_delay_measured(observe: Callable[[float], object]) -> AsyncIterator[None]:
    """Measure meanwhile how late the event loop is; ``observe`` gets the seconds, every TICK."""
    task = asyncio.create_task(_measure(observe))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _measure(observe: Callable[[float], object]) -> None:
    while True:
        due = time.monotonic() + TICK
        await asyncio.sleep(TICK)
        observe(max(0.0, time.monotonic() - due))
