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
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace

from gdl.language import Notation
from ggp_player.clock import Clock, monotonic
from ggp_player.errors import ProtocolError
from ggp_player.events import EventBus, History, MatchPublisher, MatchStarted
from ggp_player.logs import RequestLog, enter_match, shown
from ggp_player.metrics import Metrics
from ggp_player.protocol import (
    ABORTED,
    BUSY,
    DONE,
    NIL,
    READY,
    Abort,
    Beginning,
    Event,
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
    beginning_of,
    notation_of_message,
    parse_move,
    parse_request,
    reply_syntax,
)
from ggp_player.server.config import Config
from ggp_player.server.match_journal import JournalFolder, StoredMatch
from ggp_player.server.match_session import MatchSession
from ggp_player.server.reply_deadline import CLOSING_LIMIT, Margin, ReplyDeadline, silence_limit
from ggp_player.worker.health import Health
from ggp_player.worker.pool import Pool, TakeWorker
from ggp_player.worker.service import MoveService
from ggp_player.worker.supervisor import Setup

LONG_MOVES = 256
"""Characters from which on a message with moves is parsed in a thread: each can take 30 us."""

LONG_RULES = 2**14
"""Characters from which on a message with rules is, of which only the parentheses are parsed."""

UTF_8 = "utf-8"
LATIN_1 = "latin-1"

_REFUSED = "refused"
"""The kind of a request that is answered ``busy`` unread, in the metrics."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Message:
    """What was received, in which encoding, and from whom; empty means from this process.

    ``sender`` is whose matches it may change, ``peer`` only for people to read. ``on_admitted`` is
    called when it turns out to be of a match that the sender may change.
    """

    text: str
    encoding: str = UTF_8
    sender: str = ""
    peer: str = ""
    on_admitted: Callable[[], None] = field(default=lambda: None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is to be sent; in a match the encoding is that of its rules."""

    text: str
    encoding: str = UTF_8

    def __bytes__(self) -> bytes:
        return self.text.encode(self.encoding, "backslashreplace")


class Player:
    """Plays any number of matches, at most ``config.max_matches`` at a time.

    ``on_illegal_choice`` gets each choice of a strategy that is replaced, as it is no legal move.
    ``health`` and ``metrics`` are of all matches together. ``drained`` is set when the player
    accepts no more matches, and has none. ``events`` tells what happens in the matches. What is
    drawn at random differs from match to match, by their ids; not for a player ``of_one_match``, as
    the id may have the time in it.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock = monotonic,
        on_illegal_choice: Callable[[str], None] = lambda move: None,
        events: EventBus | None = None,
        *,
        of_one_match: bool = False,
    ) -> None:
        self.config = config
        self.events = events or EventBus()
        self._of_one_match = of_one_match
        self.health = Health()
        self._on_illegal_choice = on_illegal_choice
        self._clock = clock
        self._margin = Margin(config.margin)
        self.metrics = Metrics()
        self.drained = asyncio.Event()
        self.is_draining = False
        self._requests = RequestLog(clock)
        self._pool = Pool(config.spares, config.memory_limits, self.metrics, self.health)
        self._matches = Matches(config.max_matches)
        self._sessions: dict[str, MatchSession] = {}
        self._journals: JournalFolder | None = None
        self._is_closing = False
        self._tasks: set[asyncio.Task[Reply] | asyncio.Task[None]] = set()
        self._threads = ThreadPoolExecutor(2, "parse")
        self._rules_turn = asyncio.Semaphore(1)  # so that a thread is left for moves
        self._being_parsed: dict[tuple[str, str], asyncio.Event] = {}
        self.events.call_on_interest(self._watch_searches)
        pool, matches = self._pool, self._matches
        self.metrics.watch(lambda: len(matches), lambda: pool.resident_memory)

    async def __aenter__(self) -> Player:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def free_seats(self) -> int:
        """How many matches could begin now."""
        return 0 if self.is_draining or self._is_closing else self._matches.free

    @property
    def has_matches(self) -> bool:
        """Whether a match is being played."""
        return len(self._matches) > 0

    @property
    def background_workers(self) -> TakeWorker:
        """What starts workers of low priority, for what is no match."""
        return self._pool.launch_in_background

    async def start(self) -> None:
        """Start the spare processes, and go on with the matches that a killed server has left.

        Raises :class:`ServerError` where the state folder cannot be used.
        """
        if self.config.state_dir is not None:
            self._journals = JournalFolder(self.config.state_dir)
        await self._pool.start()
        await self._resume_matches()
        if self.config.drain:
            self.drain()

    def drain(self) -> None:
        """Play the running matches to their ends, and accept no more."""
        if not self.is_draining:
            _log.info("draining: %d matches are finished, no more begin", len(self._matches))
        self.is_draining = True
        self._note_if_drained()

    async def close(self) -> None:
        """Answer open requests at once, end the processes, and wait until none is left.

        Matches that have journals can go on when the server is started again.
        """
        self._is_closing = True
        self.events.call_no_more(self._watch_searches)
        for session in self._sessions.values():
            session.close_soon()
        await self._finish_tasks()
        for session in list(self._sessions.values()):
            await session.suspend()
        self._sessions.clear()
        await self._pool.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._journals is not None:
            self._journals.close()

    async def _finish_tasks(self) -> None:
        """Let open requests be answered, and cancel those that take too long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_LIMIT):
                while self._tasks:
                    await asyncio.wait(self._tasks)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _resume_matches(self) -> None:
        if self._journals is None:
            return
        stored = await asyncio.to_thread(
            self._journals.stored_matches, self.config.max_matches, self._silence_limit
        )
        await asyncio.gather(*(self._resume(match) for match in stored))

    async def _resume(self, stored: StoredMatch) -> None:
        start, history = stored.start, stored.history
        enter_match(start.match_id)
        _log.info("match %s: goes on after %d turns", shown(start.match_id), len(history))
        match = self._matches.resume(start, stored.owner)
        message = Message("", stored.encoding, stored.owner, stored.owner)
        await self._session(match, message, history).resume()

    async def reply(self, text: str) -> str:
        """Reply to a request that comes from this process."""
        deadline = self.new_deadline()
        reply = await self.reply_in_time(Message(text), deadline)
        deadline.reply_sent()
        return reply.text

    def new_deadline(
        self, round_trip: float = 0.0, waited: float = 0.0, unsure: float = 0.0
    ) -> ReplyDeadline:
        """Start the deadline of a request that came ``waited`` seconds ago, or ``unsure`` more."""
        on_sent = self.metrics.reply_sent
        return ReplyDeadline(self._margin, self._clock, round_trip, waited, unsure, on_sent)

    async def reply_in_time(
        self, message: Message, deadline: ReplyDeadline, peer: str = "here"
    ) -> Reply:
        """Reply to a request. The reply to one that cannot be understood says what is wrong.

        The caller tells the deadline when the reply is sent. Cancelling the wait for the reply
        does not cancel what the request has begun. ``peer`` is who asks, for the log.
        """
        task = asyncio.create_task(self._reply(replace(message, peer=peer), deadline))
        self._keep(task)
        return await asyncio.shield(task)

    async def _reply(self, message: Message, deadline: ReplyDeadline) -> Reply:
        began, peer = self._clock(), message.peer
        request: Request | None = None
        beginning = beginning_of(message.text)
        await self._start_is_parsed(message.sender, beginning)
        if self._is_for_nobody(message.sender, beginning):
            self.metrics.replies.labels(_REFUSED).inc()
            self._requests.note(peer, (message.text, BUSY), began, is_poll=False)
            return Reply(BUSY)
        if beginning.match_id and beginning.command in {"PLAY", "STOP", "ABORT"}:
            message.on_admitted()
        try:
            request = await self._parse(message, beginning)
        except ProtocolError as error:
            reply = Reply(_as_line(f"error: {error}"))
        else:
            reply = await self._reply_to(request, message, deadline)
        self.metrics.replies.labels(_kind(request)).inc()
        is_poll = isinstance(request, Info | Ping)
        self._requests.note(peer, (message.text, reply.text), began, is_poll=is_poll)
        return reply

    async def _reply_to(self, request: Request, message: Message, deadline: ReplyDeadline) -> Reply:
        if isinstance(request, MatchRequest):
            return await self._reply_in_match(request, message, deadline)
        is_busy = not self.free_seats
        match request:
            case Info():
                status = "busy" if is_busy else "available"
                syntax = reply_syntax(notation_of_message(message.text))
                return Reply(syntax.format_info_reply(InfoReply(self.config.name, status)))
            case Ping():
                return Reply(NIL.lower() if is_busy else READY)
            case Preview():
                return Reply(BUSY if is_busy else READY)

    def _is_for_nobody(self, sender: str, beginning: Beginning) -> bool:
        """Whether the reply is ``busy`` whatever else is in the message, which is not parsed then.

        So a request for a match that we do not play costs next to nothing, however long it is.
        """
        match beginning.command:
            case "START" | "PREVIEW":
                return not self.free_seats
            case "PLAY" | "STOP" | "ABORT" if beginning.match_id:
                return not self._matches.are_for(sender, beginning.match_id)
        return False

    async def _parse(self, message: Message, beginning: Beginning) -> Request:
        """Parse a message, a long one in a thread."""
        text = message.text
        has_rules = beginning.command in {"START", "PREVIEW"}
        if len(text) < (LONG_RULES if has_rules else LONG_MOVES):
            return parse_request(text)
        loop = asyncio.get_running_loop()
        if not has_rules:
            return await loop.run_in_executor(self._threads, parse_request, text)
        key = message.sender, beginning.match_id
        is_parsed = self._being_parsed.setdefault(key, asyncio.Event())
        try:
            async with self._rules_turn:
                return await loop.run_in_executor(self._threads, parse_request, text)
        finally:
            self._being_parsed.pop(key, None)
            is_parsed.set()

    async def _start_is_parsed(self, sender: str, beginning: Beginning) -> None:
        """Wait for a START that came before this request, if it is still being parsed."""
        is_parsed = self._being_parsed.get((sender, beginning.match_id))
        if is_parsed is not None and beginning.command != "START":
            await is_parsed.wait()

    async def _reply_in_match(
        self, request: MatchRequest, message: Message, deadline: ReplyDeadline
    ) -> Reply:
        if isinstance(request, Start) and (refusal := self._refusal_of(request)):
            return Reply(refusal)
        match, outcome = self._matches.receive(request, message.sender)
        if match is None or outcome is Outcome.BUSY:
            return Reply(BUSY)
        message.on_admitted()
        enter_match(match.match_id)
        session = self._session(match, message)
        text = await self._act(session, request, outcome, deadline)
        return Reply(_in_notation(request, text, match.start.notation), session.encoding)

    def _refusal_of(self, start: Start) -> str:
        """Why a START is refused, if it is."""
        if not self.free_seats:
            return BUSY
        most = self.config.max_clock
        if max(start.start_clock, start.play_clock) > most:
            return f"error: a clock is longer than {most} s, the most that is accepted here"
        return ""

    async def _act(
        self,
        session: MatchSession,
        request: MatchRequest,
        outcome: Outcome,
        deadline: ReplyDeadline,
    ) -> str:
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
                await session.end("aborted")
                return ABORTED

    def _session(
        self, match: Match, message: Message, history: History | None = None
    ) -> MatchSession:
        """The match's session; it is dropped unless another request comes in time.

        ``message`` is the one that a new session begins with; a match that goes on after a restart
        has a ``history``.
        """
        session = self._sessions.get(match.match_id)
        if session is None:
            session = self._new_session(match, message, history)
            self._sessions[match.match_id] = session
        if self._is_closing:
            session.close_soon()
        session.watch(self.config.idle_limit, lambda: self._drop(session))
        return session

    def _new_session(self, match: Match, message: Message, history: History | None) -> MatchSession:
        config = self.config
        events = self._publisher(match.start, message.peer, history)
        which = "" if self._of_one_match else match.match_id
        setup = Setup(
            match.start,
            config.strategy,
            f"{config.seed} {which} {match.start.role}",
            config.ponder,
            self._on_illegal_choice,
            self.health,
            history or (),
            self.metrics,
            events,
        )
        journal = None
        if self._journals is not None:
            journal = self._journals.journal(match.match_id, len(setup.history))
        moves = MoveService(setup, self._pool)
        session = MatchSession(match, moves, self._clock, journal, message.encoding)
        session.on_unplayable = lambda: self._give_up(session)
        return session

    def _publisher(self, start: Start, peer: str, history: History | None) -> MatchPublisher:
        """Tell that a match begins, and return what tells the rest."""
        events = MatchPublisher(self.events)
        events.started(
            MatchStarted(
                match_id=start.match_id,
                rules=start.rules,
                start_clock=start.start_clock,
                play_clock=start.play_clock,
                role=start.role,
                player=self.config.name,
                strategy=self.config.strategy,
                manager=peer,
                resumed=history is not None,
                history=history or (),
            )
        )
        return events

    def _watch_searches(self, are_watched: bool) -> None:
        """Have the searches report what they think, or no longer. Can be called in any thread."""
        for session in list(self._sessions.values()):
            session.watch_search(are_watched)

    def _silence_limit(self, start: Start) -> float:
        return silence_limit(start.start_clock, start.play_clock, self.config.idle_limit)

    def _give_up(self, session: MatchSession) -> None:
        """Free the seat of a match that cannot be played."""
        if self._sessions.get(session.match.match_id) is session:
            self._matches.end(session.match, Event.UNPLAYABLE)
            self._forget(session)
            self._keep(asyncio.create_task(session.end("unplayable")))

    def _drop(self, session: MatchSession) -> None:
        name = shown(session.match.match_id)
        _log.warning("match %s: no request for too long, dropped", name)
        self._matches.end(session.match, Event.SILENCE)
        self._forget(session)
        self._keep(asyncio.create_task(session.end("expired")))

    def _forget(self, session: MatchSession) -> None:
        del self._sessions[session.match.match_id]
        self._note_if_drained()

    def _note_if_drained(self) -> None:
        if self.is_draining and not self._sessions:
            self.drained.set()

    def _keep(self, task: asyncio.Task[Reply] | asyncio.Task[None]) -> None:
        """Keep a task until it is done, so that closing can wait for it."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _kind(request: Request | None) -> str:
    return "error" if request is None else type(request).__name__.lower()


def _in_notation(request: MatchRequest, text: str, notation: Notation) -> str:
    """A reply as it is written in a match of a notation: moves come in KIF."""
    if not isinstance(request, Play) or notation is Notation.KIF:
        return text
    return reply_syntax(notation).format_move(parse_move(text))


def _as_line(text: str) -> str:
    """The first line of a text in ASCII: managers take Content-Length for characters."""
    return text.splitlines()[0].encode("ascii", "backslashreplace").decode()
