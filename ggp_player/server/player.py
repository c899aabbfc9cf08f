"""The player: a request's text in, the reply's text out.

This is the whole player without the network. :mod:`ggp_player.server.http` passes on what arrives;
a game manager in the same process may talk to it directly::

    async with Player(Config(strategy="minimax")) as player:
        print(await player.reply("( INFO )"))

The protocol's :mod:`lifecycle <ggp_player.protocol.lifecycle>` decides what to do about a request,
and a :class:`~.match_session.MatchSession` for each match does it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from types import TracebackType

from ggp_player.clock import Clock, monotonic
from ggp_player.errors import ProtocolError
from ggp_player.move_service import Health, MoveService, Pool, Setup
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
"""Characters from which on a message is parsed in a thread, so that other requests go on."""

_log = logging.getLogger(__name__)


class Player:
    """Plays any number of matches, at most ``config.max_matches`` at a time.

    ``on_illegal_choice`` gets each choice of a strategy that is replaced, as it is no legal move.
    ``health`` is of all matches together.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock = monotonic,
        on_illegal_choice: Callable[[str], None] = lambda move: None,
    ) -> None:
        self.config = config
        self.health = Health()
        self._on_illegal_choice = on_illegal_choice
        self._clock = clock
        self._margin = Margin(config.margin)
        self._pool = Pool(config.spares, config.memory_limits)
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
        """Answer open requests at once, end every match, and wait until no process is left."""
        self._is_closing = True
        for session in self._sessions.values():
            session.close_soon()
        while self._tasks:
            await asyncio.wait(self._tasks)
        for session in list(self._sessions.values()):
            await session.end()
        self._sessions.clear()
        await self._pool.close()

    async def reply(self, text: str) -> str:
        """Reply to a request that comes from this process."""
        deadline = self.new_deadline()
        reply = await self.reply_in_time(text, deadline)
        deadline.reply_sent()
        return reply

    def new_deadline(self, round_trip: float = 0.0) -> ReplyDeadline:
        """Start the deadline of a request that arrives now; ``round_trip`` is in seconds."""
        return ReplyDeadline(self._margin, self._clock, round_trip)

    async def reply_in_time(self, text: str, deadline: ReplyDeadline) -> str:
        """Reply to a request. The reply to one that cannot be understood says what is wrong.

        The caller tells the deadline when the reply is sent. Cancelling the wait for the reply
        does not cancel what the request has begun.
        """
        task = asyncio.create_task(self._reply(text, deadline))
        self._keep(task)
        return await asyncio.shield(task)

    async def _reply(self, text: str, deadline: ReplyDeadline) -> str:
        try:
            request = await self._parse(text)
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
                return await self._reply_in_match(request, deadline)

    async def _parse(self, text: str) -> Request:
        if len(text) < LONG_MESSAGE:
            return parse_request(text)
        return await asyncio.to_thread(parse_request, text)

    async def _reply_in_match(self, request: MatchRequest, deadline: ReplyDeadline) -> str:
        if self._is_closing and isinstance(request, Start):
            return BUSY
        match, outcome = self._matches.receive(request)
        if match is None or outcome is Outcome.BUSY:
            return BUSY
        session = self._session(match)
        match request:
            case Start():
                return _as_line(await session.start(deadline))
            case Play() if outcome is Outcome.REPEAT:
                return await session.play_again()
            case Play():
                return await session.play(request, deadline)
            case Stop():
                self._forget(session)
                await session.stop(request)
                return DONE
            case Abort():
                self._forget(session)
                await session.end()
                return ABORTED

    def _session(self, match: Match) -> MatchSession:
        """The match's session; it is dropped unless another request comes in time."""
        session = self._sessions.get(match.match_id)
        if session is None:
            seed = f"{self.config.seed} {match.match_id} {match.start.role}"
            config = self.config
            setup = Setup(
                match.start, config.strategy, seed, config.ponder, self._on_illegal_choice
            )
            session = MatchSession(match, MoveService(setup, self._pool), self._clock)
            self._sessions[match.match_id] = session
        if self._is_closing:
            session.close_soon()
        session.watch(self.config.idle_limit, lambda: self._drop(session))
        return session

    def _drop(self, session: MatchSession) -> None:
        _log.warning("match %s: no request for too long, dropped", session.match.match_id)
        self._matches.expire(session.match)
        self._forget(session)
        self._keep(asyncio.create_task(session.end()))

    def _forget(self, session: MatchSession) -> None:
        del self._sessions[session.match.match_id]

    def _keep(self, task: asyncio.Task[str] | asyncio.Task[None]) -> None:
        """Keep a task until it is done, so that closing can wait for it."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _as_line(text: str) -> str:
    """The first line of a text in ASCII: managers take Content-Length for characters."""
    return text.splitlines()[0].encode("ascii", "backslashreplace").decode()
