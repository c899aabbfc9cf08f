"""What is drawn of a game, and where: the result of the search for boards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal, TypeAlias

from gdl.language import Constant, Function, Term


class Shape(StrEnum):
    """How the places of a board lie and look."""

    SQUARES = "squares"
    """Places are squares of a grid, which can have gaps."""
    HEXES = "hexes"
    """Places are hexagons; each touches six others."""
    POINTS = "points"
    """Places are named points, with lines between neighbours."""
    ROW = "row"
    """Places are named boxes beside each other: pits, pegs, heaps, cups."""
    PILES = "piles"
    """Named boxes beside each other in which things lie on each other: the discs of a peg."""
    STACKS = "stacks"
    """Things stand on each other; where, only the state says."""


class Part(StrEnum):
    """What a fact is on its board."""

    PIECE = "piece"
    """Something that lies on a place, named by the content arguments."""
    MARK = "mark"
    """A property of a place, such as being blocked, in a game that has pieces besides."""
    COUNT = "count"
    """The number of equal things on a place: seeds, pebbles."""
    EDGE = "edge"
    """A line between two places, of which the fact names both, or one and a side of its square."""
    SIDE = "side"
    """A side of a square."""
    LAYER = "layer"
    """One of the things that lie on each other on a place; the first word of each is its level."""
    PANEL = "panel"
    """A property of one of several boards; the key is the beginning of its places' keys."""
    HELPER = "helper"
    """What only helps the rules to place something, and is not drawn."""
    ASIDE = "aside"
    """What else is said of a place, drawn only where nothing else is there."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a board: its key, as facts and moves name it, and its centre.

    Coordinates are in units of one place, from the upper left; y grows downwards.
    """

    key: tuple[str, ...]
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class FactPattern:
    """Facts of one function that belong on a board.

    ``place`` lists the arguments, counted from 0, that name the place, in the order of its key;
    ``end`` those of the second place of an edge; ``content`` the others.
    """

    name: str
    arity: int
    place: tuple[int, ...]
    content: tuple[int, ...] = ()
    end: tuple[int, ...] = ()
    part: Part = Part.PIECE

    def key_of(self, args: tuple[str, ...]) -> tuple[str, ...]:
        """Return the key of the place that a fact names."""
        return tuple([args[i] for i in self.place])

    def end_of(self, args: tuple[str, ...]) -> tuple[str, ...]:
        """Return the key of the second place that a fact names."""
        return tuple([args[i] for i in self.end])

    def content_of(self, args: tuple[str, ...]) -> tuple[str, ...]:
        """Return the arguments that say what lies on the place."""
        return tuple([args[i] for i in self.content])


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several boards beside each other: the beginning of its places' keys, and its frame."""

    key: tuple[str, ...]
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Label:
    """A word beside a board: the name of a column or a row; the centre as that of a place.

    The ``word`` is what the rules call it, where they name it apart from the other coordinate.
    """

    text: str
    x: float
    y: float
    line: Literal["column", "row"] = "column"
    word: str = ""


@dataclass(frozen=True, slots=True)
class Style:
    """How a word of the rules is drawn: a glyph, a colour, or both; empty where it is not said."""

    glyph: str = ""
    colour: str = ""


Voids: TypeAlias = Literal["none", "walls", "squares"]


@dataclass(frozen=True)
class Board:
    """A board: its places, and the facts that are drawn on it.

    ``title`` names it. ``links`` are the pairs of places, by index, between which a line is drawn.
    ``blank`` are contents that mean that nothing is there. ``found_by`` says in a few words what in
    the rules it was recognised by. ``checkered`` boards have dark and light squares. ``voids`` says
    what the squares of the rectangle are that are no places: walls, light squares, or nothing.
    """

    title: str
    shape: Shape
    places: tuple[Place, ...]
    patterns: tuple[FactPattern, ...]
    found_by: str
    panels: tuple[Panel, ...] = ()
    labels: tuple[Label, ...] = ()
    links: tuple[tuple[int, int], ...] = ()
    blank: frozenset[str] = frozenset()
    checkered: bool = False
    voids: Voids = "none"
    ground: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """What is drawn on the ground whatever the state: a place by index, and words."""
    sides: tuple[tuple[str, str], ...] = ()
    """For facts that are sides: the content, and ``top``, ``bottom``, ``left`` or ``right``."""
    bare: frozenset[int] = frozenset()
    """Places, by index, of which only sides are drawn; of stacks, things that stand on nothing."""
    middle: tuple[float, float] | None = None
    """Where places are corners of squares, how far the square that each names is from it."""
    rims: tuple[tuple[int, str, str], ...] = ()
    """Whose the rim of a board of hexagons is: a place by index, which of its sides, and a role.

    Sides are called by points of the compass: ``ne``, ``e``, ``se``, ``sw``, ``w`` and ``nw``.
    """

    @cached_property
    def index(self) -> dict[tuple[str, ...], int]:
        """The index of each place, by its key."""
        return {place.key: i for i, place in enumerate(self.places)}

    @cached_property
    def pattern_of(self) -> dict[tuple[str, int], FactPattern]:
        """The pattern for each function, by name and number of arguments."""
        return {(pattern.name, pattern.arity): pattern for pattern in self.patterns}

    def end_of(self, pattern: FactPattern, args: tuple[str, ...]) -> tuple[str, ...] | None:
        """The key of the place to which a fact draws an edge; None where there is none."""
        if pattern.end:
            end = pattern.end_of(args)
            return end if end in self.index else None
        key = pattern.key_of(args)
        ends = (self.far_corners.get((word, key)) for word in pattern.content_of(args))
        return next((end for end in ends if end is not None), None)

    @cached_property
    def far_corners(self) -> dict[tuple[str, tuple[str, ...]], tuple[str, ...]]:
        """Where places are corners: for a word of a side, and the corner of its square, its end."""
        if self.middle is None:
            return {}
        across, down = (2 * way for way in self.middle)
        spots = {(place.x, place.y): place.key for place in self.places}
        steps = {
            word: (across, 0.0) if side in ("top", "bottom") else (0.0, down)
            for word, side in self.sides
        }
        return {
            (word, place.key): end
            for place in self.places
            for word, (x, y) in steps.items()
            if (end := spots.get((place.x + x, place.y + y))) is not None
        }

    @property
    def key_length(self) -> int:
        """How many words name a place."""
        return len(self.places[0].key) if self.places else 1


@dataclass(frozen=True)
class BoardLayout:
    """What is drawn of a game: boards, counters, and a table for all other facts.

    ``turn`` names the functions of one argument that say whose turn it is. ``scores`` are functions
    that give each role one value. ``hidden_information`` is True where the rules say what roles see
    (GDL-II). ``moves`` says which arguments of moves are coordinates, for :func:`cells_of_move`.
    """

    roles: tuple[str, ...]
    boards: tuple[Board, ...] = ()
    counters: Mapping[str, str] = field(default_factory=dict)
    """Functions with one value at a time, such as a step counter or a sum, and the last of these.

    That is empty where they are in no order.
    """
    turn: tuple[str, ...] = ()
    scores: tuple[tuple[str, int], ...] = ()
    hidden_information: bool = False
    moves: tuple[MovePattern, ...] = ()
    styles: Mapping[str, Style] = field(default_factory=dict)
    """How words are drawn, where the layout file says it."""
    traits: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Words for pieces that differ in traits of two values, such as size and colour, and these."""
    hands: frozenset[tuple[str, int]] = frozenset()
    """Functions whose last argument is a card, and their numbers of arguments."""
    dice: frozenset[tuple[str, int]] = frozenset()
    """Functions whose numbers are thrown by chance, or said of what it has thrown."""

    sizes: Mapping[str, float] = field(default_factory=dict)
    """Words for things that lie on each other, and how large they are: at most 1."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Words of the rules, in small letters, and what people say instead."""
    move_texts: Mapping[str, str] = field(default_factory=dict)
    """Functions of moves, and what these are called, with ``{1}`` for the first argument."""
    beside: tuple[tuple[str, str, tuple[tuple[str, ...], ...]], ...] = ()
    """Counters, each with a static relation and its rows, of which those with its value count."""

    def __hash__(self) -> int:
        return hash((self.roles, self.boards, self.moves))

    @cached_property
    def move_patterns(self) -> dict[tuple[str, int], MovePattern]:
        """The pattern of each function of moves that has one."""
        return {(pattern.name, pattern.arity): pattern for pattern in self.moves}


@dataclass(frozen=True, slots=True)
class MovePattern:
    """What the arguments of a move can name, as the rules that share variables with facts tell.

    ``places`` lists for each argument pairs of a board's index and a position in a place's key;
    ``contents`` the boards whose pieces the argument can name; None where nothing is known.
    """

    name: str
    arity: int
    places: tuple[tuple[tuple[int, int], ...] | None, ...]
    contents: tuple[tuple[int, ...], ...]


def function_of(term: Term) -> tuple[str, int]:
    """Return a term's name and number of arguments, 0 for constants."""
    return (term.name, len(term.args)) if isinstance(term, Function) else (term.name, 0)


def words_of(term: Term) -> tuple[str, ...]:
    """Return a term's arguments as texts."""
    if not isinstance(term, Function):
        return ()
    return tuple([a.name if isinstance(a, Constant) else str(a) for a in term.args])
