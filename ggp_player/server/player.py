"""The player: a request's text in, the reply's text out.

This is the whole player but for the network. The server hands it what arrives over HTTP; a game
manager in the same process may talk to it directly::

    async with Player(Config(strategy="minimax")) as player:
        print(await player.reply("( INFO )"))

:mod:`ggp_player.protocol.lifecycle` decides what is to be done about a request, :mod:`ggp_player.move_service.service`
finds the moves; here the two come together with the clocks.
"""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType

from ggp_player.clock import Clock, monotonic
from ggp_player.errors import ProtocolError
from ggp_player.move_service import MoveService, Pool, Setup
from ggp_player.protocol import (
    ABORTED,
    BUSY,
    DONE,
    NIL,
    READY,
    Abort,
    Info,
    InfoReply,
    Match,
    Matches,
    MatchRequest,
    Outcome,
    Ping,
    Play,
    Preview,
    Request,
    Start,
    Stop,
    format_info_reply,
    parse_request,
)
from ggp_player.server.config import Config
from ggp_player.server.match_session import MatchSession
from ggp_player.server.reply_deadline import Margin, ReplyDeadline

LONG_MESSAGE = 2**16
"""Characters from which on a message is read in a thread, so that other requests go on."""

_log = logging.getLogger(__name__)


class Player:
    """Plays any number of matches, at most ``config.max_matches`` at a time."""

    def __init__(self, config: Config, clock: Clock = monotonic) -> None:
        self.config = config
        self._clock = clock
        self._margin = Margin(config.margin)
        self._pool = Pool(config.spares, config.memory_limit * 2**20)
        self._matches = Matches(config.max_matches)
        self._sessions: dict[str, MatchSession] = {}
        self._is_closing = False
        self._tasks: set[asyncio.Task[str] | asyncio.Task[None]] = set()

    async def __aenter__(self) -> Player:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Start the spare processes."""
        await self._pool.start()

    async def close(self) -> None:
        """Answer what is open at once, end every match, and wait until all processes are gone."""
        self._is_closing = True
        for session in self._sessions.values():
            session.rush()
        while self._tasks:
            await asyncio.wait(self._tasks)
        for session in list(self._sessions.values()):
            await session.end()
        self._sessions.clear()
        await self._pool.close()

    async def reply(self, text: str) -> str:
        """Return the reply to a request that comes from this process."""
        stopwatch = self.stopwatch()
        reply = await self.reply_in_time(text, stopwatch)
        stopwatch.stop()
        return reply

    def stopwatch(self, round_trip: float = 0.0) -> ReplyDeadline:
        """Return a stopwatch for a request that arrives now, from so many seconds away."""
        return ReplyDeadline(self._margin, self._clock, round_trip)

    async def reply_in_time(self, text: str, stopwatch: ReplyDeadline) -> str:
        """Return the reply to a request. One that cannot be understood is told what is wrong.

        The caller stops the stopwatch when the reply is sent. Whoever stops waiting for the reply
        does not stop what the request has begun.
        """
        task = asyncio.create_task(self._reply(text, stopwatch))
        self._keep(task)
        return await asyncio.shield(task)

    async def _reply(self, text: str, stopwatch: ReplyDeadline) -> str:
        try:
            request = await self._read(text)
        except ProtocolError as error:
            return _as_line(f"error: {error}")
        match request:
            case Info():
                status = "busy" if self._matches.are_full else "available"
                return format_info_reply(InfoReply(self.config.name, status))
            case Ping():
                return NIL.lower() if self._matches.are_full else READY
            case Preview():
                return BUSY if self._matches.are_full else READY
            case _:
                return await self._reply_in_match(request, stopwatch)

    async def _read(self, text: str) -> Request:
        if len(text) < LONG_MESSAGE:
            return parse_request(text)
        return await asyncio.to_thread(parse_request, text)

    async def _reply_in_match(self, request: MatchRequest, stopwatch: ReplyDeadline) -> str:
        if self._is_closing and isinstance(request, Start):
            return BUSY
        match, outcome = self._matches.receive(request)
        if match is None or outcome is Outcome.BUSY:
            return BUSY
        session = self._session(match)
        match request:
            case Start():
                return _as_line(await session.start(stopwatch))
            case Play() if outcome is Outcome.REPEAT:
                return await session.play_again()
            case Play():
                return await session.play(request, stopwatch)
            case Stop():
                self._forget(session)
                await session.stop(request)
                return DONE
            case Abort():
                self._forget(session)
                await session.end()
                return ABORTED

    def _session(self, match: Match) -> MatchSession:
        """Return the match's session, which must hear of the game manager again in time."""
        session = self._sessions.get(match.match_id)
        if session is None:
            seed = f"{self.config.seed} {match.match_id} {match.start.role}"
            setup = Setup(match.start, self.config.strategy, seed, self.config.ponder)
            executor = MoveService(setup, self._pool)
            session = MatchSession(match, executor, self._clock)
            self._sessions[match.match_id] = session
        if self._is_closing:
            session.rush()
        session.watch(self.config.idle_limit, lambda: self._drop(session))
        return session

    def _drop(self, session: MatchSession) -> None:
        _log.warning("match %s: not heard of for too long, dropped", session.match.match_id)
        self._matches.expire(session.match)
        self._forget(session)
        self._keep(asyncio.create_task(session.end()))

    def _forget(self, session: MatchSession) -> None:
        del self._sessions[session.match.match_id]

    def _keep(self, task: asyncio.Task[str] | asyncio.Task[None]) -> None:
        """Hold on to a task until it is done, so that closing can wait for it."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _as_line(text: str) -> str:
    """Return the first line of a text in ASCII: managers count characters where they send bytes."""
    return text.splitlines()[0].encode("ascii", "backslashreplace").decode()
