"""What a server asks the drawing process for, and what that answers: a line of JSON each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter
from pydantic_core import to_json

from gdl.analysis.move_names import MoveNames
from gdl.drawing import EndingWords
from ggp_player.pages.positions import ShownPosition
from ggp_player.pages.rulesheets import GameFound

MAX_LINE = 6
"""Joint moves of a line that are placed on the board."""

Line: TypeAlias = tuple[tuple[str, ...], ...]
"""Joint moves, or the names of the places of each."""


@dataclass(frozen=True, slots=True)
class DrawState:
    """Draw a state of a game, mark what has changed since the one before, and place moves.

    ``line`` are joint moves that are expected from the state on. Without ``with_drawing`` only
    moves are placed. ``is_partial`` says that the state lacks what is not known. ``layout_file``
    refines the boards; without one they follow from the rules. Where the match ``is_over``, what
    has decided it is marked. Without ``with_turn`` it is not said whose turn it is, and without
    ``with_legend`` not what pieces are called. ``prefix`` begins the ids of a drawing that is one
    of several.
    """

    rules: str
    state: str
    before: str = ""
    moves: tuple[str, ...] = ()
    line: Line = ()
    with_drawing: bool = True
    layout_file: str = ""
    is_partial: bool = False
    is_over: bool = False
    with_turn: bool = True
    with_legend: bool = True
    prefix: str = ""
    kind: Literal["DrawState"] = field(default="DrawState", repr=False)


@dataclass(frozen=True, slots=True)
class DrawSteps:
    """Draw states of a match in an archive, from the step ``first`` on.

    ``length`` is how many steps the match had when the page was loaded: it may still be running.
    """

    archive: str
    match: str
    first: int
    count: int
    length: int
    kind: Literal["DrawSteps"] = field(default="DrawSteps", repr=False)


@dataclass(frozen=True, slots=True)
class DrawPosition:
    """Draw a position of a match in an archive: see :mod:`ggp_player.pages.positions`."""

    archive: str
    match: str
    step: int
    line: str
    length: int
    kind: Literal["DrawPosition"] = field(default="DrawPosition", repr=False)


@dataclass(frozen=True, slots=True)
class DrawMoves:
    """Draw the position after these joint moves of a match, and say what the last one is called."""

    rules: str
    moves: Line
    prefix: str = ""
    kind: Literal["DrawMoves"] = field(default="DrawMoves", repr=False)


@dataclass(frozen=True, slots=True)
class RecordSteps:
    """Record the steps of a textbook strategy that searches a position of a match."""

    archive: str
    match: str
    step: int
    line: str
    length: int
    strategy: str
    kind: Literal["RecordSteps"] = field(default="RecordSteps", repr=False)


@dataclass(frozen=True, slots=True)
class NameMoves:
    """Find what the moves of a game are called."""

    rules: str
    layout_file: str = ""
    kind: Literal["NameMoves"] = field(default="NameMoves", repr=False)


@dataclass(frozen=True, slots=True)
class FindGame:
    """Check a rulesheet, and draw the initial state of its game."""

    rules: str
    layout_file: str = ""
    prefix: str = ""
    kind: Literal["FindGame"] = field(default="FindGame", repr=False)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A state as SVG; as facts where it could not be drawn.

    ``cells`` has for each move that was asked about the names of its places, each the number of a
    board and the place's words; ``line`` has those of each joint move of the expected line.
    ``ending`` says at the end of a match what has decided it. For :class:`DrawMoves` there are the
    ``roles``, and ``last_moves`` has for each its last move, empty where it only waited.
    """

    svg: str = ""
    facts: tuple[str, ...] = ()
    cells: dict[str, tuple[str, ...]] = field(default_factory=dict)
    line: Line = ()
    ending: EndingWords = field(default_factory=EndingWords)
    roles: tuple[str, ...] = ()
    last_moves: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The drawings that were asked for; ``error`` says why there are none.

    ``refusal`` says why there is no ``position`` or ``steps``; what ``is_too_hard`` took too long.
    """

    drawings: tuple[Drawing, ...] = ()
    error: str = ""
    position: ShownPosition | None = None
    refusal: str = ""
    is_too_hard: bool = False
    names: MoveNames | None = None
    game: GameFound | None = None
    steps: str = ""


DrawingRequest: TypeAlias = (
    DrawState | DrawSteps | DrawPosition | DrawMoves | RecordSteps | NameMoves | FindGame
)

REQUESTS: TypeAdapter[DrawingRequest] = TypeAdapter(
    Annotated[DrawingRequest, Field(discriminator="kind")]
)
ANSWERS = TypeAdapter(Answer)


def encode(message: DrawingRequest | Answer) -> bytes:
    """Encode a message as a line."""
    return to_json(message) + b"\n"
