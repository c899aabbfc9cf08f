"""A match session: handles the requests of one match one after the other, each with its deadline.

Requests can overlap. A newer one cuts the one before it short, which is answered with the best
move so far; then the newer one is served. :mod:`ggp_player.protocol.lifecycle` says why.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ggp_player.clock import Clock, Deadline
from ggp_player.events import MatchStatusName, MoveChosen
from ggp_player.logs import shown
from ggp_player.move_service import CancellableDeadline, MoveService
from ggp_player.protocol import NIL, READY, Match, Play, Stop
from ggp_player.server.match_journal import WRITE_GRACE, MatchJournal
from ggp_player.server.reply_deadline import (
    LAST_STATE_LIMIT,
    RESUME_LIMIT,
    ReplyDeadline,
    pondering_limit,
    silence_limit,
)

_log = logging.getLogger(__name__)


class MatchSession:
    """Plays a match from START to STOP; with a journal it can go on after a restart."""

    def __init__(
        self,
        match: Match,
        move_service: MoveService,
        clock: Clock,
        journal: MatchJournal | None = None,
        encoding: str = "utf-8",
    ) -> None:
        self.match = match
        self._events = move_service.events
        self._journal = journal
        self._move_service = move_service
        self._clock = clock
        self._turn = asyncio.Lock()
        self._deadline = CancellableDeadline(Deadline.after(0, clock))
        self._move: asyncio.Task[str] | None = None
        self._timers: tuple[asyncio.TimerHandle, ...] = ()
        self._is_closing = False
        self.encoding = encoding
        """The encoding of the rules, and so of our moves."""
        self.on_unplayable: Callable[[], None] = lambda: None
        """Called when it turns out that the rules cannot be played."""

    async def start(self, reply_deadline: ReplyDeadline) -> str:
        """Prepare during the start clock; return ``ready``, or why the rules are unplayable."""
        start = self.match.start
        _log.info(
            "match %s: starts as %s, start clock %d s, play clock %d s",
            *(shown(start.match_id), shown(start.role), start.start_clock, start.play_clock),
        )
        deadline = self._newest(reply_deadline.for_clock(start.start_clock))
        written = None
        if self._journal is not None:
            written = self._journal.begin(start, self.match.owner, self.encoding)
        async with self._turn:
            reason = await self._move_service.prepare(deadline)
        await self._on_disk(written, deadline)
        self.match.replied(start)
        if reason:
            self.on_unplayable()
            return f"error: the game cannot be played: {reason}"
        return READY

    async def resume(self) -> None:
        """Prepare for the next PLAY, after a restart, until the legal moves are known."""
        deadline = self._newest(Deadline.after(RESUME_LIMIT, self._clock))
        async with self._turn:
            await self._move_service.resume(deadline)

    async def play(self, request: Play, reply_deadline: ReplyDeadline) -> str:
        """Apply the joint move and return ours."""
        deadline = self._newest(reply_deadline.for_clock(self.match.start.play_clock))
        self._move = asyncio.create_task(self._choose(request, deadline, reply_deadline))
        return await self._move

    async def play_again(self) -> str:
        """Return the reply to the newest PLAY, which has come once more."""
        assert self._move is not None
        _log.info("match %s: the same PLAY again", shown(self.match.match_id))
        return await asyncio.shield(self._move)

    async def stop(self, request: Stop) -> None:
        """Apply the last joint move, log how the match ended, and end it."""
        self._unwatch()
        self._deadline.cut_short()
        async with self._turn:
            deadline = CancellableDeadline(Deadline.after(LAST_STATE_LIMIT, self._clock))
            status = await self._move_service.finish(_texts(request), deadline)
        goals = status.goals if status is not None else {}
        result = ", ".join(f"{role} {goal}" for role, goal in goals.items())
        name = shown(self.match.match_id)
        _log.info("match %s: is over: %s", name, result or "no goal values known")
        self._events.ended("completed", _texts(request), goals)
        await self.end("completed")

    async def end(self, status: MatchStatusName) -> None:
        """End the match for good: :meth:`suspend` it, and remove its journal."""
        self._events.ended(status, reason=self._move_service.unplayable)
        removed = self._journal.remove() if self._journal is not None else None
        await self.suspend()
        await self._on_disk(removed, self._deadline)

    async def suspend(self) -> None:
        """Have the open request answered at once, and end the worker processes."""
        self._events.ended("suspended")
        self._unwatch()
        self._deadline.cut_short()
        async with self._turn:
            self._move_service.close()
            await self._move_service.closed()

    def close_soon(self) -> None:
        """Have the open request answered at once, and so whatever comes later."""
        self._is_closing = True
        self._deadline.cut_short()

    def watch(self, idle_limit: float, on_silence: Callable[[], None]) -> None:
        """Call back after too long a silence, unless called again before.

        Long before that nothing is searched any more: the game manager has probably left.
        """
        self._unwatch()
        start, loop = self.match.start, asyncio.get_running_loop()
        clock = start.start_clock if self.match.newest is start else start.play_clock
        rest_limit = pondering_limit(clock, start.play_clock)
        drop_limit = silence_limit(start.start_clock, start.play_clock, idle_limit)
        self._timers = (
            loop.call_later(rest_limit, self._rest),
            loop.call_later(drop_limit, on_silence),
        )

    def _rest(self) -> None:
        _log.info("match %s: no request for long, the search rests", shown(self.match.match_id))
        self._move_service.rest()

    def _unwatch(self) -> None:
        for timer in self._timers:
            timer.cancel()

    def _newest(self, limit: Deadline) -> CancellableDeadline:
        """Set the deadline of the newest request, and cut the one before short."""
        self._deadline.cut_short()
        self._deadline = CancellableDeadline(limit)
        if self._is_closing:
            self._deadline.cut_short()
        return self._deadline

    def watch_search(self, is_watched: bool) -> None:
        """Have the search report what it thinks, or no longer."""
        self._move_service.watch(is_watched)

    async def _choose(
        self, request: Play, deadline: CancellableDeadline, reply_deadline: ReplyDeadline
    ) -> str:
        asked = self._clock()
        moves = _texts(request)
        turn = self._events.turn + bool(moves)
        clock, seconds = self.match.start.play_clock, deadline.limit.remaining
        self._events.turn_asked(turn, moves, clock, seconds)
        written = self._journal.append(moves) if self._journal is not None and moves else None
        async with self._turn:
            decision = await self._move_service.choose(moves, deadline)
        await self._on_disk(written, deadline)
        self.match.replied(request)
        seconds = self._clock() - asked
        _log.info("match %s: %s after %.2f s", shown(self.match.match_id), decision, seconds)
        self._events.move_chosen(
            MoveChosen(
                match="",
                time=0,
                turn=turn,
                move=decision.move,
                value=decision.value,
                proved=decision.proved,
                note=decision.note,
                source=decision.source.value,
                seconds=round(seconds, 4),
                margin_left=reply_deadline.clock_left,
            )
        )
        if self._move_service.unplayable:
            self.on_unplayable()
        return decision.move

    async def _on_disk(
        self, written: asyncio.Future[None] | None, deadline: CancellableDeadline
    ) -> None:
        """Wait until the journal is written, but hold no reply up for a disk that is too slow."""
        if written is None:
            return
        limit = 0.0 if deadline.is_over else deadline.limit.remaining
        await asyncio.wait([written], timeout=max(limit, WRITE_GRACE))
        if not written.done():
            name = shown(self.match.match_id)
            _log.warning("match %s: the reply leaves before the disk has the turn", name)


def _texts(request: Play | Stop) -> tuple[str, ...]:
    """The joint move's moves as text; a lone word is a move, unless it means no moves yet."""
    if request.moves:
        return tuple(map(str, request.moves))
    return () if request.word.upper() == NIL else (request.word,)
