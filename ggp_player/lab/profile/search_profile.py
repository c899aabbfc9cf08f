"""The profile of one search: which of its components has used how much CPU time, and for what."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from time import process_time, thread_time
from typing import NamedTuple

from gdl import StateMachine
from ggp_player.clock import Deadline
from ggp_player.strategies import (
    LEARNING,
    Choice,
    Component,
    Meter,
    Position,
    Strategy,
    Usage,
    component,
    metering,
)
from ggp_player.worker.interruptible import SearchInterrupted, interruptible_for

Clock = Callable[[], float]
"""Returns seconds of CPU time."""


class CpuClocks(NamedTuple):
    """CPU time of the thread that asks, and of all threads of the process."""

    thread: Clock = thread_time
    process: Clock = process_time


@dataclass(frozen=True, slots=True)
class SearchProfile:
    """What a search of a position, so many ``plies`` from the initial state, has used.

    ``seconds`` are CPU time of all threads, ``used`` what components had of it. ``is_proved`` says
    that the search has ended before its time, with a proof.
    """

    plies: int
    seconds: float
    used: Mapping[Component, Usage]
    is_proved: bool = False

    @property
    def searching(self) -> float:
        """The seconds of all components but the analysis of the game and the learner."""
        others = set(self.used) - {Component.ANALYSIS, *LEARNING}
        return sum(map(self.seconds_of, others))

    @property
    def elsewhere(self) -> float:
        """The seconds of threads that belong to no component, such as helpers of one."""
        return max(0.0, self.seconds - sum(usage.seconds for usage in self.used.values()))

    def seconds_of(self, which: Component) -> float:
        """The CPU seconds of a component."""
        return self.used[which].seconds if which in self.used else 0.0

    def share_of_searching(self, which: Component) -> float:
        """The part of the time for searching that a component took; 0 where there was none."""
        return self.seconds_of(which) / self.searching if self.searching > 0 else 0.0


class SearchProfiler:
    """A strategy in one seat of one match, whose searches are profiled one after the other."""

    def __init__(
        self, strategy: Strategy, machine: StateMachine, clocks: CpuClocks | None = None
    ) -> None:
        self._strategy = strategy
        self._clocks = clocks or CpuClocks()
        self._meter = Meter(self._clocks.thread)
        self._end = 0.0
        self.machine = interruptible_for(strategy, machine, self._is_over)

    def search(self, position: Position, plies: int, seconds: float) -> SearchProfile:
        """Search a position of ``machine`` for so many seconds of CPU time of this thread.

        The time is read after each choice, and whenever an interpreted machine is asked.
        """
        self._end = self._clocks.thread() + seconds
        position = replace(position, deadline=Deadline(self._end, self._clocks.thread))
        began = self._clocks.process()
        with metering(self._meter), closing(self._choices(position)) as choices:
            is_proved = self._is_proved_in_time(choices)
        return SearchProfile(plies, self._clocks.process() - began, self._meter.take(), is_proved)

    def _is_over(self) -> bool:
        return self._clocks.thread() >= self._end

    def _is_proved_in_time(self, choices: Iterator[Choice]) -> bool:
        """Take choices until the time is over; return whether the last one was proved."""
        try:
            for choice in choices:
                if choice.proved or self._is_over():
                    return choice.proved
        except SearchInterrupted:
            pass
        return False

    @component(Component.OTHER)
    def _choices(self, position: Position) -> Generator[Choice, None, None]:
        yield from self._strategy.search(position)
