"""What is the manager's own fault, and no player's: what it lacks, and when its loop does not run.

A request that cannot be sent, as this process has no open files, threads or memory left, says
nothing of the player that it was for. Nor does a reply that is late because the event loop did not
run when it came: the system has it, and the manager has not looked.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections import deque
from math import inf

from aiohttp import ClientConnectorError

from ggp_player.clock import Clock, monotonic
from ggp_player.errors import ServerError

TICK_SECONDS = 0.05
"""Seconds between two looks at whether the event loop runs."""

STALL_SECONDS = 0.1
"""How late the loop may be at such a look, as every loop is a little late."""

MAX_STALLS = 1000
"""How many stalls are remembered: longer than any request is awaited, unless they are short."""

NOTE_SECONDS = 60.0
"""The shortest time between two lines of the log about the same lack."""

_LACKS = {
    errno.EMFILE: "open files",
    errno.ENFILE: "open files, of which the machine has no more",
    errno.ENOBUFS: "buffers of the network",
    errno.ENOMEM: "memory",
}

_LOOK_UP_LACKS = (socket.EAI_MEMORY, getattr(socket, "EAI_SYSTEM", socket.EAI_MEMORY))

_NO_THREAD = "can't start new thread"
"""What Python says where the system gives it no thread."""

_log = logging.getLogger(__name__)


class LackError(ServerError):
    """A player could not be asked, as this process lacks something: ``what``.

    ``was_sent`` is whether any of the request may have gone, so that it must not be sent again.
    """

    def __init__(self, what: str, was_sent: bool) -> None:
        self.what = what
        self.was_sent = was_sent
        super().__init__(f"the manager lacks {what}")


def lack_in(error: BaseException | None) -> str:
    """Name what this process ran out of, if that is what the error says; otherwise nothing."""
    while error is not None:
        if isinstance(error, LackError):
            return error.what
        if isinstance(error, ClientConnectorError) and (what := _lack_of_system(error.os_error)):
            return what
        if isinstance(error, OSError) and (what := _lack_of_system(error)):
            return what
        if isinstance(error, MemoryError):
            return "memory"
        if isinstance(error, RuntimeError) and _NO_THREAD in str(error):
            return "threads"
        error = error.__cause__
    return ""


def _lack_of_system(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return "means to look up a name" if error.errno in _LOOK_UP_LACKS else ""
    return _LACKS.get(error.errno or 0, "")


class SelfWatch:
    """Notes when the event loop does not run, while :meth:`run` does, and what is lacking."""

    def __init__(self, clock: Clock = monotonic) -> None:
        self._clock = clock
        self._last: float | None = None
        self._stalls: deque[tuple[float, float]] = deque(maxlen=MAX_STALLS)
        self._noted: dict[str, float] = {}

    async def run(self) -> None:
        """Look at the loop again and again. Once this is cancelled, no later time is a stall."""
        try:
            while True:
                self.tick()
                await asyncio.sleep(TICK_SECONDS)
        finally:
            self._last = None

    def tick(self) -> None:
        """Note that the loop runs now."""
        now = self._clock()
        if self._last is not None and now - self._last > TICK_SECONDS + STALL_SECONDS:
            self._stalls.append((self._last, now))
        self._last = now

    def stalled(self, since: float, until: float) -> float:
        """Return for how many seconds between two instants the loop may not have run."""
        stalls = list(self._stalls)
        if self._last is not None and until - self._last > TICK_SECONDS + STALL_SECONDS:
            stalls.append((self._last, until))
        return sum(max(0.0, min(end, until) - max(begin, since)) for begin, end in stalls)

    def note(self, what: str) -> None:
        """Log that something is lacking, once in a while."""
        now = self._clock()
        if now - self._noted.get(what, -inf) >= NOTE_SECONDS:
            self._noted[what] = now
            _log.warning("the manager lacks %s: matches wait, and no player is blamed", what)
