"""A match session: handles the requests of one match one after the other, each with its deadline.

Requests can overlap. A newer one cuts the one before it short, which is answered with the best
move so far; then the newer one is served. :mod:`ggp_player.protocol.lifecycle` says why.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from ggp_player.clock import Clock, Deadline
from ggp_player.events import MatchStatusName, ObservedStep, Step
from ggp_player.logs import shown
from ggp_player.protocol import NIL, READY, Match, Observation, Play, Stop
from ggp_player.server.match_journal import WRITE_GRACE, MatchJournal
from ggp_player.server.reply_deadline import (
    LAST_STATE_LIMIT,
    RESUME_LIMIT,
    ReplyDeadline,
    pondering_limit,
    silence_limit,
)
from ggp_player.worker.service import CancellableDeadline, MoveService

MAX_MISSED = 16
"""The most steps that are taken as missed, however many the game manager has counted."""

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
        self._deadline = CancellableDeadline.after(0, clock)
        self._move: asyncio.Task[str] | None = None
        self._timers: tuple[asyncio.TimerHandle, ...] = ()
        self._sent: tuple[int, str | None] = (0, None)
        """Our latest move, and its turn."""
        self._was_asked = False
        self._uncounted = 0
        """By how much the game manager's turn is greater than the number of steps that we have."""
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
            deadline = CancellableDeadline.after(LAST_STATE_LIMIT, self._clock)
            steps = self._new_steps(request)
            status = await self._move_service.finish(steps, deadline)
        goals = status.goals if status is not None else {}
        result = ", ".join(f"{role} {goal}" for role, goal in goals.items())
        name = shown(self.match.match_id)
        _log.info("match %s: is over: %s", name, result or "no goal values known")
        self._events.ended("completed", steps[-1] if steps else (), goals)
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
        self._deadline = CancellableDeadline(limit.at, limit.clock)
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
        steps = self._new_steps(request)
        self._was_asked = True
        turn = self._events.turn + len(steps)
        clock, seconds = self.match.start.play_clock, deadline.remaining
        self._events.turn_asked(turn, steps[-1] if steps else (), clock, seconds)
        written = self._write(steps)
        async with self._turn:
            best = await self._move_service.choose(steps, deadline)
        self._sent = turn, best.move
        await self._on_disk(written, deadline)
        self.match.replied(request)
        seconds = self._clock() - asked
        _log.info("match %s: %s after %.2f s", shown(self.match.match_id), best, seconds)
        self._events.move_chosen(turn, best, round(seconds, 4), reply_deadline.clock_left)
        if self._move_service.unplayable:
            self.on_unplayable()
        return best.move

    async def _on_disk(
        self, written: asyncio.Future[None] | None, deadline: CancellableDeadline
    ) -> None:
        """Wait until the journal is written, but hold no reply up for a disk that is too slow."""
        if written is None:
            return
        await asyncio.wait([written], timeout=max(deadline.remaining, WRITE_GRACE))
        if not written.done():
            name = shown(self.match.match_id)
            _log.warning("match %s: the reply leaves before the disk has the turn", name)

    def _write(self, steps: Sequence[Step]) -> asyncio.Future[None] | None:
        """Begin to write steps to the journal; return the future of the last, if there is one."""
        written = None
        for step in steps:
            written = None if self._journal is None else self._journal.append(step)
        return written

    def _new_steps(self, request: Play | Stop) -> tuple[Step, ...]:
        """The steps that a request tells of and that we have not had.

        Where it counts them and we lack some, those are told as missed.
        """
        made, step = self._events.turn, self._step(request)
        if request.turn is None:
            return () if step is None else (step,)
        if step is None and not made:
            self._uncounted = request.turn
        missing = request.turn - self._uncounted - made
        if missing <= 0:
            return ()
        missed = missing - (step is not None)
        if missed:
            name = shown(self.match.match_id)
            _log.warning("match %s: %d steps before turn %d", name, missed, request.turn)
            self._events.problem(f"{missed} steps were made of which we were not told")
        kept = min(missed, MAX_MISSED)
        self._uncounted += missed - kept
        moves = [self._sent[1] if self._sent[0] == made else None, *[None] * MAX_MISSED]
        untold = (ObservedStep(move, missed=True) for move in moves[:kept])
        return (*untold, *([] if step is None else [step]))

    def _step(self, request: Play | Stop) -> Step | None:
        """The last step as a request tells it; None where there was none yet."""
        seen, start = request.observation, self.match.start
        texts = tuple(map(str, request.moves))
        if seen is not None:
            is_first = not self._events.turn and not self._was_asked and request.turn is None
            return None if is_first and not seen.percepts else self._observed(request, seen)
        if texts:
            own = self._sent_before(request)
            return ObservedStep(own, texts, may_be_moves=True) if start.has_percepts else texts
        return None if request.word.upper() == NIL else (request.word,)

    def _observed(self, request: Play | Stop, seen: Observation) -> ObservedStep:
        move = self._sent_before(request) if seen.move is None else str(seen.move)
        return ObservedStep(move, tuple(map(str, seen.percepts)))

    def _sent_before(self, request: Play | Stop) -> str | None:
        """The move that we sent in the turn before, if that is the one that a request tells of."""
        turn, move = self._sent
        return move if turn == self._events.turn and request.turn is None else None
