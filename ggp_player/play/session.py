"""A match of people against strategies, or against player servers, which they can take back.

The session asks everybody for a move of the step at the same time, makes the joint move, and so on.
Whatever a person does besides moving interrupts that, changes the match, and begins to ask anew.
Chance and replaced moves depend on the seed and the step alone, so that the same moves lead to the
same states again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, TypeAlias

from gdl import Constant, GdlError, Ruleset, StateMachine, Term
from gdl.language import RANDOM_ROLE, moves_by_chance
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import GgpPlayerError, PlayError
from ggp_player.events import (
    EventBus,
    MatchPublisher,
    MatchStarted,
    StepMade,
    Thoughts,
)
from ggp_player.play.engine import Engines, EngineSetup, RoleEngine
from ggp_player.play.match_line import MatchLine
from ggp_player.play.remote_opponents import RemoteOpponent, RemoteOpponents
from ggp_player.play.table import Advice, Shown, Table
from ggp_player.protocol import (
    TIMEOUT,
    MatchRecord,
    Start,
    move_texts,
    spaced,
    state_text,
)
from ggp_player.worker.health import Health
from ggp_player.worker.pool import Pool
from ggp_player.worker.warm_up_process import ensure_warm

HINT_SECONDS = 3.0
"""The longest search for a hint."""

HIDDEN = "a search knows more of this position than you may know"
"""Why people get no advice where information is hidden from them."""

HUMAN = "human"
"""What the records call a person."""

_log = logging.getLogger(__name__)


Opponent: TypeAlias = str | RemoteOpponent
"""A strategy, or a player server."""


@dataclass(frozen=True, slots=True)
class PlaySetup:
    """What a match is played with. Clocks are in seconds.

    ``opponents`` take the roles without a person, in role order; the last one takes the rest. With
    ``is_timed`` people are held to the play clock, too.
    """

    ruleset: Ruleset
    game: str
    persons: tuple[str, ...] = ()
    opponents: tuple[Opponent, ...] = ("auto",)
    start_clock: int = 5
    play_clock: int = 3
    is_timed: bool = False
    seed: int = 0
    ponder: bool = True
    rulesheet_url: str = ""
    events: EventBus = field(default_factory=EventBus, compare=False, repr=False)


class PlaySession(Table):
    """Runs the match while it is entered: ``async with PlaySession(setup, machine, pool)``.

    ``is_thinking`` says that people are shown what a search thinks. Raises :class:`PlayError` for a
    role that the game does not have.
    """

    def __init__(
        self,
        setup: PlaySetup,
        machine: StateMachine,
        pool: Pool,
        clock: WallClock = wall_clock,
        warm_up: Callable[[Health], Awaitable[None]] = ensure_warm,
    ) -> None:
        super().__init__(setup.ruleset, machine, _persons(machine, setup.persons), clock)
        self.setup = setup
        self.health = Health()
        self._pool = pool
        self._warm_up = warm_up
        self._engines = Engines(self._new_engine, clock)
        self._remotes = RemoteOpponents(setup.ruleset, machine.roles)
        self.is_thinking = False
        self._begun = clock()
        self._events = MatchPublisher(setup.events)
        self._lock = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None
        self._advising: asyncio.Task[None] | None = None
        self._thoughts = setup.events.subscribe("the table", on_news=self._take_thoughts)

    async def __aenter__(self) -> PlaySession:
        self._engines.warming = asyncio.create_task(self._warm())
        self._assign()
        self._publish_beginning()
        self._run()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Break the match off unless it is over, and end all processes."""
        await self._interrupt()
        self._end_match("the match was left")
        await self._remotes.say_goodbye(self.line)
        await self._engines.end_warming()
        self._thoughts.close()
        await self._engines.close()
        await self._pool.close()
        self.end_viewing()

    @property
    def actions(self) -> frozenset[str]:  # type: ignore[override]
        """What people can do now besides moving."""
        found = {"new"}
        if not self.is_veiled:
            found |= {"record"}
        if not self.is_over:
            found |= {"resign"}
        has_choice = any(True for role in self.persons if len(self.legal_moves(role)) > 1)
        if has_choice and self.knows_all:
            found |= {"hint", "think"}
        is_local = all(isinstance(one, str) for one in self.setup.opponents)
        if self.line.number and is_local:
            found |= {"back"}
        may_change = not (self.is_veiled and self.line.number)
        if len(_seats(self.machine)) > len(self.persons) and is_local and may_change:
            found |= {"flip"}
        return frozenset(found)

    # ---------------------------------------------------------------------- what people do

    async def take_back(self, step: int, match: int | None = None) -> None:
        """Go back to the last step in which a person had a choice."""
        async with self._changing(step, match, "back", "there is no move that can be taken back"):
            if self._events_are_over:
                await self._engines.close()  # they told of a match that is over
            self._go_back()
            self.shown.notice = f"Taken back to step {self.line.number + 1}."

    def _go_back(self) -> None:
        line = self.line.back_to(self.line.number - 1)
        while line.number and not self._has_choice(line):
            line = line.back_to(line.number - 1)
        self.line = line
        self.shown.ended = ""
        if self._events_are_over:
            self._publish_beginning()
        else:
            self._events.steps_taken_back(line.number)

    def _has_choice(self, line: MatchLine) -> bool:
        """Whether a person chose something at the end of a line."""
        legal = zip(self.machine.roles, line.last.legal_moves, strict=True)
        return any(len(moves) > 1 for role, moves in legal if role in self.persons)

    async def flip(self, step: int, match: int | None = None) -> None:
        """Give each person the next role, in role order."""
        async with self._changing(step, match, "flip", "the seats cannot be changed here"):
            seats = _seats(self.machine)
            following = dict(zip(seats, (*seats[1:], seats[0]), strict=True))
            self.persons = tuple(following[role] for role in self.persons)
            await self._engines.close()
            self._assign()
            self.shown.notice = f"You are {self.persons_in_words()} now."

    async def new_match(self, match: int | None = None) -> None:
        """Begin the game anew."""
        async with self._changing(self.line.number, match, "new", ""):
            self._end_match("a new match was begun")
            await self._remotes.say_goodbye(self.line)
            await self._engines.close()
            self.line = self.line.back_to(0)
            self.shown = Shown()
            self.match_number += 1
            self._begun = self.clock()
            self._assign()
            self._publish_beginning()

    async def resign(self, step: int, match: int | None = None) -> None:
        """Break the match off."""
        async with self._changing(step, match, "resign", "the match is over"):
            self.shown.ended = f"{self.persons_in_words()} resigned."
            self._end_match(self.shown.ended)
            await self._remotes.say_goodbye(self.line)

    async def hint(self, step: int, match: int | None = None) -> Advice:
        """Return the move that a search finds best for the person who is to choose."""
        self.check(step, match)
        role = self._adviced()
        if role is None:
            raise PlayError("there is nothing to choose for you now")
        if not self.knows_all:
            raise PlayError(HIDDEN)
        adviser = await self._adviser(role)
        self.check(step, match)
        legal = move_texts(self.legal_moves(role))
        seconds = min(HINT_SECONDS, max(1, self.setup.play_clock))
        found = await adviser.choose(self.line.history, legal, seconds)
        self.check(step, match)
        if not self.is_thinking:
            adviser.rest()
        self.shown.advice = Advice(str(role), found.move, found.value, found.proved)
        self.tell()
        return self.shown.advice

    async def think(self, is_on: bool) -> None:
        """Show what a search thinks of each position, or no longer."""
        if is_on and not self.knows_all:
            raise PlayError(HIDDEN)
        self.is_thinking = is_on
        if not is_on:
            self.shown.thoughts = None
            self.thoughts_version += 1
        await self._think_aloud()
        self.tell()

    def record(self) -> MatchRecord:
        """Return the record of the match so far."""
        setup = self.setup
        names = tuple(self.names[role] for role in self.machine.roles)
        header = MatchRecord(
            match_id=self.match_id,
            start_time=self._begun,
            start_clock=setup.start_clock,
            play_clock=setup.play_clock,
            player_names_from_host=names,
            states=("",),
            state_times=(0,),
            moves=(),
            errors=(("",) * len(names),),
            random_token=f"{Random(f'token {setup.seed}').getrandbits(64):016x}",
            game_meta_url=setup.rulesheet_url,
            is_player_human=tuple(role in self.persons for role in self.machine.roles),
        )
        return self.line.record(header, is_aborted=bool(self.shown.ended))

    @property
    def match_id(self) -> str:
        """The id of the match, with the time at which it began."""
        return f"{self.setup.game}.{self._begun}"

    # ---------------------------------------------------------------------- beginning and ending

    def _assign(self) -> None:
        """Seat people and opponents."""
        waiting = list(self.setup.opponents)
        self._remotes.seats.clear()
        for role in self.machine.roles:
            if moves_by_chance(role):
                self.names[role] = RANDOM_ROLE
            elif role in self.persons:
                self.names[role] = HUMAN
            else:
                opponent = waiting.pop(0) if len(waiting) > 1 else waiting[0]
                self.names[role] = opponent if isinstance(opponent, str) else opponent.name
                if not isinstance(opponent, str):
                    self._remotes.seats[role] = opponent

    def _publish_beginning(self) -> None:
        """Tell that a match begins, with the steps that it has already."""
        self._events = MatchPublisher(self.setup.events)
        self._events_are_over = False
        record = self.record()
        self._events.started(
            MatchStarted(
                match="",
                time=0,
                match_id=self.match_id,
                rules=self.rules,
                start_clock=self.setup.start_clock,
                play_clock=self.setup.play_clock,
                roles=tuple(map(str, self.machine.roles)),
                players=record.player_names_from_host,
                game=self.setup.game,
                rulesheet_url=record.game_meta_url,
                random_token=record.random_token,
            ),
            self._begun,
        )
        for number in range(len(self.line.steps)):
            self._publish_step(number)

    @property
    def rules(self) -> str:
        """The rules, as a game manager would send them."""
        return spaced(str(self.ruleset))

    def _publish_step(self, number: int) -> None:
        step = self.line.steps[number]
        self._events.step_made(
            StepMade(
                match="",
                time=step.time,
                step=number,
                joint_move=move_texts(step.joint_move),
                errors=step.errors,
                seconds=(0.0,) * len(step.errors),
                state=state_text(step.state),
            )
        )

    _events_are_over = False

    def _end_match(self, reason: str) -> None:
        """Tell how the match ended, once."""
        if self._events_are_over:
            return
        self._events_are_over = True
        if self.line.is_over:
            goals = zip(map(str, self.machine.roles), self.line.last.goals, strict=True)
            self._events.ended("completed", goals=dict(goals))
        else:
            self._events.ended("aborted", reason=reason)

    @asynccontextmanager
    async def _changing(
        self, step: int, match: int | None, action: str, refusal: str
    ) -> AsyncIterator[None]:
        """Have nobody asked while a person changes the match, and all asked again after."""
        async with self._lock:
            self.check(step, match)
            if action not in self.actions:
                raise PlayError(refusal)
            await self._interrupt()
            self.shown = replace(self.shown, advice=None, deadline=None, waiting_for=(), notice="")
            try:
                yield
            finally:
                self._run()

    async def _interrupt(self) -> None:
        """Ask nobody any more."""
        for task in (self._running, self._advising):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        self._running = self._advising = None

    def _run(self) -> None:
        if not self.is_over:
            self._running = asyncio.create_task(self._play())
        self.tell()

    # ---------------------------------------------------------------------- playing

    async def _play(self) -> None:
        try:
            await self._start_remotes()
            while not self.is_over:
                await self._play_step()
            await self._remotes.say_goodbye(self.line)
        except (GgpPlayerError, GdlError) as error:
            self.shown.ended = f"The match cannot go on: {error}"
        except Exception as error:
            _log.exception("the match cannot go on")
            self.shown.ended = f"The match cannot go on: {type(error).__name__}."
        self._end_match(self.shown.ended)
        self.tell()

    async def _play_step(self) -> None:
        """Ask everybody for a move, and make the joint move."""
        self.shown.advice = None
        asked = self.ask_persons()
        self.shown.deadline = None
        if self.setup.is_timed and self.choosing:
            self.start_clock(self.setup.play_clock)
        self._advising = asyncio.create_task(self._think_aloud())
        moves = [self._move_of(role, asked.get(role)) for role in self.machine.roles]
        decided = await _gathered(moves)
        joint_move, errors = zip(*decided, strict=True)
        line = await asyncio.to_thread(self.line.after, joint_move, errors, self.clock())
        if self.sight.hides:
            await asyncio.to_thread(self.sight.follow, line, self.persons)
        self.line = line
        self.shown.notice = ""
        self._publish_step(line.number)
        self.tell()

    async def _move_of(
        self, role: Constant, asked: asyncio.Future[Term] | None
    ) -> tuple[Term, str]:
        """Return a role's move, and what went wrong with it."""
        legal = self.legal_moves(role)
        if moves_by_chance(role):
            return self._random("chance", role).choice(legal), ""
        if asked is not None:
            return await self._move_of_person(role, asked)
        with self._waiting_for(role):
            if role in self._remotes.seats:
                clock = self.setup.play_clock
                move, error = await self._remotes.move(role, self.line, legal, clock)
                return self._random("replaced", role).choice(legal) if move is None else move, error
            engine = await self._engines.player(role, self.names[role])
            seconds = self.setup.play_clock + (0 if self.line.number else self.setup.start_clock)
            # A player is told no more of the steps than it may know.
            told = self.line.seen_by(role) if self.sight.hides else self.line.history
            found = await engine.choose(told, move_texts(legal), seconds)
        return next(move for move in legal if str(move) == found.move), ""

    async def _move_of_person(
        self, role: Constant, asked: asyncio.Future[Term]
    ) -> tuple[Term, str]:
        try:
            async with asyncio.timeout(self.setup.play_clock if self.setup.is_timed else None):
                return await asked, ""
        except TimeoutError:
            move = self._random("replaced", role).choice(self.legal_moves(role))
            self.shown.notice = f"The time is up; {role} moves {move}."
            return move, TIMEOUT

    def _random(self, purpose: str, role: Constant) -> Random:
        return Random(f"{purpose} {self.setup.seed} {self.line.number} {role}")

    # ---------------------------------------------------------------------- engines

    async def _warm(self) -> None:
        """Have the searches compiled for this machine, which is done once."""
        notice = "The searches are being compiled for this machine, once."
        warming = asyncio.ensure_future(self._warm_up(self.health))
        try:
            await asyncio.wait([warming], timeout=0.5)
            if not warming.done():
                self.shown.notice = notice
                self.tell()
            await warming
        finally:
            warming.cancel()
        if self.shown.notice == notice:
            self.shown.notice = ""
            self.tell()

    async def _adviser(self, role: Constant) -> RoleEngine:
        """Return the engine that advises a person."""
        strategies = [one for one in self.setup.opponents if isinstance(one, str)]
        return await self._engines.adviser(role, strategies[0] if strategies else "auto")

    def _new_engine(self, role: Constant, strategy: str) -> RoleEngine:
        setup, clocks = self.setup, (self.setup.start_clock, self.setup.play_clock)
        start = Start(self.match_id, str(role), self.rules, *clocks)
        seed = f"{setup.seed} {setup.game} {role}"
        common = self._pool, self.health, setup.events, setup.ponder
        return RoleEngine(EngineSetup(start, strategy, seed, *common))

    # ---------------------------------------------------------------------- thoughts

    def _adviced(self) -> Constant | None:
        """The person who has a choice to make now."""
        return next((one for one in self.choosing if len(self.legal_moves(one)) > 1), None)

    async def _think_aloud(self) -> None:
        """Have the search of the person who chooses tell what it thinks, where that is wanted."""
        role = self._adviced()
        for other, adviser in self._engines.advising.items():
            if other != role or not (self.is_thinking and self.knows_all):
                adviser.rest()
        if self.is_thinking and not self.knows_all:
            self.shown.thoughts = None
            self.thoughts_version += 1
        elif role is not None and self.is_thinking:
            adviser = await self._adviser(role)
            adviser.think(self.line.history)

    def _take_thoughts(self) -> None:
        """Show what the search thinks that matters now."""
        for event in self._thoughts.take():
            if isinstance(event, Thoughts) and event.turn == self.line.number:
                self._show_thoughts(event)

    def _show_thoughts(self, thoughts: Thoughts) -> None:
        role = self._adviced()
        searches = self._engines.playing if role is None else self._engines.advising
        for other, engine in searches.items():
            is_meant = other == role or (role is None and len(self.legal_moves(other)) > 1)
            is_wanted = is_meant and self.is_thinking and self.knows_all
            if engine.key == thoughts.match and is_wanted:
                self.tell_thoughts(str(other), thoughts)

    # ---------------------------------------------------------------------- player servers

    async def _start_remotes(self) -> None:
        if self.line.number or not self._remotes.seats:
            return
        self.shown.waiting_for = tuple(map(str, self._remotes.seats))
        self.tell()
        setup = self.setup
        await self._remotes.start(self.match_id, setup.start_clock, setup.play_clock)
        self.shown.waiting_for = ()

    @contextmanager
    def _waiting_for(self, role: Constant) -> Iterator[None]:
        """Show that a role's move is awaited, where it has a choice, or people cannot know that."""
        name = str(role)
        if len(self.legal_moves(role)) > 1 or self.is_veiled:
            self.shown.waiting_for = (*self.shown.waiting_for, name)
            self.tell()
        try:
            yield
        finally:
            others = (one for one in self.shown.waiting_for if one != name)
            self.shown.waiting_for = tuple(others)


async def _gathered(
    moves: Sequence[Coroutine[Any, Any, tuple[Term, str]]],
) -> list[tuple[Term, str]]:
    """Wait for all; where one fails, the others are cancelled."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(move) for move in moves]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


def _seats(machine: StateMachine) -> tuple[Constant, ...]:
    return tuple(role for role in machine.roles if not moves_by_chance(role))


def _persons(machine: StateMachine, names: Sequence[str]) -> tuple[Constant, ...]:
    """The roles of these names, in role order; without names the first that is not chance."""
    free = _seats(machine)
    if not names:
        return (free[0],)
    wanted = {name.lower() for name in names}
    unknown = wanted - {str(role).lower() for role in free}
    if unknown:
        roles = ", ".join(map(str, free))
        raise PlayError(f"there is no role {min(unknown)} to take; the roles are {roles}")
    return tuple(role for role in free if str(role).lower() in wanted)
