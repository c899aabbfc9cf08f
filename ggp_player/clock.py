"""Time: one monotonic clock, deadlines on it, and the margin kept before them.

A game manager stops its own watch when our reply has *arrived*. Between the last moment of
thinking and that instant lie the operating system, the event loop and the network, and a reply
that is late by a millisecond is worth nothing: the manager plays a move of its own choosing. So
every deadline lies a margin before the end of the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]
"""Returns seconds since some fixed instant; never goes back."""

monotonic: Clock = time.monotonic

DEFAULT_MARGIN = 1.0
"""Seconds. Enough for a busy machine and a manager on the other side of the world."""

MIN_MARGIN = 0.1
"""Seconds. The floor: a busy machine alone can take this long to send a reply."""

MAX_MARGIN_SHARE = 1 / 3
"""The part of a short clock that the margin takes at most: on a clock of 1 s, a third of it."""


def thinking_time(seconds: float, margin: float = DEFAULT_MARGIN) -> float:
    """Return how much of a clock of so many seconds is for thinking.

    >>> thinking_time(30), thinking_time(1.5), thinking_time(0)
    (29.0, 1.0, 0.0)
    """
    reserve = max(MIN_MARGIN, min(margin, seconds * MAX_MARGIN_SHARE))
    return max(0.0, seconds - reserve)


@dataclass(frozen=True, slots=True)
class Deadline:
    """An instant on a clock at which something must be over."""

    at: float
    clock: Clock = monotonic

    @classmethod
    def after(cls, seconds: float, clock: Clock = monotonic) -> Deadline:
        """Return the deadline so many seconds from now."""
        return cls(clock() + seconds, clock)

    @property
    def remaining(self) -> float:
        """Seconds until the deadline, 0 when it has passed."""
        return max(0.0, self.at - self.clock())

    @property
    def has_passed(self) -> bool:
        """Whether no time is left."""
        return self.remaining == 0.0
