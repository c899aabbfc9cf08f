"""Seconds that tell of the program, and not of how busy the machine is."""

from __future__ import annotations

import os
import time
from contextlib import suppress


class QueueClock:
    """Says for how many seconds the thread that made it has waited for a processor.

    That is 0 where the system does not tell.
    """

    def __init__(self) -> None:
        self._descriptor: int | None = None
        with suppress(OSError):
            # Kept open, as a process can have no descriptor left just when this is read.
            self._descriptor = os.open("/proc/thread-self/schedstat", os.O_RDONLY)

    def __call__(self) -> float:
        if self._descriptor is None:
            return 0.0
        return int(os.pread(self._descriptor, 100, 0).split()[1]) / 1e9

    def __del__(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)


class Stopwatch:
    """Measures from when it is made."""

    def __init__(self) -> None:
        self._queue_clock = QueueClock()
        self._began, self._waited = time.monotonic(), self._queue_clock()

    @property
    def on_clock(self) -> float:
        """The seconds that have passed."""
        return time.monotonic() - self._began

    @property
    def own(self) -> float:
        """Those without the seconds in which the system let others run instead of this thread."""
        return self.on_clock - (self._queue_clock() - self._waited)
