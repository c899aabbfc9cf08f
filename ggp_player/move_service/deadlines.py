"""How long the move service waits: a deadline that can be cancelled, and limits of its own.

:mod:`ggp_player.server.reply_deadline` decides when a reply is due, and says how these fit in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from ggp_player.clock import Deadline
from ggp_player.protocol import Start

LEGAL_MOVES_GRACE = 0.1
"""Seconds that a reply which is cut short waits for the legal moves, if they are not yet known."""

NO_CLOCK_GRACE = 1.0
"""Seconds that a reply on a play clock of 0 or below waits for the legal moves."""

STOP_GRACE = 5.0
"""Seconds for a search to stop of its own accord, before it is killed and replaced.

On a machine with five times as many busy processes as cores, what takes a second of CPU time, such
as the analysis of a large game, takes this long; and a search that is replaced begins anew.
"""

COMPILE_SHARE = 0.6
"""The share of a clock for which a search waits until the rules are compiled."""

MAX_COMPILE_SECONDS = 30.0


def compile_seconds(start: Start, has_begun: bool) -> float:
    """How long a new search waits for compiled rules: in a match that has begun, a play clock's."""
    clock = start.play_clock if has_begun else start.start_clock
    return min(MAX_COMPILE_SECONDS, COMPILE_SHARE * clock)


class CancellableDeadline:
    """The end of a wait: a deadline, unless the wait is cut short before."""

    def __init__(self, limit: Deadline) -> None:
        self.limit = limit
        self._is_cut_short = False
        self._changed = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether the reply is wanted now."""
        return self._is_cut_short or self.limit.has_passed

    def cut_short(self) -> None:
        """End the wait now."""
        self._is_cut_short = True
        self._changed.set()

    def notify(self) -> None:
        """Wake whoever waits, to check the condition again."""
        self._changed.set()

    async def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds, or until the wait is over."""
        while not (self.is_over or condition()):
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.limit.remaining):
                    await self._changed.wait()
