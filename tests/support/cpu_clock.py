"""CPU time that passes only where a test says so."""

from __future__ import annotations

import threading


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
