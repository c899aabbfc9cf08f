"""The clock of one request, which does not run against a player while the manager does not look."""

from __future__ import annotations

import asyncio
from types import TracebackType

from ggp_player.clock import Clock
from ggp_player.match_runner.own_faults import SelfWatch

SEND_LIMIT = 10.0
"""Seconds for connecting to a player and sending it a request, before its clock runs."""

MIN_GRACE, MAX_GRACE = 0.25, 2.0
"""Seconds for taking what has come while the event loop did not run, once it runs again."""


class Stopwatch:
    """Ends what is awaited while it is entered with TimeoutError, first for sending, then replying.

    Sending has :data:`SEND_LIMIT` seconds in which the loop runs. From :meth:`start` on the reply
    has ``limit`` seconds; where the loop did not run at their end, it takes what has come by then.
    """

    def __init__(self, clock: Clock, limit: float, own: SelfWatch) -> None:
        self._clock = clock
        self._limit = limit
        self._own = own
        self._created = clock()
        self._started: float | None = None
        self._due = self._created + SEND_LIMIT
        self._forgiven = 0.0
        self._timeout = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Stopwatch:
        await self._timeout.__aenter__()
        self._wait(SEND_LIMIT)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        await self._timeout.__aexit__(kind, error, traceback)

    @property
    def is_running(self) -> bool:
        """Whether the request was sent."""
        return self._started is not None

    def start(self) -> None:
        """Take the time, as the request has been sent."""
        self._started = self._clock()
        self._due = self._started + self._limit
        self._wait(self._limit)

    def times(self) -> tuple[float, float]:
        """Return the seconds of the player, and those before them.

        A reply that came while nobody looked has taken the limit at most.
        """
        now = self._clock()
        started = now if self._started is None else self._started
        seconds, limit = now - started, self._limit
        if seconds > limit and self._own.stalled(started + limit, now) > 0:
            seconds = limit
        return seconds, started - self._created

    def _wait(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end)

    def _end(self) -> None:
        """End the wait, unless the loop has not run; then there is some time more."""
        grace = self._grace()
        if grace > 0:
            self._due = self._clock() + grace
            self._wait(grace)
        elif not self._timeout.expired():
            self._timeout.reschedule(asyncio.get_running_loop().time())

    def _grace(self) -> float:
        now = self._clock()
        if self._started is not None:
            stalled = self._own.stalled(self._due, now)
            return min(max(stalled, MIN_GRACE), MAX_GRACE) if stalled > 0 else 0.0
        stalled = self._own.stalled(self._created, now)
        grace, self._forgiven = stalled - self._forgiven, stalled
        return grace
