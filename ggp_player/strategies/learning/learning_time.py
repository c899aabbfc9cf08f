"""How much time learning takes, by the time that the caller gives the first search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from ggp_player.clock import Clock, Deadline
from ggp_player.strategies import Position

Step = TypeVar("Step")

LEARNING_SHARE = 0.45
"""The part of the start clock after which learning has ended."""

LEAST_LEARNING, MOST_LEARNING = 3.0, 120.0
"""Seconds of learning, in a short start clock and in a long one."""

DUEL_SHARE = 0.3
"""The part of the start clock for duels: for so many matches as most of them need."""

LEAST_DUEL, MOST_DUEL = 3.0, 30.0
"""Seconds for these."""

MOVE_SHARE = 0.4
"""The part of the time for a move in which games begin in its position."""

MOVE_SECONDS, WAITING_SECONDS = 2.0, 10.0
"""Seconds for such games where nobody has said how long the move may take, and where there is no
choice."""


@dataclass(frozen=True, slots=True)
class LearningTime:
    """Seconds for playouts and games to learn from, and for as many duels as mostly are needed.

    Without advice they are these. The regressions take some more.
    """

    learning: float = 12.0
    duels: float = 10.0

    @classmethod
    def within(cls, seconds: float | None) -> LearningTime:
        """The time where a caller gives so many seconds, None where nobody has said so."""
        if seconds is None:
            return cls()
        return cls(
            min(MOST_LEARNING, max(LEAST_LEARNING, LEARNING_SHARE * seconds)),
            min(MOST_DUEL, max(LEAST_DUEL, DUEL_SHARE * seconds)),
        )


def seconds_from(position: Position, share: float = MOVE_SHARE) -> float:
    """Seconds for games that begin in a position; none where its search is stopped by its work."""
    if position.work_slice is not None or share == 0:
        return 0.0
    if len(position.legal_moves) == 1:
        return WAITING_SECONDS
    seconds = position.seconds
    return MOVE_SECONDS if seconds is None else share * seconds


def clock_until(deadline: Deadline | None, clock: Clock) -> Clock:
    """A clock of CPU time that keeps up with the caller's until its deadline.

    So learning ends in time where a busy machine, or another search of the same thread, leaves it
    less of the processor than planned.
    """
    if deadline is None:
        return clock
    began, given = clock(), deadline.remaining

    def passed() -> float:
        return max(clock() - began, given - deadline.remaining)

    return passed


class OwnTime:
    """A clock of CPU time that stands still while others use the thread: between two steps."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._counted = 0.0
        self._since: float | None = None

    def __call__(self) -> float:
        """Seconds of all steps so far."""
        running = self._clock() - self._since if self._since is not None else 0.0
        return self._counted + running

    def of_steps(self, work: Iterator[Step]) -> Iterator[Step]:
        """Do some work; what passes while this is not asked for the next step does not count."""
        self._since = self._clock()
        for step in work:
            self._counted, self._since = self(), None
            yield step
            self._since = self._clock()
        self._counted, self._since = self(), None
