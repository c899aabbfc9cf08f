"""A match with people at it: its line, what is legal, and what they have chosen in this step.

What a person does comes with the number of the step, and of the match, that was seen; what comes
too late is refused with a sentence. All happens in one event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import starmap, zip_longest

from gdl import Constant, GdlError, Ruleset, Term
from gdl.analysis.move_names import MoveNames
from gdl.drawing import MAX_PLACES, EndingWords
from gdl.language import moves_by_chance
from gdl.state_machine import RuledMachine
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import MatchError, PlayError
from ggp_player.events import SearchView
from ggp_player.languages import Sentence, listed
from ggp_player.play.engine import Engines
from ggp_player.play.knowledge import Knowledge, KnownMove, Sight
from ggp_player.play.match_clock import MatchClock, TimeControl
from ggp_player.play.match_line import MatchLine
from ggp_player.protocol import move_texts, state_text

MAX_LEGAL = 2_000
"""Legal moves of a step that a person is shown."""

CHOICE_SECONDS = 0.05
"""How long a page is not told that all have chosen: the next step is mostly there before."""

HIDDEN_MOVE = "?"
"""In place of a move that people may not see."""

OWN_WORDS = MoveNames()
"""Moves in the words of the rules."""

HUMAN = "human"
"""What the records call a person."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What a search suggests to a person in a step."""

    role: str
    move: str
    value: float | None = None
    proved: bool = False


@dataclass(slots=True)
class Shown:
    """What people are shown besides the line: it changes, and the table's version with it."""

    notice: str = ""
    ended: str = ""
    """Why the match ended before its rules said so; empty where it did not."""
    verdict: int | None = None
    """What that is for a lone person: a win (1), a loss (-1), or neither."""
    is_broken_off: bool = False
    """Whether the game manager has ended it, who may have it played again."""
    advice: Advice | None = None
    thoughts: SearchView | None = None
    thinker: str = ""
    """The role for which the search thinks."""


@dataclass(slots=True)
class _Choices:
    """The moves that people have chosen in a step, as futures."""

    step: int = -1
    of_role: dict[Constant, asyncio.Future[Term]] = field(default_factory=dict)


class Table:
    """A match that people play. ``persons`` are the roles of the people.

    ``names`` has what plays each role. ``version`` goes up with everything that is shown, and
    ``thoughts_version`` with what a search thinks.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        machine: RuledMachine,
        persons: Sequence[Constant],
        clock: WallClock = wall_clock,
    ) -> None:
        self.ruleset = ruleset
        self.machine = machine
        self.persons = tuple(persons)
        self.clock = clock
        self.line = MatchLine.begin(machine)
        self.sight = Sight(ruleset, machine)
        self.names = dict.fromkeys(machine.roles, "")
        self.shown = Shown()
        self.match_clock: MatchClock | None = None
        self.match_number = 1
        self.version = 1
        self.thoughts_version = 1
        self.is_closing = False
        self._choices = _Choices()
        self._news = asyncio.Event()

    # ---------------------------------------------------------------------- what is shown

    @property
    def actions(self) -> frozenset[str]:
        """What people can do besides moving."""
        return frozenset()

    @property
    def waiting_for(self) -> tuple[str, ...]:
        """The opponents that are known to be awaited."""
        return ()

    @property
    def is_over(self) -> bool:
        """Whether nobody can move any more."""
        return self.line.is_over or bool(self.shown.ended)

    @property
    def is_veiled(self) -> bool:
        """Whether people may see only what their roles see; at the end they may see all."""
        return self.sight.hides and (not self.is_over or self.shown.is_broken_off)

    @property
    def knowledge(self) -> tuple[Knowledge, ...]:
        """What the people know of each step."""
        return self.sight.follow(self.line, self.persons)

    @property
    def knows_all(self) -> bool:
        """Whether the people know the whole state."""
        return not self.is_veiled or self.knowledge[-1].is_complete

    def facts(self, step: int) -> frozenset[Term] | None:
        """The facts after a step that people may see; None where they are not to be told apart."""
        if self.is_veiled:
            return self.knowledge[step].facts
        return frozenset(self.line.steps[step].state)

    def moves(self, step: int) -> tuple[KnownMove, ...]:
        """The joint move that led to a step, without the moves that people may not see."""
        return self.knowledge[step].moves if self.is_veiled else self.line.steps[step].joint_move

    def errors(self, _step: int) -> tuple[str, ...]:
        """What went wrong with the moves that led to a step, as far as people may see it."""
        return ("",) * len(self.machine.roles)

    def tell(self) -> None:
        """Note that something which is shown has changed."""
        self.version += 1
        self.wake()

    def tell_thoughts(self, role: str, view: SearchView) -> None:
        """Show what a search thinks."""
        self.shown.thoughts, self.shown.thinker = view, role
        self.thoughts_version += 1
        self.wake()

    def wake(self) -> None:
        """Wake all who wait for news."""
        self._news.set()
        self._news = asyncio.Event()

    async def news(self) -> None:
        """Wait until something changes."""
        await self._news.wait()

    def end_viewing(self) -> None:
        """Tell all viewers that nothing more comes."""
        self.is_closing = True
        self.wake()

    def watch(self, is_watched: bool) -> None:
        """Note whether somebody looks at a page of the table."""

    # ---------------------------------------------------------------------- the match rules

    @property
    def roles(self) -> tuple[Constant, ...]:
        """The roles in the order of joint moves."""
        return self.machine.roles

    def begin(self) -> MatchLine:
        """Return the line as it is: the match begins, or goes on from there."""
        return self.line

    def advance(self, joint_move: Sequence[Term]) -> MatchLine:
        """Return the line after a joint move, which is not shown yet; it can take long."""
        line = self.line.after(joint_move)
        if self.sight.hides:
            self.sight.follow(line, self.persons)
        return line

    def lines_ahead(self) -> Iterator[MatchLine]:
        """Yield the lines to which the moves of a person lead who alone has a choice now.

        Each is computed when it is asked for, until the person has chosen. None where information
        is hidden, or the rules go wrong.
        """
        line, choosing = self.line, self.choosing
        options = line.last.legal_moves
        alone = [role for role, moves in zip(self.roles, options, strict=False) if len(moves) > 1]
        if self.sight.hides or len(choosing) != 1 or alone != list(choosing):
            return
        place = self.roles.index(choosing[0])
        joint_move = [moves[0] for moves in options]
        for move in options[place]:
            if self.line is not line or self.choosing != choosing:
                return
            joint_move[place] = move
            try:
                yield line.after(joint_move)
            except (GdlError, MatchError):
                return

    def states(self) -> tuple[str, ...]:
        """Return all states so far as a match record has them."""
        return tuple(state_text(step.state) for step in self.line.steps)

    # ---------------------------------------------------------------------- choosing

    def legal_moves(self, role: Constant) -> tuple[Term, ...]:
        """The legal moves of a role; none where the match is over."""
        if self.is_over:
            return ()
        return self.line.last.legal_moves[self.machine.roles.index(role)]

    @property
    def choosing(self) -> tuple[Constant, ...]:
        """The people who have yet to choose a move in this step."""
        if self.is_over or self._choices.step != self.line.number:
            return ()
        return tuple(role for role, choice in self._choices.of_role.items() if not choice.done())

    def chosen(self, role: Constant) -> Term | None:
        """What a person has chosen in this step."""
        choice = self._choices.of_role.get(role)
        is_known = choice is not None and choice.done() and not choice.cancelled()
        return choice.result() if choice is not None and is_known else None

    def check(self, step: int, match: int | None = None) -> None:
        """Raise :class:`PlayError` unless this is the step, and the match, that a person saw."""
        if match is not None and match != self.match_number:
            raise PlayError(Sentence("that was in the match before; a new one has begun"))
        if step != self.line.number:
            raise PlayError(
                Sentence(
                    "that was for step {step}, and the match is at step {now}",
                    step=step + 1,
                    now=self.line.number + 1,
                )
            )

    def choose(
        self, role: Constant | str, move: Term | str, step: int, match: int | None = None
    ) -> None:
        """Choose a person's move. Raises :class:`PlayError`, which says why it cannot be made."""
        person = next((one for one in self.persons if str(one) == str(role)), None)
        if person is None:
            raise PlayError(Sentence("{role} is no role of yours", role=str(role)[:80]))
        if self.is_over:
            raise PlayError(Sentence("the match is over"))
        self.check(step, match)
        legal = next((one for one in self.legal_moves(person) if str(one) == str(move)), None)
        if legal is None:
            raise PlayError(
                Sentence("{move} is not legal for {role}", move=str(move)[:80], role=role)
            )
        choice = self._choices.of_role.get(person)
        if choice is None or self._choices.step != step:
            raise PlayError(Sentence("{role} is not asked for a move now", role=role))
        if choice.done():
            chosen = self.chosen(person)
            raise PlayError(Sentence("{role} has chosen {move} already", role=role, move=chosen))
        choice.set_result(legal)
        self.stop_clock(person)
        if self.choosing:
            self.tell()
        else:
            loop = asyncio.get_running_loop()
            loop.call_later(CHOICE_SECONDS, self._tell_choice, self._choices)

    def _tell_choice(self, choices: _Choices) -> None:
        """Tell that people have chosen, unless the match has gone on since."""
        if choices is self._choices:
            self.tell()

    def choice(self, role: Constant) -> asyncio.Future[Term]:
        """What a person chooses in this step, for which the people are asked."""
        return self._choices.of_role[role]

    def ask_persons(self) -> None:
        """Begin to ask for this step's moves. A move that is no decision is made at once."""
        loop = asyncio.get_running_loop()
        self._choices = _Choices(
            self.line.number, {role: loop.create_future() for role in self.persons}
        )
        for role, choice in self._choices.of_role.items():
            moves = self.legal_moves(role)
            if len(moves) == 1 and self._only_waits(role, moves[0]):
                choice.set_result(moves[0])
        self.tell()

    def stop_asking(self) -> None:
        """Ask for no move any more; what was chosen in this step stays."""
        for choice in self._choices.of_role.values():
            choice.cancel()

    def start_clock(self, seconds: int) -> None:
        """Show people how long they may think about this step, to which others hold them."""
        control = TimeControl("", "", seconds, is_per_move=True)
        self.match_clock = MatchClock(control, self.choosing, counts_first=True)
        for role in self.choosing:
            self.match_clock.start(role)
        self.tell()

    def stop_clock(self, role: Constant) -> None:
        """Note that a role has chosen."""
        if self.match_clock is not None:
            self.match_clock.stop(role)

    def _only_waits(self, role: Constant, move: Term) -> bool:
        """Whether a lone legal move is there because others move, or is called a noop.

        Where information is hidden, what others can do is not to be guessed from that.
        """
        if str(move).lower() == "noop" or self.sight.hides:
            return str(move).lower() == "noop"
        others = (self.legal_moves(other) for other in self.machine.roles if other != role)
        return any(len(moves) > 1 for moves in others)

    # ---------------------------------------------------------------------- for readers

    def persons_in_words(self) -> str:
        """The roles of the people, as in ``white and black``."""
        return listed([*map(str, self.persons)]) if self.persons else Sentence("nobody")

    def verdict(self) -> int | None:
        """1 where a lone person has won against others, -1 for a loss, 0 for a draw; else None."""
        ours, others = self._reached()
        if not self.is_over or len(ours) != 1 or not others:
            return None
        if self.shown.ended:
            return self.shown.verdict
        return (ours[0] > max(others)) - (ours[0] < max(others))

    def result(self) -> str:
        """How the match ended, in a sentence; empty while it goes on."""
        if self.shown.ended:
            return self.shown.ended
        if not self.line.is_over:
            return ""
        ours, others = self._reached()
        verdict = self.verdict()
        if verdict is not None:
            shared = Sentence("You share the best result.")
            draw = Sentence("A draw.") if len(others) == 1 else shared
            return {1: Sentence("You win."), -1: Sentence("You lose."), 0: draw}[verdict]
        if len(ours) == 1:
            return Sentence("You reached {goal} of 100.", goal=ours[0])
        return Sentence("The match is over.")

    def _reached(self) -> tuple[list[int], list[int]]:
        """The goals of the people, and of the others without chance; 0 where there is none."""
        ours, others = [], []
        for role, goal in zip_longest(self.machine.roles, self.line.last.goals):
            if role in self.persons:
                ours.append(goal or 0)
            elif not moves_by_chance(role):
                others.append(goal or 0)
        return ours, others


def told_of(table: Table, names: MoveNames = OWN_WORDS) -> tuple[str, ...]:
    """What people saw in the last step, and what they can know of the state, in sentences."""
    if not table.is_veiled:
        was_hidden = table.sight.hides and not all(one.tells_all for one in table.knowledge)
        return (Sentence("What was hidden is shown now."),) if was_hidden else ()
    knowledge = table.knowledge[-1]
    seen = tuple(
        Sentence(
            "{role} sees {percepts}.",
            role=role,
            percepts=listed(words) if words else Sentence("nothing"),
        )
        for role, percepts in zip(table.persons, knowledge.percepts, strict=False)
        for words in [table.sight.in_words(percepts, names)]
    )
    return *seen, _told_of_state(knowledge)


def _told_of_state(knowledge: Knowledge) -> str:
    if knowledge.possible is None:
        return Sentence("More positions are possible than can be told apart: none is drawn.")
    if knowledge.is_complete:
        return Sentence("You know the whole position.")
    count = len(knowledge.possible)
    return Sentence(
        "{count} positions are possible; drawn is what is the same in all of them.", count=count
    )


def told_of_ending(ending: EndingWords) -> str:
    """What has decided a match, as ``str(ending)``, and in other languages."""
    if ending.things:
        return Sentence("Decided by {things}.", things=listed([*starmap(_told, ending.things)]))
    if ending.causes:
        return Sentence("Ended by this rule: {causes}.", causes="; ".join(ending.causes))
    return ""


def _told(thing: str, places: Sequence[str]) -> str:
    if len(places) > MAX_PLACES:
        return Sentence("{thing} on {count} places", thing=thing, count=len(places))
    return Sentence("{thing} on {places}", thing=thing, places=listed(places))


@dataclass(frozen=True, slots=True)
class SeatedPerson:
    """A person, as a player of the match runner who sees the table, and so what is taken back."""

    table: Table
    role: Constant
    name: str = HUMAN
    is_human: bool = True

    async def choose(self) -> str:
        """Return what the person chooses."""
        return str(await self.table.choice(self.role))


@dataclass(frozen=True, slots=True)
class SeatedSearch:
    """A search; ``name`` is its strategy, ``clocks`` are for its first and its other moves."""

    table: Table
    role: Constant
    name: str
    engines: Engines
    clocks: tuple[int, int]

    async def choose(self) -> str:
        """Return the best move that is found in time. It is told no more than its role may know."""
        table, role = self.table, self.role
        engine = await self.engines.player(role, self.name)
        start_clock, play_clock = self.clocks
        seconds = float(play_clock + (0 if table.line.number else start_clock))
        if table.match_clock is not None:
            seconds = table.match_clock.seconds_for(role, seconds)
        told = table.line.seen_by(role) if table.sight.hides else table.line.history
        found = await engine.choose(told, move_texts(table.legal_moves(role)), seconds)
        table.stop_clock(role)
        return found.move
