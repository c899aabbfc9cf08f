"""Records a search of one position: every step of its strategy, within bounds of steps and time."""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import monotonic
from types import CodeType, FrameType, MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from pydantic_core import to_json

from ggp_player.clock import Clock, Deadline
from ggp_player.errors import StrategyError
from ggp_player.search_steps.playout_recorder import PLAYOUT_CODES, PlayoutTreeRecorder
from ggp_player.search_steps.routines import ROUTINES
from ggp_player.search_steps.step_log import MAX_BYTES, MAX_STEPS, StepLimitReached, StepLog
from ggp_player.search_steps.tree_growth import HOT_LOOP, TreeGrowth
from ggp_player.search_steps.value_recorder import ValueRecorder
from ggp_player.strategies import Choice, Position, Strategy
from ggp_player.strategies.mcts import MonteCarlo
from ggp_player.strategies.textbook.max_n import MaxN
from ggp_player.strategies.textbook.textbook_uct import TextbookUct
from ggp_player.worker.interruptible import InterruptibleMachine, SearchInterrupted

if TYPE_CHECKING:
    from _typeshed import TraceFunction

STEP_SECONDS = 3.0
"""Seconds that a recording takes, unless asked otherwise."""

DEEPEST_STACK = 10_000
"""Frames of Python that a search may have while it is watched."""

_KINDS: tuple[type[Strategy], ...] = (*ROUTINES, TextbookUct)

STEPPED_STRATEGIES: Mapping[str, type[Strategy]] = MappingProxyType(
    {kind.name: kind for kind in _KINDS}
)
"""The strategies whose steps can be shown, by name."""


class Watcher(Protocol):
    """What is told of the watched functions. What it raises ends the program that runs."""

    def on_call(self, frame: FrameType) -> None:
        """A function begins, or a generator goes on after a ``yield``."""

    def on_line(self, frame: FrameType) -> None:
        """The line ``frame.f_lineno`` is about to run."""

    def on_return(self, frame: FrameType, value: object) -> None:
        """A function returns, a generator yields or ends, or either is left by an exception.

        The value is None in the last two cases.
        """


class LineTracer:
    """Tells a watcher of the functions whose code is among ``codes``; others run as ever."""

    def __init__(self, codes: Container[CodeType], watcher: Watcher) -> None:
        self._codes = codes
        self._watcher = watcher

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what this thread runs meanwhile."""
        before = sys.gettrace()
        sys.settrace(self._on_any_call)
        try:
            yield
        finally:
            sys.settrace(before)

    @property
    def is_watching(self) -> bool:
        """Whether it watches. Python ends that where a watcher raises, which may go unheard."""
        return sys.gettrace() == self._on_any_call

    def _on_any_call(self, frame: FrameType, event: str, value: object) -> TraceFunction | None:
        if frame.f_code not in self._codes:
            return None
        self._watcher.on_call(frame)
        return self._on_event

    def _on_event(self, frame: FrameType, event: str, value: object) -> TraceFunction:
        if event == "line":
            self._watcher.on_line(frame)
        elif event == "return":
            self._watcher.on_return(frame, value)
        return self._on_event


@dataclass(frozen=True, slots=True)
class StepLimits:
    """The most steps, characters and seconds."""

    steps: int = MAX_STEPS
    size: int = MAX_BYTES
    seconds: float = STEP_SECONDS


@dataclass(frozen=True, slots=True)
class RecordedSearch:
    """The steps of a search, its last choice, and for how many next states it has asked."""

    strategy: str
    role: str
    log: StepLog
    choice: Choice | None
    states: int

    def as_values(self) -> dict[str, Any]:
        """All of it as values for JSON, as the page reads them."""
        return {"strategy": self.strategy, "role": self.role, **self.log.as_values()}

    def as_json(self) -> str:
        """The same as JSON."""
        return to_json(self.as_values()).decode()


def record_search(
    strategy: Strategy,
    position: Position,
    limits: StepLimits | None = None,
    clock: Clock = monotonic,
) -> RecordedSearch:
    """Run a strategy on a position, and record its steps.

    Where a limit is reached the search ends, and ``log.cut`` says so. Raises
    :class:`StrategyError` for a strategy that has no steps to show, or that refuses the game.
    """
    limits = limits or StepLimits()
    if type(strategy) not in (*_KINDS, MonteCarlo):
        names = ", ".join(sorted((*STEPPED_STRATEGIES, MonteCarlo.name)))
        raise StrategyError(f"there are steps of {names}; found {strategy.name}")
    refusal = strategy.refusal(position.machine)
    if refusal is not None:
        raise StrategyError(refusal)
    deadline = Deadline(clock() + limits.seconds, clock)
    if isinstance(strategy, MonteCarlo):
        return _record_growth(strategy, position, limits, deadline)
    log, watcher = _watcher(strategy, position, limits, deadline)
    tracer = LineTracer(log.numbers, watcher)
    machine = InterruptibleMachine(
        position.machine, lambda: deadline.has_passed or not tracer.is_watching
    )
    choice = None
    try:
        with _deep_stack(), tracer.watching():
            for choice in strategy.search(replace(position, machine=machine)):  # noqa: B007
                pass
    except StepLimitReached as limit:
        log.cut = _sentence(str(limit))
    except SearchInterrupted:
        log.cut = _sentence(_after(limits) if deadline.has_passed else "as its stack is too deep")
    return RecordedSearch(strategy.name, str(position.role), log, choice, machine.states)


def _record_growth(
    strategy: MonteCarlo, position: Position, limits: StepLimits, deadline: Deadline
) -> RecordedSearch:
    log = StepLog([HOT_LOOP], max_steps=limits.steps, max_bytes=limits.size)
    growth, choice = TreeGrowth(log, strategy, position), None
    try:
        for choice in growth.choices(deadline):  # noqa: B007
            pass
    except StepLimitReached as limit:
        log.cut = f"The search is cut here, {limit}: its tree would grow on."
    return RecordedSearch(strategy.name, str(position.role), log, choice, 0)


def _watcher(
    strategy: Strategy, position: Position, limits: StepLimits, deadline: Deadline
) -> tuple[StepLog, Watcher]:
    def check() -> None:
        if deadline.has_passed:
            raise StepLimitReached(_after(limits))

    machine, role = position.machine, position.role
    routines = ROUTINES.get(type(strategy), ())
    codes = [routine.code for routine in routines] or list(PLAYOUT_CODES)
    log = StepLog(codes, check, limits.steps, limits.size)
    if not routines:
        return log, PlayoutTreeRecorder(log, machine, role)
    return log, ValueRecorder(routines, log, machine, role, each=isinstance(strategy, MaxN))


def _after(limits: StepLimits) -> str:
    return f"after {limits.seconds:g} s"


def _sentence(why: str) -> str:
    return (
        f"The search is cut here, {why}: it was not finished. Try a position nearer to the end, "
        "a smaller game, or a limit, as in alpha_beta:depth=2 or textbook_uct:playouts=100."
    )


@contextmanager
def _deep_stack() -> Iterator[None]:
    """Leave room for the calls of the watcher: one that fails would no longer watch."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST_STACK))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
