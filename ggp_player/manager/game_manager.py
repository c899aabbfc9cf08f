"""The game manager: it runs one match between players, and holds them to the rules and the clocks.

A match runs as with ggp-base's manager. START goes to all players at once; as soon as all have
answered, or the start clock has run out, the first PLAY follows, and the next one as soon as all
have moved, or the play clock has run out. A move that is illegal, late or missing is replaced by a
random legal one, and recorded as an error. The manager itself moves for the role ``random``. At the
end players get STOP, or ABORT if the match is broken off.

Clocks are the same for all players: they run from the instant at which the last byte of a request
has gone to the system until the last byte of the reply has come. What passes before, connecting
and sending, is the manager's time; it is recorded beside the player's.

All randomness comes from the seed, in separate streams for chance, for replaced moves and for
scrambled words: a late reply in one match does not change the dice of the next.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import gdl
from gdl import Constant, Ruleset, State, StateMachine, Term
from gdl.language import RANDOM_ROLE, Scrambler, moves_by_chance
from ggp_player.clock import Clock, monotonic
from ggp_player.errors import MatchError, ServerError
from ggp_player.events import EventBus, StepMade
from ggp_player.manager.mailboxes import PolledPlayer
from ggp_player.manager.match_telling import MatchTelling
from ggp_player.manager.players import LocalPlayer, MatchPlayer, RemotePlayer
from ggp_player.protocol import (
    CONNECTION_ERROR,
    ILLEGAL,
    TIMEOUT,
    Dialect,
    LastStep,
    MatchRecord,
    SeatMessages,
    move_texts,
    spaced,
    state_text,
)

PLAY_GRACE = 1.0
"""Seconds that a move may take beyond the play clock. The start clock has no such grace."""

ABORT_LIMIT = 1.0
"""Seconds to wait for replies to ABORT."""

SEND_LIMIT = 10.0
"""Seconds for connecting to a player and sending it a request, before its clock runs."""

_LONGEST_ILLEGAL = 200
"""The most characters of an illegal reply that are recorded."""

_log = logging.getLogger(__name__)


def game_name(rulesheet: Path) -> str:
    """The name of a rulesheet's file, with only the characters that match ids may have."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", rulesheet.stem)


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """The settings of a match. Clocks are in seconds, ``start_time`` in milliseconds since 1970.

    ``events`` is where the match tells what happens in it.
    """

    ruleset: Ruleset
    match_id: str
    start_clock: int
    play_clock: int
    seed: int = 0
    scramble: bool = False
    start_time: int = 0
    rulesheet_url: str = ""
    events: EventBus = field(default_factory=EventBus, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
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
    """A state of the match and what led to it: the start (number 0) or a joint move.

    ``errors``, ``seconds`` and ``overheads`` have one entry per role: what went wrong, how long
    the reply took, and how long it took to send the request before that.
    """

    number: int
    joint_move: tuple[Term, ...]
    errors: tuple[str, ...]
    seconds: tuple[float, ...]
    state: State
    time: int
    """Milliseconds since 1970."""
    overheads: tuple[float, ...] = ()
    percepts: tuple[tuple[Term, ...], ...] = ()
    """What each role sees of the joint move; empty where no player is told that."""


class _Stopwatch:
    """The clock of one request: it runs from ``start`` on, and ends ``timeout`` at the limit."""

    def __init__(self, clock: Clock, limit: float) -> None:
        self.timeout: asyncio.Timeout | None = None
        self._clock = clock
        self._limit = limit
        self._created = clock()
        self._started: float | None = None

    @property
    def is_running(self) -> bool:
        """Whether the request was sent."""
        return self._started is not None

    def start(self) -> None:
        """Take the time, as the request has been sent."""
        self._started = self._clock()
        if self.timeout is not None and not self.timeout.expired():
            self.timeout.reschedule(asyncio.get_running_loop().time() + self._limit)

    def times(self) -> tuple[float, float]:
        """Return the seconds since the start, and those before it."""
        now = self._clock()
        started = now if self._started is None else self._started
        return now - started, started - self._created


class GameManager:
    """Runs one match.

    ``players`` take the roles in role order, except the role ``random``. The constructor computes
    the initial state, which can take seconds in a large game; it raises :class:`MatchError` if the
    number of players is wrong.
    """

    def __init__(
        self,
        setup: MatchSetup,
        machine: StateMachine,
        players: Sequence[MatchPlayer],
        on_step: Callable[[MatchStep], None] = lambda _: None,
        clock: Clock = monotonic,
    ) -> None:
        self.setup = setup
        self.seats = seats(machine.roles, players)
        self.goals: tuple[int | None, ...] = ()
        """One per role once the match is over; None if the rules give none."""
        self._machine = machine
        self._on_step = on_step
        self._clock = clock
        self._began = clock()
        self._chance = Random(f"chance {setup.seed}")
        self._replacements = Random(f"replacements {setup.seed}")
        self._scrambler = _scrambler(setup)
        hides = setup.ruleset.has_percepts
        dialects = {role: _dialect(seat, hides) for role, seat in self.seats.items()}
        self._messages = SeatMessages(setup.match_id, setup.ruleset, dialects, self._scrambler)
        nothing = ("",) * len(self.seats)
        times = (0.0,) * len(self.seats)
        self._steps = [MatchStep(0, (), nothing, times, machine.initial_state(), setup.start_time)]
        self._aborted = False
        self._telling = MatchTelling(setup.events, [str(role) for role in machine.roles])

    async def run(self) -> MatchRecord:
        """Play the match to its end, tell the players, and return its record."""
        await self.play()
        await self.stop()
        return self.record()

    async def play(self) -> None:
        """Play the match until it is over; the players have not been told then.

        Before any exception is passed on, cancellation included, the players get ABORT.
        """
        rules = spaced(str(self.setup.ruleset))
        self._telling.started(self.record(), rules, self._original_words())
        try:
            await self._start()
            while legal_moves := await asyncio.to_thread(self._legal_moves):
                await self._step(legal_moves)
            self.goals = await asyncio.to_thread(self._final_goals)
        except BaseException as error:
            self._aborted = True
            self._telling.aborted(error)
            await self._ask(self._messages.aborts(self._last_step()), ABORT_LIMIT)
            raise
        self._telling.completed(self.goals)

    async def stop(self) -> None:
        """Send the players STOP: the match is over."""
        await self._ask(self._messages.stops(self._last_step()), self.setup.play_clock)

    def record(self) -> MatchRecord:
        """Return the record of the match so far."""
        steps, setup = self._steps, self.setup
        names = tuple(seat.name if seat else RANDOM_ROLE for seat in self.seats.values())
        return MatchRecord(
            match_id=setup.match_id,
            start_time=setup.start_time,
            start_clock=setup.start_clock,
            play_clock=setup.play_clock,
            player_names_from_host=names,
            states=tuple(state_text(step.state) for step in steps),
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
        errors = tuple(reply.error for reply in replies)
        seconds = tuple(reply.seconds for reply in replies)
        overheads = tuple(reply.overhead for reply in replies)
        self._steps[0] = replace(
            self._steps[0], errors=errors, seconds=seconds, overheads=overheads
        )
        self._tell_step()

    async def _step(self, legal_moves: Sequence[tuple[Term, ...]]) -> None:
        """Ask every player for a move and make the joint move."""
        requests = self._messages.plays(self._last_step())
        replies = await self._ask(requests, self.setup.play_clock + PLAY_GRACE)
        decided = [
            self._decide(role, *one)
            for role, one in enumerate(zip(replies, legal_moves, strict=True))
        ]
        joint_move = tuple(move for move, _ in decided)
        errors = tuple(error for _, error in decided)
        seconds = tuple(reply.seconds for reply in replies)
        after, percepts = await asyncio.to_thread(self._advance, joint_move)
        overheads = tuple(reply.overhead for reply in replies)
        number = len(self._steps)
        self._steps.append(
            MatchStep(number, joint_move, errors, seconds, after, self._now(), overheads, percepts)
        )
        self._tell_step()

    def _advance(self, joint_move: tuple[Term, ...]) -> tuple[State, tuple[tuple[Term, ...], ...]]:
        """Return the state after a joint move, and what each role sees if players are told."""
        machine, before = self._machine, self._steps[-1].state
        after = machine.next_state(before, joint_move)
        if not self._messages.needs_percepts:
            return after, ()
        return after, tuple(machine.percepts(before, joint_move, role) for role in self.seats)

    def _last_step(self) -> LastStep:
        last = self._steps[-1]
        return LastStep(last.number, last.joint_move, last.percepts)

    def _tell_step(self) -> None:
        """Tell all who want to know the last step, which ``on_step`` may break the match off at."""
        step = self._steps[-1]
        self._telling.step_made(
            StepMade(
                match="",
                time=step.time,
                step=step.number,
                joint_move=move_texts(step.joint_move),
                errors=step.errors,
                seconds=step.seconds,
                state=state_text(step.state),
            )
        )
        self._on_step(step)

    def _decide(self, role: int, reply: Reply, legal: Sequence[Term]) -> tuple[Term, str]:
        """Return a role's move, with the error if it is not the player's own."""
        if tuple(self.seats.values())[role] is None:
            return self._chance.choice(legal), ""
        move, error = self._judge(role, reply, legal)
        return (self._replacements.choice(legal) if move is None else move), error

    def _judge(self, role: int, reply: Reply, legal: Sequence[Term]) -> tuple[Term | None, str]:
        """Return the move in a reply, None if there is no legal one, and what is wrong with it."""
        if reply.error:
            return None, reply.error
        try:
            move = self._messages.move(role, reply.text)
        except gdl.GdlSyntaxError:
            return None, f"{ILLEGAL} {_printable(reply.text)}"
        if move not in legal:
            return None, f"{ILLEGAL} {_printable(str(move))}"
        if reply.illegal_choice is not None:
            return move, f"{ILLEGAL} {_printable(reply.illegal_choice)}"
        return move, ""

    async def _ask(self, requests: Sequence[str], limit: float) -> list[Reply]:
        """Send each role its request, all at once, and return the replies in role order."""
        pairs = zip(self.seats.values(), requests, strict=True)
        return await asyncio.gather(*(self._reply(seat, text, limit) for seat, text in pairs))

    async def _reply(self, seat: MatchPlayer | None, request: str, limit: float) -> Reply:
        if seat is None:
            return Reply()
        text = error = ""
        watch = _Stopwatch(self._clock, limit)
        try:
            async with asyncio.timeout(SEND_LIMIT) as watch.timeout:
                text = await self._send(seat, request, watch.start)
        except TimeoutError:
            error = TIMEOUT if watch.is_running else CONNECTION_ERROR
        except ServerError as reason:
            _log.info("%s", reason)
            error = CONNECTION_ERROR
        seconds, overhead = watch.times()
        illegal = seat.take_illegal_choice() if isinstance(seat, LocalPlayer) else None
        late = TIMEOUT if seconds > limit else ""
        return Reply(text, error or late, seconds, overhead, illegal)

    async def _send(self, seat: MatchPlayer, text: str, on_sent: Callable[[], None]) -> str:
        """Send a request, and call ``on_sent`` when the player can begin to think."""
        if isinstance(seat, RemotePlayer | PolledPlayer):
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

    def _legal_moves(self) -> tuple[tuple[Term, ...], ...]:
        """Return every role's legal moves; nothing if the match is over."""
        state = self._steps[-1].state
        if self._machine.is_terminal(state):
            return ()
        for role in self.seats:
            if not self._machine.legal_moves(state, role):
                step = len(self._steps)
                raise MatchError(f"the rules give {role} no legal move for step {step}")
        return tuple(self._machine.legal_moves(state, role) for role in self.seats)

    def _final_goals(self) -> tuple[int | None, ...]:
        state = self._steps[-1].state
        return tuple(self._machine.goal(state, role) for role in self.seats)


def seats(
    roles: Sequence[Constant], players: Sequence[MatchPlayer]
) -> dict[Constant, MatchPlayer | None]:
    """Assign players to roles, in role order; None, the manager, plays the role ``random``.

    Raises :class:`MatchError` if the number of players is wrong.
    """
    check_seats(roles, len(players))
    waiting = iter(players)
    return {role: None if moves_by_chance(role) else next(waiting) for role in roles}


def check_seats(roles: Sequence[Constant], players: int) -> None:
    """Raise :class:`MatchError` unless there are as many players as roles that players take."""
    free = [role for role in roles if not moves_by_chance(role)]
    if len(free) != players:
        named = ", ".join(map(str, free))
        plural = "" if len(free) == 1 else "s"
        problem = f"the game needs {len(free)} player{plural} ({named}), given {players}"
        chance = " (nobody is assigned to random)" if len(free) < len(roles) else ""
        raise MatchError(problem + chance)


def _dialect(seat: MatchPlayer | None, hides: bool) -> Dialect | None:
    """The dialect of a seat; a player in this process is told no more than its role may know."""
    if seat is None:
        return None
    if isinstance(seat, RemotePlayer | PolledPlayer):
        return seat.dialect
    is_ours = isinstance(seat, LocalPlayer)
    return Dialect.DRESDEN_TURNS if hides and is_ours else Dialect.GGP_BASE


def _scrambler(setup: MatchSetup) -> Scrambler | None:
    if not setup.scramble:
        return None
    return Scrambler.of(setup.ruleset, Random(f"words {setup.seed}"))


def _printable(text: str) -> str:
    """Make one short line without control characters of an untrusted text."""
    line = "".join(c if c.isprintable() else " " for c in text[: 2 * _LONGEST_ILLEGAL])
    return " ".join(line.split())[:_LONGEST_ILLEGAL]
