"""A match of people against strategies, or against player servers, which they can take back.

The match runs on :class:`ggp_player.match_runner.GameManager`, whose players sit at this table.
Whatever a person does besides moving interrupts it, changes the match, and has it go on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

from gdl import Constant, GdlError, StateMachine
from gdl.language import RANDOM_ROLE, moves_by_chance
from gdl.state_machine import RuledMachine
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import GgpPlayerError, MatchError, PlayError
from ggp_player.events import MatchPublisher, Thoughts
from ggp_player.languages import Sentence, joined, sentence_of
from ggp_player.match_runner.game_manager import GameManager, MatchSetup, MatchStep
from ggp_player.match_runner.players import DistantPlayer, MatchPlayer, SeatedPlayer
from ggp_player.play.engine import Engines, RoleEngine
from ggp_player.play.levels import HIGHEST, OpponentLevel
from ggp_player.play.match_line import MatchLine
from ggp_player.play.seats import SeatedPerson, SeatedSearch
from ggp_player.play.table import Advice, Shown, Table
from ggp_player.protocol import TIMEOUT, MatchRecord, Start, move_texts, spaced
from ggp_player.worker.health import Health
from ggp_player.worker.pool import Pool
from ggp_player.worker.supervisor import Setup
from ggp_player.worker.warm_up_process import ensure_warm

HINT_SECONDS = 3.0
"""The longest search for a hint."""

HIDDEN = Sentence("a search knows more of this position than you may know")
"""Why people get no advice where information is hidden from them."""

NOT_BACK = Sentence("there is no move that can be taken back")
NOT_CHANGED = Sentence("the seats cannot be changed here")
IS_OVER = Sentence("the match is over")

GOODBYE_SECONDS = 1.0
"""How long player servers may take to hear that the match is broken off."""

_log = logging.getLogger(__name__)


Opponent: TypeAlias = str | DistantPlayer
"""A strategy, or a player server."""


@dataclass(frozen=True, slots=True)
class PlaySetup(MatchSetup):
    """What people's matches are played with; the id of each is ``match_id`` and when it began.

    ``opponents`` take the roles without a person, in role order; the last one takes the rest. With
    ``is_timed`` people are held to the play clock, too. The strategy ``adviser`` gives hints;
    where it is empty, the first one among the opponents does. The ``level`` is that of the
    opponents, if they have one; where it ``adapts``, it follows the person's results.
    """

    persons: tuple[str, ...] = ()
    opponents: tuple[Opponent, ...] = ("auto",)
    is_timed: bool = False
    ponder: bool = True
    adviser: str = ""
    level: OpponentLevel | None = None
    adapts: bool = False

    def at(self, level: OpponentLevel) -> PlaySetup:
        """The same with all opponents at a level."""
        found, adviser = (level.strategy,), HIGHEST.strategy
        ponders = level.ponders
        return replace(self, level=level, opponents=found, ponder=ponders, adviser=adviser)


class PlaySession(Table):
    """Runs the match while it is entered: ``async with PlaySession(setup, machine, pool)``.

    The ``pool`` is for one match after the other; whoever has made it closes it. ``is_thinking``
    says that people are shown what a search thinks. Raises :class:`PlayError` for a role that the
    game does not have.
    """

    def __init__(
        self,
        setup: PlaySetup,
        machine: RuledMachine,
        pool: Pool,
        clock: WallClock = wall_clock,
        warm_up: Callable[[Health], Awaitable[None]] = ensure_warm,
    ) -> None:
        super().__init__(setup.ruleset, machine, _persons(machine, setup.persons), clock)
        self.setup = setup
        self.health = pool.health
        self._pool = pool
        self._warm_up = warm_up
        self._engines = Engines(self._new_engine, clock)
        self.is_thinking = False
        self._was_helped = False
        self._match = self._new_match()
        self._lock = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None
        self._advising: asyncio.Task[None] | None = None
        self._thoughts = setup.events.subscribe("the table", on_news=self._take_thoughts)

    async def __aenter__(self) -> PlaySession:
        self._engines.warming = asyncio.create_task(self._warm())
        self._match.begin()
        self._run()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Break the match off unless it is over, and end its processes."""
        await self._interrupt()
        await self._break_off("the match was left")
        await self._engines.end_warming()
        self._thoughts.close()
        await self._engines.close()
        self.end_viewing()

    @property
    def waiting_for(self) -> tuple[str, ...]:
        """The opponents that are awaited, where they have a choice, or people cannot know that."""
        match = self._match
        if not match.steps:
            servers = (one for one, seat in match.seats.items() if isinstance(seat, DistantPlayer))
            return tuple(map(str, servers))
        others = (role for role in match.awaited if role not in self.persons)
        return tuple(
            str(role) for role in others if len(self.legal_moves(role)) > 1 or self.is_veiled
        )

    def errors(self, step: int) -> tuple[str, ...]:
        """What went wrong with the moves that led to a step, as far as people may see it."""
        pairs = zip(self.machine.roles, self._match.steps[step].errors, strict=True)
        seen = self.persons if self.is_veiled else self.machine.roles
        return tuple(error if role in seen else "" for role, error in pairs)

    @property
    def actions(self) -> frozenset[str]:
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

    @property
    def next_level(self) -> OpponentLevel | None:
        """The level of the next match, where the level adapts.

        What a search has helped to win, or what was taken back, says nothing of the person.
        """
        level, verdict = self.setup.level, self.verdict()
        if level is None or not self.setup.adapts:
            return None
        return level.after(0 if verdict == 1 and self._was_helped else verdict)

    def told_of_level(self) -> str:
        """How strong the opponents are, and will be in the next match, where that adapts."""
        level, following = self.setup.level, self.next_level
        if level is None or following is None:
            return ""
        told = {"number": following.number, "name": following.name}
        if not self.is_over:
            return Sentence("The level adapts to you. It is {number} now: {name}.", **told)
        if following != level:
            return Sentence("The next match is at level {number}: {name}.", **told)
        if self.verdict() == 1 and self._was_helped:
            return Sentence("You had help, so the level stays {number}: {name}.", **told)
        return Sentence("The level stays {number}: {name}.", **told)

    # ---------------------------------------------------------------------- what people do

    async def take_back(self, step: int, match: int | None = None) -> None:
        """Go back to the last step in which a person had a choice."""
        async with self._changing(step, match, "back", NOT_BACK):
            self._was_helped = True
            if self._match.is_over:
                await self._engines.close()  # they told of a match that is over
            earlier = range(self.line.number - 1, 0, -1)
            self.line = self.line.back_to(next(filter(self._has_choice, earlier), 0))
            self._match.go_back(self.line.number, self.line)
            self.shown.ended = ""
            step = self.line.number + 1
            self.shown.notice = Sentence("Taken back to step {step}.", step=step)

    def _has_choice(self, number: int) -> bool:
        """Whether a person chose something after so many steps."""
        legal = zip(self.machine.roles, self.line.steps[number].legal_moves, strict=True)
        return any(len(moves) > 1 for role, moves in legal if role in self.persons)

    async def flip(self, step: int, match: int | None = None) -> None:
        """Give each person the next role, in role order."""
        async with self._changing(step, match, "flip", NOT_CHANGED):
            self._was_helped |= self.line.number > 0
            seats = _seats(self.machine)
            following = dict(zip(seats, (*seats[1:], seats[0]), strict=True))
            self.persons = tuple(following[role] for role in self.persons)
            await self._engines.close()
            self._match.change_seats(self._players())
            persons = self.persons_in_words()
            self.shown.notice = Sentence("You are {roles} now.", roles=persons)

    async def new_match(self, match: int | None = None, level: OpponentLevel | None = None) -> None:
        """Begin the game anew; the ``level`` is the next one unless it is given."""
        async with self._changing(self.line.number, match, "new", ""):
            level = level or self.next_level
            await self._break_off("a new match was begun")
            await self._engines.close()
            self.line = self.line.back_to(0)
            self.shown = Shown()
            self._was_helped = self.is_thinking
            self.match_number += 1
            self.setup = self.setup.at(level) if level is not None else self.setup
            self._match = self._new_match()
            self._match.begin()

    async def meet(self, level: OpponentLevel) -> None:
        """Play at the level that suits the person, unless the person has moved already."""
        has_moved = any(map(self._has_choice, range(self.line.number)))
        is_known = has_moved or self.match_number > 1 or level == self.setup.level
        if self.setup.adapts and not is_known:
            with suppress(PlayError):  # another page was faster
                await self.new_match(self.match_number, level)

    async def resign(self, step: int, match: int | None = None) -> None:
        """Break the match off."""
        async with self._changing(step, match, "resign", IS_OVER):
            self.shown.ended = Sentence("{roles} resigned.", roles=self.persons_in_words())
            self.shown.verdict = -1
            await self._break_off(str(self.shown.ended))

    async def hint(self, step: int, match: int | None = None) -> Advice:
        """Return the move that a search finds best for the person who is to choose."""
        self.check(step, match)
        role = self._adviced()
        if role is None:
            raise PlayError(Sentence("there is nothing to choose for you now"))
        if not self.knows_all:
            raise PlayError(HIDDEN)
        self._was_helped = True
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
        self._was_helped |= is_on
        await self._think_aloud()
        self.tell()

    def record(self) -> MatchRecord:
        """Return the record of the match so far."""
        return self._match.record()

    @property
    def match_id(self) -> str:
        """The id of the match, with the time at which it began."""
        return self._match.setup.match_id

    # ---------------------------------------------------------------------- beginning and ending

    def _new_match(self) -> GameManager:
        now = self.clock()
        name = f"{self.setup.match_id}.{now}"
        match = replace(self.setup, match_id=name, start_time=now, repeats=True)
        return GameManager(match, self, self._players(), self._take_step)

    def _players(self) -> list[MatchPlayer | SeatedPlayer]:
        """Seat people and opponents, in role order."""
        setup, waiting = self.setup, list(self.setup.opponents)
        self.names = dict.fromkeys(self.machine.roles, RANDOM_ROLE)
        players: list[MatchPlayer | SeatedPlayer] = []
        for role in _seats(self.machine):
            if role in self.persons:
                seconds = setup.play_clock if setup.is_timed else None
                players.append(SeatedPerson(self, role, seconds))
            elif isinstance(one := waiting.pop(0) if len(waiting) > 1 else waiting[0], str):
                clocks = setup.start_clock, setup.play_clock
                players.append(SeatedSearch(self, role, one, self._engines, clocks))
            else:
                players.append(one)
            self.names[role] = players[-1].name
        return players

    async def _break_off(self, reason: str) -> None:
        """Break the match off, if it is not over."""
        if not self._match.is_over:
            with suppress(TimeoutError):
                async with asyncio.timeout(GOODBYE_SECONDS):
                    await self._match.abort(reason)

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
            self.shown = replace(self.shown, advice=None, deadline=None, notice="")
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
        self.stop_asking()

    def _run(self) -> None:
        if not self.is_over:
            self._running = asyncio.create_task(self._play())
        self.tell()

    # ---------------------------------------------------------------------- playing

    async def _play(self) -> None:
        match = self._match
        try:
            if match.steps:
                self._ask()
            await match.go_on()
            await match.stop()
        except (GgpPlayerError, GdlError) as error:
            self.shown.ended = _cannot_go_on(sentence_of(error))
        except Exception as error:
            _log.exception("the match cannot go on")
            self.shown.ended = _cannot_go_on(f"{type(error).__name__}.")
        self.tell()
        if self.shown.ended:
            await self._break_off(str(self.shown.ended))

    def _take_step(self, step: MatchStep) -> None:
        """Show a step of the match runner's, and ask for the next; number 0 is the reply to START.

        Raises :class:`MatchError` where a player server has not replied to that.
        """
        seats = self._match.seats
        wrong = [(role, error) for role, error in zip(seats, step.errors, strict=True) if error]
        if step.number:
            assert isinstance(self._match.position, MatchLine)
            self.line = self._match.position
            moves = dict(zip(seats, step.joint_move, strict=True))
            late = [role for role, error in wrong if role in self.persons and error == TIMEOUT]
            told = (
                Sentence("The time is up; {role} moves {move}.", role=role, move=moves[role])
                for role in late
            )
            self.shown.notice = joined(told)
        elif wrong:
            role, error = wrong[0]
            name = self.names[role]
            raise MatchError(
                Sentence("{player} does not answer ({error})", player=name, error=error)
            )
        self.tell()
        self._ask()

    def _ask(self) -> None:
        """Have the people choose their moves of this step."""
        if self.is_over:
            return
        self.shown.advice = self.shown.deadline = None
        self.ask_persons()
        if self.setup.is_timed and self.choosing:
            self.start_clock(self.setup.play_clock)
        self._advising = asyncio.create_task(self._think_aloud())

    # ---------------------------------------------------------------------- engines

    async def _warm(self) -> None:
        """Have the searches compiled for this machine, which is done once."""
        notice = Sentence("The program is prepared for this machine, once, for some ten seconds.")
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
        return await self._engines.adviser(role, self.setup.adviser or (*strategies, "auto")[0])

    def _new_engine(self, role: Constant, strategy: str) -> RoleEngine:
        setup, clocks = self.setup, (self.setup.start_clock, self.setup.play_clock)
        searching = Setup(
            Start(self.match_id, str(role), spaced(str(self.ruleset)), *clocks),
            strategy,
            f"{setup.seed} {setup.match_id} {role}",
            setup.ponder,
            health=self.health,
            events=MatchPublisher(setup.events),
        )
        return RoleEngine(searching, self._pool)

    # ---------------------------------------------------------------------- thoughts

    def _adviced(self) -> Constant | None:
        """The person who has a choice to make now."""
        return next((one for one in self.choosing if len(self.legal_moves(one)) > 1), None)

    async def _think_aloud(self) -> None:
        """Have the search of the person who chooses tell what it thinks, where that is wanted."""
        is_shown = self.is_thinking and self.knows_all
        role = self._adviced() if is_shown else None
        for other, adviser in self._engines.advising.items():
            if other != role:
                adviser.rest()
        if not is_shown and self.shown.thoughts is not None:
            self.shown.thoughts = None
            self.thoughts_version += 1
        if role is not None:
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


def _cannot_go_on(reason: str) -> Sentence:
    return Sentence("The match cannot go on: {reason}", reason=reason)


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
        raise PlayError(
            Sentence(
                "there is no role {role} to take; the roles are {roles}",
                role=min(unknown),
                roles=roles,
            )
        )
    return tuple(role for role in free if str(role).lower() in wanted)
