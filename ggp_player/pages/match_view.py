"""What a page shows of a running match, in sections that are sent again when they have changed.

A view is made of the events of the match, without input or output. Every change gets a number, so
that each viewer is sent the sections that are newer than the number it has; one that begins, or
begins again, has number 0 and gets all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import singledispatchmethod
from typing import Any

from gdl.analysis.move_names import MoveNames
from ggp_player.events import (
    Event,
    GameDescribed,
    MatchEnded,
    MatchProblem,
    MatchStarted,
    MoveChosen,
    ObservedStep,
    SearchView,
    StateReached,
    StepMade,
    Thoughts,
    TurnAsked,
)
from ggp_player.pages.drawing_messages import Drawing, Line
from ggp_player.pages.told_moves import moves_of_view

MAX_TURNS = 2_000
"""Turns that a page of a running match shows; the archive has them all."""

MAX_PROBLEMS = 100
"""The newest problems that it shows."""

MAX_LEGAL = 200
"""Legal moves that it lists."""

RUNNING = "running"

UNDRAWN = "The board of this turn is being drawn."
"""What stands in its place until then."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as the table of moves and the plot show it; ``joint_move`` was made in it."""

    turn: int
    joint_move: tuple[str, ...] = ()
    role: str = ""
    move: str | None = None
    value: float | None = None
    proved: bool = False
    note: str = ""
    source: str = ""
    seconds: float = 0.0
    errors: tuple[str, ...] = ()
    version: int = 0


@dataclass(frozen=True, slots=True)
class ShownMatch:
    """All that a page shows of a match at one instant, whose board is of its newest turn.

    ``changed`` has the version in which each of the ``sections`` was the last to change. What moves
    are called is known from the version ``named`` on.
    """

    version: int
    sections: Mapping[str, object]
    changed: Mapping[str, int]
    turns: Mapping[int, Turn]
    names: MoveNames | None = None
    named: int = 0

    def changes_since(self, version: int) -> dict[str, object]:
        """The sections that have changed since a version, the turns, and the names of moves."""
        found = {
            name: value for name, value in self.sections.items() if self.changed[name] > version
        }
        turns = [turn for turn in self.turns.values() if turn.version > version]
        names = self._names_in(found, self.turns.values() if self.named > version else turns)
        found |= {"turns": turns} if turns else {}
        return {**found, "names": names} if names else found

    def _names_in(self, found: Mapping[str, object], turns: Iterable[Turn]) -> dict[str, str]:
        """What the moves of sections and turns are called."""
        if self.names is None:
            return {}
        view, board = found.get("thoughts"), found.get("board")
        thought = moves_of_view(view) if isinstance(view, SearchView) else ()
        legal = board["legal_moves"] if isinstance(board, dict) else ()
        return self.names.told([*_moves_of(turns), *thought], [legal])

    def with_board(self, board: Mapping[str, object]) -> ShownMatch:
        """The same with another board."""
        sections = {**self.sections, "board": board}
        return replace(self, sections=sections, changed={**self.changed, "board": self.version})


def _moves_of(turns: Iterable[Turn]) -> Iterator[str]:
    for turn in turns:
        yield from turn.joint_move
        if turn.move is not None:
            yield turn.move


class MatchView:
    """Follows the events of one match; ``version`` is the number of its newest change."""

    def __init__(self, start: MatchStarted) -> None:
        self.start = start
        self.version = 1
        self.roles = start.roles
        self.status = RUNNING
        self.state: StateReached | None = None
        self.before = ""
        self._changed: dict[str, int] = dict.fromkeys(("about", "clock"), 1)
        self._turns: dict[int, Turn] = {}
        self._problems: deque[dict[str, object]] = deque(maxlen=MAX_PROBLEMS)
        self._end: MatchEnded | None = None
        self._about_game = ""
        self._clock = _clock("start", start.time, start.start_clock, start.start_clock)
        self.thoughts: Thoughts | None = None
        """What the search of the newest turn thinks."""
        self._drawing: Drawing | None = None
        self._drawn_turn = 0
        self.placed_line: Line = ()
        self._places: Line = ()
        self.names: MoveNames | None = None
        self._named = 0
        for turn, step in enumerate(start.history):
            if not isinstance(step, ObservedStep):
                self._set_turn(turn, joint_move=step)

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._end is not None

    @property
    def turn(self) -> int:
        """The newest turn that is known of."""
        reached = self.state.turn if self.state is not None else 0
        return max(reached, max(self._turns, default=0))

    @property
    def is_whole(self) -> bool:
        """Whether the board is that of the newest turn."""
        return self._drawing is not None and self._drawn_turn == self.turn

    def begin_drawing(self) -> ShownMatch:
        """What is to be shown with the drawing of the newest state, when that comes."""
        self._note()
        return self.shown()

    def set_drawing(self, state: StateReached, drawing: Drawing) -> None:
        """Note how a state is drawn."""
        self._drawing, self._drawn_turn = drawing, state.turn
        self._note("board")

    def set_names(self, names: MoveNames) -> None:
        """Note what the moves of the game are called."""
        self._note()
        self.names, self._named = names, self.version

    def do_without_drawing(self) -> None:
        """Have the newest turn shown without its board, which takes too long."""
        self._drawing, self._drawn_turn = Drawing(facts=(UNDRAWN,)), self.turn
        self._note("board")

    def set_places(self, line: Line, places: Line) -> None:
        """Note where the joint moves of the principal line are on the board."""
        self.placed_line, self._places = line, places
        self._note("places")

    def shown(self) -> ShownMatch:
        """What there is to show now."""
        sections = {name: self._section(name) for name in self._changed}
        changed, turns = dict(self._changed), dict(self._turns)
        return ShownMatch(self.version, sections, changed, turns, self.names, self._named)

    def summary(self) -> dict[str, object]:
        """The match as a row of a list."""
        newest = max(self._turns, default=0)
        chosen = [turn for turn in self._turns.values() if turn.value is not None]
        return {
            "match": self.start.match,
            "match_id": self.start.match_id,
            "role": self.start.role,
            "game": self.start.game,
            "roles": self.roles,
            "status": self.status,
            "turn": newest,
            "value": chosen[-1].value if chosen else None,
            "proved": bool(chosen) and chosen[-1].proved,
            "manager": self.start.manager,
            "start_time": self.start.time,
            "goals": dict(self._goals()),
        }

    def _section(self, name: str) -> object:
        match name:
            case "about":
                return self._about()
            case "clock":
                return self._clock
            case "board":
                return self.board()
            case "places":
                return {"turn": self._drawn_turn, "line": self._places}
            case "thoughts":
                return self.thoughts
            case _:
                return list(self._problems)

    def _about(self) -> dict[str, object]:
        start = self.start
        return {
            **self.summary(),
            "player": start.player,
            "strategy": start.strategy,
            "about_game": self._about_game,
            "start_clock": start.start_clock,
            "play_clock": start.play_clock,
            "reason": self._end.reason if self._end is not None else "",
            "ended": self._end.time if self._end is not None else None,
        }

    def board(self) -> dict[str, object]:
        """The board as it was drawn last."""
        drawing, state = self._drawing, self.state
        assert drawing is not None
        legal = () if state is None or state.turn != self._drawn_turn else state.legal_moves
        return {
            "turn": self._drawn_turn,
            "svg": drawing.svg,
            "facts": drawing.facts,
            "legal_moves": legal[:MAX_LEGAL],
            "legal_move_count": 0 if state is None else state.legal_move_count,
        }

    def _goals(self) -> list[tuple[str, int | None]]:
        ended = self._end.goals if self._end is not None else {}
        reached = self.state.goals if self.state is not None and self.state.is_over else {}
        return list((ended or reached).items())

    def _note(self, *sections: str) -> None:
        """Note that sections have changed."""
        self.version += 1
        for section in sections:
            self._changed[section] = self.version

    def _set_turn(self, number: int, **changes: Any) -> None:  # noqa: ANN401
        """Change the turn of a number, or note that there is one."""
        self.version += 1
        turn = self._turns.get(number) or Turn(number, role=self.start.role)
        self._turns[number] = replace(turn, version=self.version, **changes)
        if len(self._turns) > MAX_TURNS:
            del self._turns[min(self._turns)]

    # ---------------------------------------------------------------------- events

    @singledispatchmethod
    def apply(self, event: Event) -> None:
        """Follow an event; those of other kinds than these change nothing."""

    @apply.register
    def _(self, event: TurnAsked) -> None:
        if event.joint_move and event.turn:
            self._set_turn(event.turn - 1, joint_move=event.joint_move)
        self._set_turn(event.turn)
        self._clock = _clock("play", event.time, event.clock, event.seconds)
        self._note("clock", "about")

    @apply.register
    def _(self, event: StateReached) -> None:
        if self.state is not None and self.state.turn == event.turn - 1:
            self.before = self.state.state
        elif self.state is None or self.state.turn != event.turn:
            self.before = ""
        self.state = event
        if event.joint_move and event.turn:
            self._set_turn(event.turn - 1, joint_move=event.joint_move)
        if event.roles != self.roles or event.is_over:
            self.roles = event.roles
            self._note("about")

    @apply.register
    def _(self, event: Thoughts) -> None:
        self.thoughts = event
        self._note("thoughts")

    @apply.register
    def _(self, event: GameDescribed) -> None:
        self._about_game = event.text
        self._note("about")

    @apply.register
    def _(self, event: MoveChosen) -> None:
        names = ("move", "value", "proved", "note", "source", "seconds")
        self._set_turn(event.turn, **{name: getattr(event, name) for name in names})
        self._clock = {**self._clock, "chosen": event.time, "margin_left": event.margin_left}
        self._note("clock")

    @apply.register
    def _(self, event: StepMade) -> None:
        if event.step:
            self._set_turn(event.step - 1, joint_move=event.joint_move, errors=event.errors)
        clock = self.start.play_clock
        self._clock = _clock("play", event.time, clock, clock)
        if event.state:
            reached = StateReached(
                match=event.match,
                time=event.time,
                turn=event.step,
                roles=self.roles,
                state=event.state,
            )
            self.apply(reached)
        self._note("clock", "about")

    @apply.register
    def _(self, event: MatchProblem) -> None:
        problem = {"turn": event.turn, "time": event.time, "text": event.text}
        self._problems.append(problem)
        self._note("problems")

    @apply.register
    def _(self, event: MatchEnded) -> None:
        if event.joint_move and event.turn:
            self._set_turn(event.turn - 1, joint_move=event.joint_move)
        self._end, self.status = event, event.status
        self._clock = {**self._clock, "kind": "none"}
        self._note("about", "clock")


def _clock(kind: str, asked: int, clock: float, seconds: float) -> dict[str, object]:
    """A clock that runs since a move was asked for; ``seconds`` of it are for the search."""
    return {"kind": kind, "asked": asked, "clock": clock, "seconds": seconds, "chosen": None}
