"""A match being played: its requests one after the other, each with its deadline.

Requests can overlap. The newest hurries the one before it, which is answered with what there is;
then it is the newest's turn. :mod:`ggp_player.protocol.lifecycle` says why.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ggp_player.clock import Clock, Deadline
from ggp_player.move_service import CancellableDeadline, MoveService
from ggp_player.protocol import NIL, READY, Match, Play, Stop
from ggp_player.server.reply_deadline import ReplyDeadline

LAST_STATE_LIMIT = 1.0
"""Seconds that STOP waits for the goal values of the last state, which go to the log."""

SILENT_CLOCKS = 3
"""How many play clocks a game manager may take for a step: it waits for the other players too."""

_log = logging.getLogger(__name__)


class MatchSession:
    """Plays a match from START to STOP."""

    def __init__(self, match: Match, executor: MoveService, clock: Clock) -> None:
        self.match = match
        self._executor = executor
        self._clock = clock
        self._turn = asyncio.Lock()
        self._patience = CancellableDeadline(Deadline.after(0, clock))
        self._move: asyncio.Task[str] | None = None
        self._silence: asyncio.TimerHandle | None = None
        self._is_rushed = False

    async def start(self, stopwatch: ReplyDeadline) -> str:
        """Prepare during the start clock; return ``ready``, or why the rules are unplayable."""
        start = self.match.start
        _log.info(
            "match %s: starts as %s, start clock %d s, play clock %d s",
            *(start.match_id, start.role, start.start_clock, start.play_clock),
        )
        patience = self._newest(stopwatch.deadline(start.start_clock))
        async with self._turn:
            reason = await self._executor.prepare(patience)
        self.match.replied(start)
        return f"error: the game cannot be played: {reason}" if reason else READY

    async def play(self, request: Play, stopwatch: ReplyDeadline) -> str:
        """Apply the joint move and return ours."""
        patience = self._newest(stopwatch.deadline(self.match.start.play_clock))
        self._move = asyncio.create_task(self._choose(request, patience))
        return await self._move

    async def play_again(self) -> str:
        """Return the reply to the newest PLAY, which has come once more."""
        assert self._move is not None
        _log.info("match %s: the same PLAY again", self.match.match_id)
        return await asyncio.shield(self._move)

    async def stop(self, request: Stop) -> None:
        """Apply the last joint move, log how the match ended, and end it."""
        self._unwatch()
        self.hurry()
        async with self._turn:
            patience = CancellableDeadline(Deadline.after(LAST_STATE_LIMIT, self._clock))
            standing = await self._executor.finish(_texts(request), patience)
        goals = standing.goals if standing is not None else {}
        result = ", ".join(f"{role} {goal}" for role, goal in goals.items())
        _log.info("match %s: is over: %s", self.match.match_id, result or "no goal values known")
        await self.end()

    async def end(self) -> None:
        """Answer what is open at once, and let the processes go."""
        self._unwatch()
        self.hurry()
        async with self._turn:
            self._executor.close()
            await self._executor.closed()

    def hurry(self) -> None:
        """Have the request that is open answered at once."""
        self._patience.hurry()

    def rush(self) -> None:
        """Have the request that is open answered at once, and whatever comes later too."""
        self._is_rushed = True
        self.hurry()

    def watch(self, idle_limit: float, on_silence: Callable[[], None]) -> None:
        """Call back after so many seconds beyond the clocks, unless called again before."""
        self._unwatch()
        start = self.match.start
        limit = max(start.start_clock, SILENT_CLOCKS * start.play_clock) + idle_limit
        self._silence = asyncio.get_running_loop().call_later(limit, on_silence)

    def _unwatch(self) -> None:
        if self._silence is not None:
            self._silence.cancel()

    def _newest(self, deadline: Deadline) -> CancellableDeadline:
        """Return the patience of the newest request; that of the one before is over."""
        self.hurry()
        self._patience = CancellableDeadline(deadline)
        if self._is_rushed:
            self._patience.hurry()
        return self._patience

    async def _choose(self, request: Play, patience: CancellableDeadline) -> str:
        asked = self._clock()
        async with self._turn:
            decision = await self._executor.choose(_texts(request), patience)
        self.match.replied(request)
        seconds = self._clock() - asked
        _log.info("match %s: %s after %.2f s", self.match.match_id, decision, seconds)
        return decision.move


def _texts(request: Play | Stop) -> tuple[str, ...]:
    """Return the joint move's moves; a lone word is a move, unless it stands for none."""
    if request.moves:
        return tuple(map(str, request.moves))
    return () if request.word.upper() == NIL else (request.word,)
