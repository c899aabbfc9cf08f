"""Time: one monotonic clock, and deadlines on it; and the time of day, for records."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, TypeAlias

Clock: TypeAlias = Callable[[], float]
"""Returns seconds since some fixed instant; never goes back."""

monotonic: Clock = time.monotonic

thread_cpu: Clock = time.thread_time
"""CPU seconds of the calling thread: work, whatever else keeps the machine busy."""

WallClock: TypeAlias = Callable[[], int]
"""Returns milliseconds since 1970; it may jump, and decides nothing."""


def wall_clock() -> int:
    """Return the time of day in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Deadline:
    """An instant on a clock by which something must be done."""

    at: float
    clock: Clock = monotonic

    @classmethod
    def after(cls, seconds: float, clock: Clock = monotonic) -> Self:
        """The deadline so many seconds from now."""
        return cls(clock() + seconds, clock)

    @property
    def remaining(self) -> float:
        """Seconds until the deadline, 0 when it has passed."""
        return max(0.0, self.at - self.clock())

    @property
    def has_passed(self) -> bool:
        """Whether no time is left."""
        return self.remaining == 0.0
