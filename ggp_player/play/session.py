"""A match of people against strategies, or against player servers, which they can take back.

The match runs on :class:`ggp_player.match_runner.GameManager`, whose players sit at this table.
Whatever a person does besides moving interrupts it, changes the match, and has it go on.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from gdl import Constant, GdlError, Term
from gdl.language import RANDOM_ROLE
from gdl.state_machine import RuledMachine
from ggp_player.clock import Clock, WallClock, monotonic, wall_clock
from ggp_player.errors import GgpPlayerError, MatchError, PlayError
from ggp_player.events import MatchPublisher, Thoughts
from ggp_player.languages import Sentence, sentence_of
from ggp_player.match_runner.game_manager import GameManager, MatchStep
from ggp_player.match_runner.players import DistantPlayer, MatchPlayer, SeatedPlayer
from ggp_player.play.engine import Engines, RoleEngine
from ggp_player.play.levels import HIGHEST, OpponentLevel
from ggp_player.play.match_clock import MatchClock
from ggp_player.play.match_line import MatchLine
from ggp_player.play.play_setup import PlaySetup, persons_of, seats_of
from ggp_player.play.table import Advice, SeatedPerson, SeatedSearch, Shown, Table
from ggp_player.protocol import MatchRecord, Start, move_texts, spaced
from ggp_player.worker.pool import Pool
from ggp_player.worker.supervisor import Setup

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


class PlaySession(Table):
    """Runs the match while it is entered: ``async with PlaySession(setup, machine, pool)``.

    The ``pool`` is for one match after the other; whoever has made it closes it. So is ``warming``,
    which ends when the searches are compiled for this machine. ``is_thinking`` says that people are
    shown what a search thinks. People's clocks go by the ``stopwatch``.
    Raises :class:`PlayError` for a role that the game does not have.
    """

    def __init__(
        self,
        setup: PlaySetup,
        machine: RuledMachine,
        pool: Pool,
        clock: WallClock = wall_clock,
        stopwatch: Clock = monotonic,
        warming: asyncio.Future[None] | None = None,
    ) -> None:
        super().__init__(setup.ruleset, machine, persons_of(machine, setup.persons), clock)
        self.setup = setup
        self.health = pool.health
        self._pool = pool
        self._warming = warming
        self._stopwatch = stopwatch
        self._alarm: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None
        self._noting: asyncio.Task[None] | None = None
        self._engines = Engines(self._new_engine, clock, warming)
        self.is_thinking = False
        self._was_helped = False
        self._level_reached: OpponentLevel | None = None  # before seats were changed at the end
        self._match = self._new_match()
        self.match_clock = self._new_clock()
        self._lock = asyncio.Lock()
        self._running: asyncio.Task[None] | None = None
        self._advising: asyncio.Task[None] | None = None
        self._thoughts = setup.events.subscribe("the table", on_news=self._take_thoughts)

    async def __aenter__(self) -> PlaySession:
        self._noting = asyncio.create_task(self._note_warming())
        self._match.begin()
        self._run()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Break the match off unless it is over, and end its processes."""
        await self._interrupt()
        for task in (self._ending, self._noting):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await self._break_off("the match was left")
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
        has_time = self.match_clock is None or self.match_clock.run_out is None
        if self.line.number and is_local and has_time:
            found |= {"back"}
        may_change = not (self.is_veiled and self.line.number)
        if len(seats_of(self.machine)) > len(self.persons) and is_local and may_change:
            found |= {"flip"}
        return frozenset(found)

    @property
    def next_level(self) -> OpponentLevel | None:
        """The level of the next match, where the level adapts.

        What a search has helped to win, or what was taken back, says nothing of the person.
        """
        level, verdict = self.setup.level, self.verdict()
        has_opponents = len(seats_of(self.machine)) > len(self.persons)
        if level is None or not self.setup.adapts or not has_opponents:
            return None
        if self._level_reached is not None:
            return self._level_reached
        return level.after(0 if verdict == 1 and self._was_helped else verdict)

    def told_of_level(self) -> str:
        """How strong the opponents are, and will be in the next match, where that adapts."""
        level, following = self.setup.level, self.next_level
        if level is None or following is None:
            return ""
        told = {"number": following.number, "name": following.name}
        if self.sight.hides and following.number not in (1, HIGHEST.number):
            told["name"] = Sentence(
                "where information is hidden, as level {most}", most=HIGHEST.number
            )
        if not self.is_over:
            return Sentence("The level adapts to you. It is {number} now: {name}.", **told)
        if following != level:
            return Sentence("The next match is at level {number}: {name}.", **told)
        if self.verdict() == 1 and self._was_helped:
            return Sentence("You had help, so the level stays {number}: {name}.", **told)
        return Sentence("The level stays {number}: {name}.", **told)

    # ---------------------------------------------------------------------- what people do

    def choose(
        self, role: Constant | str, move: Term | str, step: int, match: int | None = None
    ) -> None:
        """Choose a person's move. Raises :class:`PlayError`, also where the time is up."""
        if not self.is_over and self.match_clock is not None and self.match_clock.run_out:
            self._ring()
            raise PlayError(Sentence("the time is up"))
        super().choose(role, move, step, match)

    async def take_back(self, step: int, match: int | None = None) -> None:
        """Go back to the last step in which a person had a choice."""
        async with self._changing(step, match, "back", NOT_BACK):
            self._was_helped, self._level_reached = True, None
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
            self._level_reached = self.next_level if self.is_over else None
            seats = seats_of(self.machine)
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
            self._was_helped, self._level_reached = self.is_thinking, None
            self.match_number += 1
            self.setup = self.setup.at(level) if level is not None else self.setup
            self._match = self._new_match()
            self.match_clock = self._new_clock()
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
        self._think_aloud()
        self.tell()

    def watch(self, is_watched: bool) -> None:
        """Have searches think on people's time while somebody looks, and no longer."""
        self._engines.let_ponder(is_watched)

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
        for role in seats_of(self.machine):
            if role in self.persons:
                players.append(SeatedPerson(self, role))
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
            self.shown = replace(self.shown, advice=None, notice="")
            try:
                yield
            finally:
                self._run()

    async def _interrupt(self) -> None:
        """Ask nobody any more."""
        if self.match_clock is not None:
            self.match_clock.pause()
        if self._alarm is not None:
            self._alarm.cancel()
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
            self.shown.notice = ""
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
        self.shown.advice = None
        self.ask_persons()
        self._start_clocks()
        self._think_aloud()

    # ---------------------------------------------------------------------- clocks

    def _new_clock(self) -> MatchClock | None:
        """The clocks of a match; player servers are held to the play clock, and have none."""
        control, seats = self.setup.control, self._match.seats
        roles = [one for one, seat in seats.items() if isinstance(seat, SeatedPlayer)]
        return None if control is None else MatchClock(control, roles, self._stopwatch)

    def _start_clocks(self) -> None:
        """Have the clocks run of those who have a choice, or of whom people cannot know that."""
        if self.match_clock is None:
            return
        choosing = self.choosing
        for role in self._match.seats:
            has_choice = self.sight.hides or len(self.legal_moves(role)) > 1
            if role in choosing or (has_choice and role not in self.persons):
                self.match_clock.start(role)
        self._set_alarm(self.match_clock)

    def _set_alarm(self, clock: MatchClock) -> None:
        seconds = clock.until_run_out
        if seconds is not None:
            self._alarm = asyncio.get_running_loop().call_later(seconds, self._ring)

    def _ring(self) -> None:
        """End the match where a clock has run out; else wait for the next that runs."""
        clock = self.match_clock
        if clock is not None and clock.run_out is None:
            self._set_alarm(clock)
        elif self._ending is None or self._ending.done():
            self._ending = asyncio.create_task(self._end_on_time())

    async def _end_on_time(self) -> None:
        with suppress(PlayError):  # it has ended meanwhile
            async with self._changing(self.line.number, None, "resign", IS_OVER):
                role = self.match_clock.run_out if self.match_clock is not None else None
                if role is not None:
                    self._lose_on_time(role)
                    await self._break_off(str(self.shown.ended))

    def _lose_on_time(self, role: Constant) -> None:
        shown, is_alone = self.shown, len(self.persons) == 1
        if role in self.persons and is_alone:
            shown.ended, shown.verdict = Sentence("Your time is up: you lose."), -1
        elif is_alone and len(seats_of(self.machine)) == 2:
            shown.ended = Sentence("The time of {role} is up: you win.", role=role)
            shown.verdict = 1
        else:
            shown.ended = Sentence("The time of {role} is up.", role=role)

    # ---------------------------------------------------------------------- engines

    async def _note_warming(self) -> None:
        """Say that the searches are compiled for this machine, until they are."""
        if self._warming is None:
            return
        notice = Sentence("The program is prepared for this machine, once, for some ten seconds.")
        await asyncio.wait([self._warming], timeout=0.5)
        if not self._warming.done():
            self.shown.notice = notice
            self.tell()
            await asyncio.wait([self._warming])
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

    def _think_aloud(self) -> None:
        """Have the search of the person who chooses tell what it thinks, where that is wanted.

        All others rest, and at once, so that no hint is cut short for which somebody asks next.
        """
        is_shown = self.is_thinking and self.knows_all
        role = self._adviced() if is_shown else None
        for other, adviser in self._engines.advising.items():
            if other != role:
                adviser.rest()
        if not is_shown and self.shown.thoughts is not None:
            self.shown.thoughts = None
            self.thoughts_version += 1
        if role is not None:
            self._advising = asyncio.create_task(self._think_for(role))

    async def _think_for(self, role: Constant) -> None:
        adviser = await self._adviser(role)
        if self.is_thinking and role == self._adviced():  # still
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
