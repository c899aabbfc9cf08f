"""Seconds that tell of the program, and not of how busy the machine is."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress


class QueueClock:
    """Says for how many seconds the threads of this process have waited for a processor.

    Python's threads only: while one of them waits it can hold the interpreter's lock, for which
    all others wait. The sum is 0 where the system does not tell.
    """

    def __init__(self) -> None:
        self._descriptors: dict[int, int] = {}
        self._seconds: dict[int, float] = {}

    def __call__(self) -> float:
        for thread in threading.enumerate():
            if thread.native_id is not None:
                self._read(thread.native_id)
        return sum(self._seconds.values())

    def _read(self, thread: int) -> None:
        with suppress(OSError):  # the thread has ended, or nothing can be opened now
            if thread not in self._descriptors:
                path = f"/proc/self/task/{thread}/schedstat"
                self._descriptors[thread] = os.open(path, os.O_RDONLY)
            text = os.pread(self._descriptors[thread], 100, 0)
            self._seconds[thread] = int(text.split()[1]) / 1e9

    def __del__(self) -> None:
        for descriptor in self._descriptors.values():
            os.close(descriptor)


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
        """Those without the seconds in which the system let other processes run instead."""
        return self.on_clock - (self._queue_clock() - self._waited)
