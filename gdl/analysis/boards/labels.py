"""The edges of a board: the names of columns and rows, and whose an edge is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, sqrt
from string import ascii_lowercase
from typing import TypeVar

from gdl.analysis.boards.axes import Axis
from gdl.analysis.boards.evidence import RulesEvidence
from gdl.analysis.boards.geometry import Geometry
from gdl.analysis.boards.layout import Board, Label, MovePattern, Place
from gdl.datalog import EMPTY_DOMAIN, ArgumentPosition, Domains

FOLDED_RATIO = 6
"""How many times as long as wide a board is that is cut into strips."""

MIN_FOLDED = 16
"""The fewest lines of such a board."""

MOST_GAPS = 3
"""How many crossings of columns and rows there are for each point, if these name it."""

STRIP_GAP = 1.2
"""Places between two strips."""

_Spot = TypeVar("_Spot", Place, Label)

SPARE_VALUES = 2
"""How many values more than the board has lines an argument can have that is a coordinate."""


def grid_labels(
    columns: Axis, rows: Axis, geometry: Geometry, places: Sequence[Place]
) -> tuple[Label, ...]:
    """Name the columns below a grid and the rows on its left, by the words of the rules.

    Hexagons have labels only where they fill a rhombus.
    """
    across, down = columns, rows
    if geometry.transposed:
        across, down = down, across
    if geometry.rising:
        down = down[::-1]
    if not geometry.slant:
        return square_labels(across, down)
    if len(places) != len(across) * len(down):
        return ()
    heights = sorted({place.y for place in places})
    starts = [min(place.x for place in places if place.y == y) for y in heights]
    foot, bottom = 2 * starts[-1] - starts[-2], 2 * heights[-1] - heights[-2]
    below = [Label(text, foot + i, bottom, "column", text) for i, text in enumerate(across)]
    beside = [
        Label(text, x - 1, y, "row", text) for text, x, y in zip(down, starts, heights, strict=True)
    ]
    return (*below, *beside)


def square_labels(across: Sequence[str], down: Sequence[str]) -> tuple[Label, ...]:
    """Name the columns below squares, from the left, and the rows beside them, from the top."""
    below = [
        Label(text, float(i), float(len(down)), "column", text) for i, text in enumerate(across)
    ]
    beside = [Label(text, -1.0, float(i), "row", text) for i, text in enumerate(down)]
    return (*below, *beside)


def point_labels(places: Sequence[Place]) -> tuple[Label, ...]:
    """Call columns of points by letters and rows by numbers from below, as squares of chess.

    None where points have a name of one word, or lie in more columns and rows than these help with.
    """
    xs, ys = (sorted({getattr(place, way) for place in places}) for way in "xy")
    fills = len(xs) * len(ys) <= MOST_GAPS * len(places)
    if len(places[0].key) == 1 or not fills or len(xs) > len(ascii_lowercase):
        return ()
    below = [Label(text, x, ys[-1] + 1) for text, x in zip(ascii_lowercase, xs, strict=False)]
    beside = [Label(str(i), xs[0] - 1, y, "row") for i, y in enumerate(reversed(ys), 1)]
    return (*below, *beside)


def folded(
    places: tuple[Place, ...], labels: tuple[Label, ...]
) -> tuple[tuple[Place, ...], tuple[Label, ...]] | None:
    """Cut a board into strips beside each other; None where it is not much longer than wide.

    Each strip has the labels of its lines, and those that cross them once more.
    """
    across, down = (int(max(getattr(place, way) for place in places)) + 1 for way in "xy")
    long, short = max(across, down), min(across, down)
    if long < MIN_FOLDED or long < FOLDED_RATIO * short:
        return None
    along, beside = ("x", "y") if across > down else ("y", "x")
    count = round(sqrt(long / short))
    size = ceil(long / count)

    def in_strip(one: _Spot) -> _Spot:
        strip = int(getattr(one, along) // size)
        return at_strip(one, strip, getattr(one, along) - strip * size)

    def at_strip(one: _Spot, strip: int, spot: float) -> _Spot:
        far = getattr(one, beside) + strip * (short + STRIP_GAP)
        return replace(one, **{along: spot, beside: far})

    named = "column" if along == "x" else "row"
    cut = [in_strip(label) for label in labels if label.line == named]
    ends = [
        at_strip(label, strip, -1.0 if along == "x" else float(size))
        for label in labels
        if label.line != named
        for strip in range(count)
    ]
    found = tuple(sorted(map(in_strip, places), key=lambda place: (place.y, place.x)))
    return found, (*cut, *ends)


def role_rims(evidence: RulesEvidence, places: Sequence[Place]) -> tuple[tuple[int, str, str], ...]:
    """Find whose the edges of a rhombus of hexagons are, as static relations tell.

    These have a role, and for it the places of one whole edge or two.
    """
    edges = _edges(places)
    index = {place.key: i for i, place in enumerate(places)}
    found: set[tuple[int, str, str]] = set()
    for relation, rows in evidence.static.items():
        for role in evidence.roles if relation[1] == 3 else ():
            for position in (0, 2):
                keys = {
                    (*row[:position], *row[position + 1 :]) for row in rows if row[position] == role
                }
                whole = {sides: line for sides, line in edges.items() if line <= keys}
                if whole and keys == frozenset().union(*whole.values()):
                    found |= {
                        (index[key], side, role)
                        for sides, line in whole.items()
                        for key in line
                        for side in sides
                    }
    return tuple(sorted(found))


def _edges(places: Sequence[Place]) -> dict[tuple[str, str], frozenset[tuple[str, ...]]]:
    """The places at each edge of a rhombus, by the sides that they have there."""
    heights = sorted({place.y for place in places})
    lines = [sorted((p for p in places if p.y == y), key=lambda place: place.x) for y in heights]
    leans_right = lines[0][0].x < lines[-1][0].x
    return {
        ("nw", "ne"): frozenset(place.key for place in lines[0]),
        ("sw", "se"): frozenset(place.key for place in lines[-1]),
        ("w", "sw" if leans_right else "nw"): frozenset(line[0].key for line in lines),
        ("e", "ne" if leans_right else "se"): frozenset(line[-1].key for line in lines),
    }


def lettered(number: int, board: Board, patterns: Sequence[MovePattern], domains: Domains) -> Board:
    """Call columns by letters where numbers name columns and rows, and moves name cells by both.

    People say ``e4`` then, but ``column 4`` where some move names a column or a row alone.
    ``number`` is the board's index, which the ``patterns`` have; ``domains`` are the values of the
    arguments of moves.
    """
    if not has_two_numbers(board):
        return board
    uses = set(_uses(number, board, patterns, domains))
    if uses != {"cell"}:
        return board
    return replace(
        board,
        labels=tuple(
            replace(label, text=ascii_lowercase[int(label.text) - 1])
            if label.line == "column"
            else label
            for label in board.labels
        ),
    )


def has_two_numbers(board: Board) -> bool:
    """Whether the columns are called 1, 2, 3 from the left, so that letters can be for them.

    The rows have numbers from 1, too, from the top or the bottom.
    """
    columns = [label.text for label in board.labels if label.line == "column"]
    rows = [label.text for label in board.labels if label.line == "row"]
    return (
        board.key_length == 2
        and 0 < len(columns) <= len(ascii_lowercase)
        and columns == _counted(columns)
        and _counted(rows) in (rows, rows[::-1])
    )


def _counted(words: Sequence[str]) -> list[str]:
    return [str(i + 1) for i in range(len(words))]


def _uses(
    number: int, board: Board, patterns: Sequence[MovePattern], domains: Domains
) -> Iterator[str]:
    """Yield how moves use the coordinates of a board: for a ``cell``, or for a ``line`` alone."""
    known = {(pattern.name, pattern.arity): pattern for pattern in patterns}
    for name, arity in sorted({*known, *((each.name, each.arity) for each in domains)}):
        unknown = MovePattern(name, arity, (None,) * arity, ((),) * arity)
        arguments = _Arguments(number, board, known.get((name, arity), unknown), domains)
        if arguments.name_cells():
            yield "cell"
        elif arguments.name_line():
            yield "line"


class _Arguments:
    """The arguments of a move's function, which can be coordinates of one board."""

    def __init__(self, number: int, board: Board, pattern: MovePattern, domains: Domains) -> None:
        self._number = number
        self._words = [frozenset(place.key[k] for place in board.places) for k in range(2)]
        self._pattern = pattern
        positions = [
            ArgumentPosition(False, pattern.name, pattern.arity, i) for i in range(pattern.arity)
        ]
        self._values = [domains.get(each, EMPTY_DOMAIN).constants for each in positions]

    def name_cells(self) -> bool:
        """Whether two arguments are the coordinates of a cell.

        The rules show it of one at least, by variables that they share with facts; otherwise all
        arguments must have just the values of coordinates.
        """
        pattern = self._pattern
        pairs = range(pattern.arity - 1)
        shown = [i for i in pairs if self._is_shown(i, 0) or self._is_shown(i + 1, 1)]
        if shown:
            return any(self._can_be(i, 0) and self._can_be(i + 1, 1) for i in shown)
        return (
            pattern.arity in (2, 4)
            and not any(pattern.places)
            and not any(pattern.contents)
            and all(values == self._words[i % 2] for i, values in enumerate(self._values))
        )

    def name_line(self) -> bool:
        """Whether a single argument is a coordinate."""
        slots = [each or () for each in self._pattern.places]
        return sum(any(n == self._number for n, _ in each) for each in slots) == 1

    def _is_shown(self, i: int, k: int) -> bool:
        return (self._number, k) in (self._pattern.places[i] or ())

    def _can_be(self, i: int, k: int) -> bool:
        """Whether an argument is a coordinate, or has its values and nothing shows what it is."""
        if self._is_shown(i, k):
            return True
        words, values = self._words[k], self._values[i]
        is_free = not self._pattern.places[i] and not self._pattern.contents[i]
        return is_free and words <= values and len(values) <= len(words) + SPARE_VALUES
