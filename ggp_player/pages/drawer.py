"""Has states drawn in a process of their own, which is replaced when it fails or takes too long."""

from __future__ import annotations

import asyncio
import logging
from asyncio.subprocess import DEVNULL
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from weakref import WeakValueDictionary

from gdl.analysis.move_names import MoveNames
from gdl.system.helper_process import helper_command
from ggp_player.async_helper import AsyncHelper
from ggp_player.clock import Clock, monotonic
from ggp_player.errors import PositionError, UnplayableError
from ggp_player.pages import drawing_process
from ggp_player.pages.drawing_messages import (
    ANSWERS,
    Answer,
    Drawing,
    DrawingRequest,
    DrawPosition,
    FindGame,
    NameMoves,
    RecordSteps,
    encode,
)
from ggp_player.pages.positions import ShownPosition
from ggp_player.pages.rulesheets import GameFound

DRAWING_SECONDS = 120.0
"""How long a request may take, the start of the process included.

What it does is bounded by CPU time, there; this is for a process that waits for ever. A busy
machine gives it a tenth of a core, and one that is replaced begins from nothing.
"""

MAX_ANSWER = 64 * 2**20
"""Bytes of the longest answer."""

MAX_FAILED = 4096
"""Requests that are remembered as those that took too long."""

FIRST_PAUSE = 60.0
"""Seconds until a request that took too long is tried again; each failure doubles them."""

ABANDONED_SECONDS = 1.0
"""How long a request goes on for which nobody waits any more: a new process takes as long."""

LONGEST_PAUSE = 3600.0
"""The most seconds that they become."""

MAX_NAMED = 64
"""Games of which it is remembered what their moves are called."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Failure:
    """A request that took too long: the ``pause`` after it, and the instant at which it is over."""

    pause: float
    until: float


class Drawer:
    """Draws states one after the other, in its ``helper``, which is started by the first.

    Of what an ``asker`` wants, one request at a time waits for its turn, so that nobody has the
    process for long while others wait. An asker is the address of a viewer, and empty where a state
    is drawn for all who look. A request that took too long is not tried again for a while, as the
    machine may have been busy; others are. The process lets all others go before it, unless it
    draws ``for_person``, who waits to move. With ``for_archive`` it is ready for matches of an
    archive when it has started.
    """

    def __init__(
        self, clock: Clock = monotonic, *, for_person: bool = False, for_archive: bool = False
    ) -> None:
        self._clock = clock
        self._turn = asyncio.Lock()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        stderr = None if _log.isEnabledFor(logging.DEBUG) else DEVNULL
        uses = {drawing_process.FOR_PERSON: for_person, drawing_process.FOR_ARCHIVE: for_archive}
        command = helper_command(drawing_process.main, *(use for use in uses if uses[use]))
        self.helper = AsyncHelper(command, MAX_ANSWER, stderr=stderr)
        self._abandoned: asyncio.Task[Answer] | None = None
        self._failures: OrderedDict[int, _Failure] = OrderedDict()
        self._names: OrderedDict[NameMoves, MoveNames] = OrderedDict()

    async def warm_up(self) -> None:
        """Start the process, so that the first drawing need not wait for it."""
        async with self._turn:
            with suppress(OSError):  # the first drawing will say so
                await self.helper.start()

    async def draw(self, request: DrawingRequest, asker: str = "") -> tuple[Drawing, ...]:
        """Return what was asked for; nothing where it cannot be drawn, which is logged."""
        return (await self._asked(request, asker)).drawings

    async def position(self, request: DrawPosition, asker: str) -> tuple[ShownPosition, Drawing]:
        """Return a position and how it is drawn. Raises :class:`PositionError`, which says why."""
        answer = await self._asked(request, asker)
        if answer.position is None or not answer.drawings:
            raise PositionError(answer.refusal or "the rules are too hard for this position")
        return answer.position, answer.drawings[0]

    async def steps(self, request: RecordSteps, asker: str) -> str:
        """Return the steps of a search as JSON. Raises :class:`PositionError`, which says why."""
        answer = await self._asked(request, asker)
        if not answer.steps:
            raise PositionError(answer.refusal or "the rules are too hard for this position")
        return answer.steps

    async def game(self, request: FindGame, asker: str = "") -> tuple[GameFound, Drawing]:
        """Check a rulesheet; return the findings, and a drawing of the initial state if any.

        Raises :class:`UnplayableError` where that takes too long.
        """
        answer = await self._asked(request, asker)
        if answer.game is None:
            reason = f": {answer.error}" if answer.error else ""
            raise UnplayableError(f"the rules are too hard to be read here{reason}")
        return answer.game, answer.drawings[0] if answer.drawings else Drawing()

    async def names(self, rules: str, layout_file: str = "", asker: str = "") -> MoveNames:
        """Find names for the moves of a game; those of the rules remain where that fails."""
        request = NameMoves(rules, layout_file)
        if request not in self._names:
            found = (await self._asked(request, asker)).names
            if found is None:
                return MoveNames()
            self._names[request] = found
            if len(self._names) > MAX_NAMED:
                self._names.popitem(last=False)
        return self._names[request]

    async def _asked(self, request: DrawingRequest, asker: str) -> Answer:
        own_turn = self._turns.setdefault(asker, asyncio.Lock())
        async with own_turn:
            await self._turn.acquire()
            failure = self._failures.get(hash(request))
            if failure is not None and self._clock() < failure.until:
                self._turn.release()
                return Answer()
            answer = await self._answered(request)
        if answer.error:
            _log.warning("a state is not drawn: %s", answer.error)
        return answer

    async def close(self) -> None:
        """End the process."""
        if self._abandoned is not None:
            self._abandoned.cancel()
            await asyncio.gather(self._abandoned, return_exceptions=True)
        await self.helper.close()

    async def _answered(self, request: DrawingRequest) -> Answer:
        """Return the answer, which ends the turn.

        Where the caller is cancelled, the process is spared for the next one if it answers soon.
        """
        asking = asyncio.create_task(self._answer(request))
        asking.add_done_callback(lambda _: self._turn.release())
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:
            self._abandoned = asking
            asyncio.get_running_loop().call_later(ABANDONED_SECONDS, asking.cancel)
            raise

    async def _answer(self, request: DrawingRequest) -> Answer:
        try:
            line = await self.helper.ask(encode(request), DRAWING_SECONDS)
            answer = ANSWERS.validate_json(line)
        except (OSError, ValueError) as error:
            self._put_off(request)
            return Answer(error=f"the process that draws {_reason(error)}")
        if answer.is_too_hard:
            self._put_off(request)
        else:
            self._failures.pop(hash(request), None)
        return answer

    def _put_off(self, request: DrawingRequest) -> None:
        """Have a request that took too long wait, each time for longer."""
        before = self._failures.pop(hash(request), None)
        pause = FIRST_PAUSE if before is None else min(2 * before.pause, LONGEST_PAUSE)
        self._failures[hash(request)] = _Failure(pause, self._clock() + pause)
        if len(self._failures) > MAX_FAILED:
            self._failures.popitem(last=False)


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"has not answered for {DRAWING_SECONDS:g} s"
    return f"has failed: {type(error).__name__}"
