"""The game manager: it runs one match between players, and holds them to the rules and the clocks.

A match runs as with ggp-base's manager. START goes to all players at once; as soon as all have
answered, or the start clock has run out, the first PLAY follows, and the next one as soon as all
have moved, or the play clock has run out. A move that is illegal, late or missing is replaced by a
random legal one, and recorded as an error. The manager itself moves for the role ``random``. At the
end players get STOP, or ABORT if the match is broken off.

Clocks are the same for all players: they run from the instant at which the last byte of a request
has gone to the system until the last byte of the reply has come. What passes before, connecting
and sending, is the manager's time; it is recorded beside the player's. What is the manager's own
fault (:mod:`.own_faults`) is never counted against a player: one that could not be asked is asked
again, and where that cannot be, the match is broken off with :class:`LackError`.

All randomness comes from the seed, in separate streams for chance, for replaced moves and for
scrambled words: a late reply in one match does not change the dice of the next.

A match can also be interrupted, by cancelling what asks, and then go back to an earlier step, or on
with other players: :meth:`GameManager.go_back`, :meth:`GameManager.change_seats`.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any
from urllib.parse import unquote, urlsplit

import gdl
from gdl import Constant, Ruleset, Term
from gdl.language import RANDOM_ROLE, Scrambler
from ggp_player.clock import Clock, monotonic
from ggp_player.errors import MatchError, ServerError
from ggp_player.events import EventBus, MatchPublisher, MatchStarted, StepMade, StepsTakenBack
from ggp_player.match_rules import MatchPosition, MatchRules
from ggp_player.match_runner.own_faults import LackError, SelfWatch, lack_in
from ggp_player.match_runner.players import (
    DistantPlayer,
    LocalPlayer,
    MatchPlayer,
    Seated,
    SeatedPlayer,
    dialect_of,
    seats,
)
from ggp_player.match_runner.stopwatch import Stopwatch
from ggp_player.protocol import (
    CONNECTION_ERROR,
    ILLEGAL,
    TIMEOUT,
    LastStep,
    MatchRecord,
    SeatMessages,
    move_texts,
    spaced,
)

PLAY_GRACE = 1.0
"""Seconds that a move may take beyond the play clock. The start clock has no such grace."""

ABORT_LIMIT = 1.0
"""Seconds to wait for replies to ABORT."""

ABORT_SECONDS = 3.0
"""Seconds for all of ABORT: a player that takes no connection does not hold up who breaks off."""

RETRY_PAUSES = (0.2, 0.5, 1.0, 2.0, 4.0, 4.0, 4.0)
"""Seconds before a player is asked again whom the manager could not ask for a lack of its own."""

_LONGEST_ILLEGAL = 200
"""The most characters of an illegal reply that are recorded."""

_FEW_WORDS = 50
"""A reply of so few words is parsed without counting those of the legal moves."""

_SEPARATORS = str.maketrans("(),", "   ")

_log = logging.getLogger(__name__)


def game_name(rulesheet: Path) -> str:
    """The name of a rulesheet's file, with only the characters that match ids may have."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", rulesheet.stem)


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """The settings of a match. Clocks are in seconds, ``start_time`` in milliseconds since 1970.

    ``events`` is where the match tells what happens in it. With ``repeats`` chance depends on the
    step alone: the same moves after going back lead to the same states.
    """

    ruleset: Ruleset
    match_id: str
    start_clock: int
    play_clock: int
    seed: int = 0
    scramble: bool = False
    start_time: int = 0
    rulesheet_url: str = ""
    repeats: bool = False
    events: EventBus = field(default_factory=EventBus, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PlayerReply:
    """A player's answer and the seconds that it took; ``error`` is as in match records.

    ``overhead`` are the seconds before the clock ran, for connecting and sending.
    ``illegal_choice`` is what a strategy here chose, if the player has replaced it.
    """

    text: str = ""
    error: str = ""
    seconds: float = 0.0
    overhead: float = 0.0
    illegal_choice: str | None = None


@dataclass(frozen=True, slots=True)
class MatchStep:
    """What led to a state of the match: the start (number 0) or a joint move.

    ``errors``, ``seconds`` and ``overheads`` have one entry per role: what went wrong, how long
    the reply took, and how long it took to send the request before that.
    """

    number: int
    joint_move: tuple[Term, ...]
    errors: tuple[str, ...]
    seconds: tuple[float, ...]
    time: int
    """Milliseconds since 1970."""
    overheads: tuple[float, ...] = ()
    percepts: tuple[tuple[Term, ...], ...] = ()
    """What each role sees of the joint move; empty where no player is told that."""


class GameManager:
    """Runs one match.

    Of the match it keeps the steps, and of its states only what can be done in the latest, which
    the ``rules`` tell. ``players`` take the roles in role order, except the role ``random``. The
    constructor computes the initial state, which can take seconds in a large game; it raises
    :class:`MatchError` if the number of players is wrong. ``own`` knows when the event loop does
    not run.
    """

    def __init__(
        self,
        setup: MatchSetup,
        rules: MatchRules,
        players: Sequence[MatchPlayer | SeatedPlayer],
        on_step: Callable[[MatchStep], None] = lambda _: None,
        clock: Clock = monotonic,
        own: SelfWatch | None = None,
    ) -> None:
        self.setup = setup
        self._own = own or SelfWatch(clock)
        self.seats = seats(rules.roles, players)
        self.goals: tuple[int | None, ...] = ()
        """One per role once the match is over; None if the rules give none."""
        self._rules = rules
        self.position = rules.begin()
        """What the rules say of the latest step."""
        self._on_step = on_step
        self._clock = clock
        self._began = clock()
        self._streams = {
            purpose: Random(f"{purpose} {setup.seed}") for purpose in ("chance", "replacements")
        }
        self._scrambler = _scrambler(setup)
        hides = setup.ruleset.has_percepts
        dialects = {role: dialect_of(seat, hides) for role, seat in self.seats.items()}
        self._messages = SeatMessages(setup.match_id, setup.ruleset, dialects, self._scrambler)
        nothing, times = ("",) * len(self.seats), (0.0,) * len(self.seats)
        self._last = MatchStep(0, (), nothing, times, setup.start_time)
        self.steps: list[MatchStep] = []
        """The steps so far, without percepts; none while START is not answered."""
        self._asked: list[asyncio.Task[PlayerReply]] = []
        self._aborted = False

    async def run(self) -> MatchRecord:
        """Play the match to its end, tell the players, and return its record."""
        await self.play()
        await self.stop()
        return self.record()

    async def play(self) -> None:
        """Play the match until it is over; the players have not been told then.

        Before any exception is passed on, cancellation included, the players get ABORT.
        """
        self.begin()
        try:
            await self.go_on()
        except BaseException as error:
            await self.abort(str(error) or type(error).__name__)
            raise

    def begin(self) -> None:
        """Tell that the match begins; no player is asked yet."""
        setup, record = self.setup, self._record(None)
        started = MatchStarted(
            match_id=setup.match_id,
            rules=spaced(str(setup.ruleset)),
            start_clock=setup.start_clock,
            play_clock=setup.play_clock,
            roles=move_texts(self._rules.roles),
            players=record.player_names_from_host,
            game=PurePosixPath(unquote(urlsplit(setup.rulesheet_url).path)).stem,
            rulesheet_url=setup.rulesheet_url,
            random_token=record.random_token,
            scrambled=setup.scramble,
            words=self._original_words(),
        )
        self._events = MatchPublisher(setup.events)
        self._events.started(started, setup.start_time)

    async def go_on(self) -> None:
        """Play from the latest step until the match is over; send START before the first one.

        When this is cancelled the match is as it was before the step, and can go on.
        """
        if not self.steps:
            await self._start()
        while not self.position.is_terminal:
            self._check_legal_moves()
            await self._step(self.position.legal)
        self.goals = self.position.goals
        roles = map(str, self._rules.roles)
        self._events.ended("completed", goals=dict(zip(roles, self.goals, strict=True)))

    async def abort(self, reason: str) -> None:
        """Break the match off, and send the players ABORT."""
        self._aborted = True
        self._events.ended("aborted", reason=reason)
        with suppress(TimeoutError):
            async with asyncio.timeout(ABORT_SECONDS):
                await self._notify(self._messages.aborts(self._last_step()), ABORT_LIMIT)

    @property
    def awaited(self) -> tuple[Constant, ...]:
        """The roles whose players have yet to reply."""
        asked = zip(self.seats, self._asked, strict=False)
        return tuple(role for role, reply in asked if not reply.done())

    @property
    def is_over(self) -> bool:
        """Whether the match has ended, or was broken off."""
        return bool(self.goals) or self._aborted

    def go_back(self, step: int, position: MatchPosition) -> None:
        """Take back the steps after one, which led to ``position``, also where the match is over.

        Only players at the table can follow. What was told as ended is told anew as another match.
        """
        was_over = self.is_over
        self.position, self.goals, self._aborted = position, (), False
        del self.steps[step + 1 :]
        self._last = self.steps[-1]
        if was_over:
            self.begin()
            for one in self.steps:
                self._tell(one)
        else:
            self._events.tell(StepsTakenBack(step=step))

    def change_seats(self, players: Sequence[MatchPlayer | SeatedPlayer]) -> None:
        """Go on with other players, who can follow only at the table; they are in role order."""
        self.seats = seats(self._rules.roles, players)

    async def stop(self) -> None:
        """Send the players STOP: the match is over."""
        await self._notify(self._messages.stops(self._last_step()), self.setup.play_clock)

    def record(self) -> MatchRecord:
        """Return the record of the match so far; asks the rules for the states, if it has any."""
        return self._record(self._rules.states())

    def _record(self, states: tuple[str, ...] | None) -> MatchRecord:
        """Return the record with these states; without any where some are missing."""
        steps, setup = self.steps or [self._last], self.setup
        known = () if states is None else states[: len(steps)]  # one may follow that is not taken
        names = tuple(seat.name if seat else RANDOM_ROLE for seat in self.seats.values())
        return MatchRecord(
            match_id=setup.match_id,
            start_time=setup.start_time,
            start_clock=setup.start_clock,
            play_clock=setup.play_clock,
            player_names_from_host=names,
            states=known if len(known) == len(steps) else (),
            states_left_out=len(known) < len(steps),
            state_times=tuple(step.time for step in steps),
            moves=tuple(move_texts(step.joint_move) for step in steps[1:]),
            errors=tuple(step.errors for step in steps),
            goal_values=tuple(goal or 0 for goal in self.goals),
            is_completed=bool(self.goals),
            is_aborted=self._aborted,
            scrambled=setup.scramble,
            random_token=f"{Random(f'token {setup.seed}').getrandbits(64):016x}",
            game_meta_url=setup.rulesheet_url,
            is_player_human=tuple(getattr(one, "is_human", False) for one in self.seats.values()),
        )

    async def _start(self) -> None:
        setup = self.setup
        clocks = setup.start_clock, setup.play_clock
        requests = await asyncio.to_thread(self._messages.starts, *clocks)
        replies = await self._ask(requests, setup.start_clock)
        self._take((), [reply.error for reply in replies], replies)

    async def _step(self, legal_moves: Sequence[Sequence[str]]) -> None:
        """Ask every player for a move and make the joint move."""
        requests = self._messages.plays(self._last_step())
        limit = self.setup.play_clock + PLAY_GRACE
        replies = await self._gather(
            _choice_of(seat)
            if isinstance(seat, SeatedPlayer)
            else self._reply_patiently(seat, text, limit)
            for seat, text in zip(self.seats.values(), requests, strict=True)
        )
        decided = [
            self._decide(role, *one)
            for role, one in enumerate(zip(replies, legal_moves, strict=True))
        ]
        joint_move = tuple(move for move, _ in decided)
        self.position, percepts = await asyncio.to_thread(self._advance, joint_move)
        self._take(joint_move, [error for _, error in decided], replies, percepts)

    def _advance(
        self, joint_move: tuple[Term, ...]
    ) -> tuple[MatchPosition, tuple[tuple[Term, ...], ...]]:
        """Make a joint move; return also the percepts of each role where players are told them."""
        position = self._rules.advance(joint_move)
        told = position.percepts if self._messages.needs_percepts else ()
        return position, tuple(tuple(map(gdl.parse_term, seen)) for seen in told)

    def _last_step(self) -> LastStep:
        last = self._last
        return LastStep(last.number, last.joint_move, last.percepts)

    def _take(
        self,
        joint_move: tuple[Term, ...],
        errors: Iterable[str],
        replies: Sequence[PlayerReply],
        percepts: tuple[tuple[Term, ...], ...] = (),
    ) -> None:
        """Record and tell a step, which ``on_step`` may break the match off at."""
        self._last = MatchStep(
            number := len(self.steps),
            joint_move,
            tuple(errors),
            tuple(reply.seconds for reply in replies),
            self._now() if number else self.setup.start_time,
            tuple(reply.overhead for reply in replies),
            percepts,
        )
        self.steps.append(replace(self._last, percepts=()))
        self._tell(self._last)
        self._on_step(self._last)

    def _tell(self, step: MatchStep) -> None:
        self._events.tell(
            StepMade(
                time=step.time,
                step=step.number,
                joint_move=move_texts(step.joint_move),
                errors=step.errors,
                seconds=step.seconds,
            )
        )

    def _decide(self, role: int, reply: PlayerReply, legal: Sequence[str]) -> tuple[Term, str]:
        """Return a role's move, with the error if it is not the player's own."""
        if tuple(self.seats.values())[role] is None:
            return self._random_move("chance", role, legal), ""
        move, error = self._judge(role, reply, legal)
        return self._random_move("replacements", role, legal) if move is None else move, error

    def _random_move(self, purpose: str, role: int, legal: Sequence[str]) -> Term:
        stream, setup = self._streams[purpose], self.setup
        if setup.repeats:
            name = self._rules.roles[role]
            stream = Random(f"{purpose} {setup.seed} {self._last.number} {name}")
        return gdl.parse_term(stream.choice(legal))

    def _judge(
        self, role: int, reply: PlayerReply, legal: Sequence[str]
    ) -> tuple[Term | None, str]:
        """Return the move in a reply, None if there is no legal one, and what is wrong with it."""
        if reply.error:
            return None, reply.error
        if _is_longer_than_any(reply.text, legal):
            return None, f"{ILLEGAL} {_printable(reply.text)}"
        try:
            move = self._messages.move(role, reply.text)
        except gdl.GdlSyntaxError:
            return None, f"{ILLEGAL} {_printable(reply.text)}"
        if str(move) not in legal:
            return None, f"{ILLEGAL} {_printable(str(move))}"
        if reply.illegal_choice is not None:
            return move, f"{ILLEGAL} {_printable(reply.illegal_choice)}"
        return move, ""

    async def _ask(self, requests: Sequence[str], limit: float) -> list[PlayerReply]:
        """Send each role its request, all at once, and return the replies in role order.

        Raises :class:`LackError` where one could not be sent for a lack of our own.
        """
        pairs = zip(self.seats.values(), requests, strict=True)
        return await self._gather(self._reply_patiently(seat, text, limit) for seat, text in pairs)

    async def _gather(self, asked: Iterable[Coroutine[Any, Any, PlayerReply]]) -> list[PlayerReply]:
        """Return the replies in role order; where one cannot be had, the others are cancelled."""
        self._asked = tasks = [asyncio.create_task(one) for one in asked]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _notify(self, requests: Sequence[str], limit: float) -> None:
        """Send each role what needs no reply; where that fails, it fails."""
        pairs = zip(self.seats.values(), requests, strict=True)
        told = (self._reply(seat, text, limit) for seat, text in pairs)
        await asyncio.gather(*told, return_exceptions=True)

    async def _reply_patiently(self, seat: Seated, request: str, limit: float) -> PlayerReply:
        """Return a reply; where nothing could be sent for a lack of our own, try it again."""
        for pause in (*RETRY_PAUSES, None):
            try:
                return await self._reply(seat, request, limit)
            except LackError as lack:
                self._own.note(lack.what)
                if lack.was_sent or pause is None:
                    raise
                await asyncio.sleep(pause)
        raise AssertionError("the last try returns or raises")

    async def _reply(self, seat: Seated, request: str, limit: float) -> PlayerReply:
        if seat is None or isinstance(seat, SeatedPlayer):
            return PlayerReply()
        text = error = ""
        watch = Stopwatch(self._clock, limit, self._own)
        try:
            async with watch:
                text = await self._send(seat, request, watch.start)
        except TimeoutError:
            error = TIMEOUT if watch.is_running else CONNECTION_ERROR
        except LackError:
            raise
        except (ServerError, OSError, MemoryError, RuntimeError) as reason:
            if what := lack_in(reason):
                raise LackError(what, was_sent=True) from reason
            if not isinstance(reason, ServerError):
                raise
            _log.debug("%s: %s", seat.name, reason)
            error = CONNECTION_ERROR
        seconds, overhead = watch.times()
        illegal = seat.take_illegal_choice() if isinstance(seat, LocalPlayer) else None
        late = TIMEOUT if seconds > limit else ""
        return PlayerReply(text, error or late, seconds, overhead, illegal)

    async def _send(self, seat: MatchPlayer, text: str, on_sent: Callable[[], None]) -> str:
        """Send a request, and call ``on_sent`` when the player can begin to think."""
        if isinstance(seat, DistantPlayer):
            return await seat.send(text, on_sent)
        on_sent()
        return await seat.send(text)

    def _original_words(self) -> dict[str, str]:
        """The word of the rules for each that the players know, if the match is scrambled."""
        if self._scrambler is None:
            return {}
        return {word.lower(): name for name, word in self._scrambler.words.items()}

    def _now(self) -> int:
        return self.setup.start_time + round(1000 * (self._clock() - self._began))

    def _check_legal_moves(self) -> None:
        """Raise :class:`MatchError` where a role has no legal move."""
        for role, legal in zip(self.seats, self.position.legal, strict=True):
            if not legal:
                step = self._last.number + 1
                raise MatchError(f"the rules give {role} no legal move for step {step}")


async def _choice_of(seat: SeatedPlayer) -> PlayerReply:
    try:
        return PlayerReply(await seat.choose())
    except TimeoutError:
        return PlayerReply(error=TIMEOUT)


def _scrambler(setup: MatchSetup) -> Scrambler | None:
    if not setup.scramble:
        return None
    return Scrambler.of(setup.ruleset, Random(f"words {setup.seed}"))


def _is_longer_than_any(reply: str, legal: Sequence[str]) -> bool:
    """Whether a reply has more words than any legal move: parsing it could take a second."""
    words = _count_words(reply)
    return words > _FEW_WORDS and words > max(map(_count_words, legal))


def _count_words(text: str) -> int:
    return len(text.translate(_SEPARATORS).split())


def _printable(text: str) -> str:
    """Make one short line without control characters of an untrusted text."""
    line = "".join(c if c.isprintable() else " " for c in text[: 2 * _LONGEST_ILLEGAL])
    return " ".join(line.split())[:_LONGEST_ILLEGAL]
