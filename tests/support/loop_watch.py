"""Watches an event loop: which callbacks hold it, and for how long.

In a test, around anything that runs in the test's own loop::

    with LoopWatch() as watch:
        ...
    assert watch.long == []

Or around a whole server, in a process of its own, which then writes a line to its log for each
callback that was too long::

    python -m tests.support.loop_watch serve --port 0
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Callable
from types import TracebackType

from tests.support.stopwatch import QueueClock

MOST_SECONDS = 0.02
"""How long one callback may hold the loop."""

MARK = "held the event loop"

_LINE = re.compile(rf"{MARK} for ([\d.]+) s, computing for ([\d.]+) s")


class LoopWatch:
    """Records callbacks that take longer than a limit, in seconds, while it is entered.

    What counts is the time on the clock less that in which the system let other processes run:
    computing, and waiting for anything, also for other threads of Python. A line says how much of
    it was computing.
    """

    def __init__(
        self, most: float = MOST_SECONDS, report: Callable[[str], None] = lambda line: None
    ) -> None:
        self.long: list[str] = []
        self._most = most
        self._report = report
        self._run = asyncio.Handle._run

    def __enter__(self) -> LoopWatch:
        run, watch, queue_seconds = self._run, self, QueueClock()

        def timed(handle: asyncio.Handle) -> None:
            began, waited, computed = time.perf_counter(), queue_seconds(), time.thread_time()
            run(handle)
            seconds = time.perf_counter() - began
            if seconds > watch._most:
                computing = time.thread_time() - computed
                watch._record(handle, seconds - (queue_seconds() - waited), computing)

        asyncio.Handle._run = timed  # type: ignore[method-assign, assignment]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        asyncio.Handle._run = self._run  # type: ignore[method-assign]

    def _record(self, handle: asyncio.Handle, seconds: float, computing: float) -> None:
        if seconds > self._most:
            line = f"{MARK} for {seconds:.3f} s, computing for {computing:.3f} s: {handle!r:.300}"
            self.long.append(line)
            self._report(line)


def is_long(line: str, most_seconds: float) -> bool:
    """Whether a reported callback held the loop longer than that, or computed for too long."""
    found = _LINE.search(line)
    assert found is not None, line
    return float(found[1]) > most_seconds or float(found[2]) > MOST_SECONDS


def main() -> None:
    """Run a command of ggp-player, and report long callbacks of its event loop."""
    from ggp_player.__main__ import main as run_command

    with LoopWatch(report=lambda line: print(line, file=sys.stderr, flush=True)):
        run_command()


if __name__ == "__main__":
    main()
