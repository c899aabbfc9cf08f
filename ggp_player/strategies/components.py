"""The components of a search, and what each of them costs in CPU time.

A strategy such as ``auto`` runs many searches and learns beside them. Each generator that does one
of these things says so, by :func:`component`; whoever schedules them need not know::

    @component(Component.PROOF)
    def search(self, position):
        ...

While there is a :class:`Meter`, set by :func:`metering`, it counts the CPU time between two values
that such a generator yields, and what :func:`tally` says of the work that was done meanwhile. A
component that runs another one is charged for its own time alone. Without a meter, as in a match,
the generator itself is returned, so that being observable costs nothing.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import wraps
from typing import Any, TypeVar, cast

Part = TypeVar("Part", bound=Callable[..., Iterator[Any]])
"""A function or method whose generator is a component, or part of one."""


class Component(StrEnum):
    """What a search spends its time on."""

    ANALYSIS = "analysis"
    """Of the game, by which a strategy is chosen."""
    PLAYOUTS = "playouts"
    """Random ones, whose states are labelled to learn from."""
    SELF_PLAY = "self-play"
    """Games of alpha-beta against itself, to learn from."""
    COMPARISON = "comparison"
    """Games between two evaluations."""
    DUELS = "duels"
    """Matches that decide whether alpha-beta takes over from the tree search."""
    TREE_SEARCH = "tree search"
    ALPHA_BETA = "alpha-beta"
    """With a learned evaluation."""
    PROOF = "proof"
    ENUMERATION = "enumeration"
    SERIES = "series"
    """Enumeration of subgames that are played one after the other."""
    OTHER = "other"
    """What no other component names: choosing whose turn it is, and strategies without components.
    """


PROVERS = (Component.PROOF, Component.ENUMERATION, Component.SERIES)
"""The components that look for nothing but proofs."""

LEARNING = (
    Component.PLAYOUTS,
    Component.SELF_PLAY,
    Component.COMPARISON,
    Component.DUELS,
)
"""The components of the learner."""


@dataclass(slots=True)
class Usage:
    """What a component has used: CPU ``seconds``; and what it has counted meanwhile.

    ``depth`` is the depth to which it has searched all of a position, None where it has none.
    """

    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    depth: int | None = None


class _Running(threading.local):
    """The components that run in a thread, the innermost last, and since when that does."""

    def __init__(self) -> None:
        self.components: list[Component] = []
        self.since = 0.0

    @property
    def innermost(self) -> Component:
        return self.components[-1] if self.components else Component.OTHER


class Meter:
    """Measures what components use, in all threads.

    ``clock`` returns the CPU seconds of the thread that asks. A component's own helper threads are
    not known here, so searches should have one thread.
    """

    def __init__(self, clock: Callable[[], float] = time.thread_time) -> None:
        self._clock = clock
        self._running = _Running()
        self._lock = threading.Lock()
        self._used: defaultdict[Component, Usage] = defaultdict(Usage)

    def take(self) -> Mapping[Component, Usage]:
        """Return what was used since this was last asked for; no component may be running."""
        with self._lock:
            used, self._used = self._used, defaultdict(Usage)
        return dict(used)

    def watched(
        self, which: Component, work: Generator[Any, Any, Any]
    ) -> Generator[Any, None, Any]:
        """Go on with a generator as it is, and charge its time to a component."""
        with closing(work):
            while True:
                with self._charging(which):
                    try:
                        found = next(work)
                    except StopIteration as end:
                        return end.value
                yield found

    def tally(self, counts: Mapping[str, int], depth: int | None) -> None:
        """Count something for the component that runs in this thread."""
        with self._lock:
            used = self._used[self._running.innermost]
            used.counts.update(counts)
            if depth is not None:
                used.depth = max(depth, used.depth or 0)

    @contextmanager
    def _charging(self, which: Component) -> Iterator[None]:
        running = self._running
        self._charge_innermost()
        running.components.append(which)
        try:
            yield
        finally:
            self._charge_innermost()
            running.components.pop()

    def _charge_innermost(self) -> None:
        """Charge the time since the last change to what has been running."""
        running, now = self._running, self._clock()
        if running.components:
            with self._lock:
                self._used[running.innermost].seconds += now - running.since
        running.since = now


_meter: Meter | None = None


@contextmanager
def metering(meter: Meter) -> Iterator[None]:
    """Let a meter measure the components that begin meanwhile, in all threads of this process."""
    global _meter
    before, _meter = _meter, meter
    try:
        yield
    finally:
        _meter = before


def component(which: Component) -> Callable[[Part], Part]:
    """Say that the generator which a function returns is a component, or part of one."""

    def named(function: Part) -> Part:
        @wraps(function)
        def observed(*arguments: Any, **named_ones: Any) -> Iterator[Any]:  # noqa: ANN401 any function's
            work = function(*arguments, **named_ones)
            if _meter is None:
                return work
            return _meter.watched(which, cast(Generator[Any, Any, Any], work))

        return cast(Part, observed)

    return named


def tally(*, depth: int | None = None, **counts: int) -> None:
    """Count work that was done, for the component that runs, and a depth that was searched whole.

    Does nothing without a meter.
    """
    if _meter is not None:
        _meter.tally(counts, depth)
