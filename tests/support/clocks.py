"""Clocks that go on only where a test says so."""

from __future__ import annotations

import threading


class FakeClock:
    """A clock that stands still unless a test moves it, or goes on by ``step`` when it is read."""

    def __init__(self, now: float = 100.0, step: float = 0.0) -> None:
        self.now = now
        self._step = step

    def __call__(self) -> float:
        self.now += self._step
        return self.now


class FakeCpuClock:
    """Returns the CPU seconds of the thread that asks, which goes on by ``step`` each time."""

    def __init__(self, step: float = 0.0) -> None:
        self._step = step
        self._own = threading.local()

    def __call__(self) -> float:
        self.spend(self._step)
        seconds: float = self._own.seconds
        return seconds

    def spend(self, seconds: float) -> None:
        """Let this thread have worked for so many seconds."""
        self._own.seconds = getattr(self._own, "seconds", 0.0) + seconds
