"""Geometry: how the places of a grid lie, as static relations between coordinates tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gdl.analysis.boards.axes import Axis
from gdl.analysis.boards.evidence import Row, RulesEvidence
from gdl.analysis.boards.grids import Grid
from gdl.analysis.boards.layout import function_of
from gdl.language import Function, Rule, Term, Variable, atoms_of

_HEX = (
    frozenset({(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)}),
    frozenset({(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)}),
)
"""The steps to the six neighbours of a hexagon, in the two senses of slanting coordinates."""

_UP = frozenset({"north", "up", "n", "mov_up", "moveup", "forward", "above", "nord"})
_DOWN = frozenset({"south", "down", "s", "mov_down", "movedown", "below", "sud"})
_ROW_NAMES = frozenset({"row", "rank", "r", "y", "level", "height", "line", "row1", "y1"})
_COLUMN_NAMES = frozenset({"column", "col", "file", "f", "c", "x", "col1", "x1"})
_RISING_NAMES = frozenset({"rank", "level", "height"})


@dataclass(frozen=True, slots=True)
class Geometry:
    """How a grid is drawn: hexagons slant to the right (1) or left (-1), 0 for squares.

    ``transposed`` grids have their row as the first coordinate; in ``rising`` ones the first row is
    the lowest. ``reason`` says what showed it.
    """

    slant: int = 0
    transposed: bool = False
    rising: bool = False
    reason: str = ""


def find_geometry(evidence: RulesEvidence, grid: Grid, gravity: bool) -> Geometry:
    """Find how a grid lies; ``gravity`` is True where a move names a column alone."""
    steps = list(_steps(evidence, grid))
    slant = _slant(steps)
    transposed = _is_transposed(grid)
    rising = _sense_of_north(steps, transposed)
    if rising is None:
        rising = gravity or _has_rising_names(grid) or _letters_and_numbers(grid)
        rising = rising or _grows_to_higher_rows(evidence, grid, transposed)
        rising = rising or _first_role_is_low(evidence, grid, transposed)
    reason = "six neighbours each" if slant else ""
    return Geometry(slant, transposed, rising, reason)


def _steps(evidence: RulesEvidence, grid: Grid) -> Iterator[tuple[Row, list[tuple[int, int]]]]:
    """Yield what static relations lead from place to place: their constants, and the steps."""
    across = {value: i for i, value in enumerate(grid.columns)}
    down = {value: i for i, value in enumerate(grid.rows)}
    for relation, rows in sorted(evidence.static.items()):
        arity = relation[1]
        if not 4 <= arity <= 6 or not rows:
            continue
        for first in range(arity - 3):
            columns = (first, first + 1, first + 2, first + 3)
            if not all(
                row[c] in (across if k % 2 == 0 else down)
                for row in rows
                for k, c in enumerate(columns)
            ):
                continue
            by_words: dict[Row, list[tuple[int, int]]] = {}
            for row in rows:
                a, b, c, d = (row[i] for i in columns)
                words = tuple(v for i, v in enumerate(row) if i not in columns)
                step = (across[c] - across[a], down[d] - down[b])
                by_words.setdefault(words, []).append(step)
            yield from by_words.items()
            break


def _slant(steps: Sequence[tuple[Row, list[tuple[int, int]]]]) -> int:
    near: Counter[tuple[int, int]] = Counter()
    for _, found in steps:
        near.update(s for s in set(found) if s != (0, 0) and max(map(abs, s)) == 1)
    all_near = {*near, *((-x, -y) for x, y in near)}
    for slant, six in zip((1, -1), _HEX, strict=True):
        if all_near == six:
            return slant
    return 0


def _sense_of_north(
    steps: Sequence[tuple[Row, list[tuple[int, int]]]], transposed: bool
) -> bool | None:
    """Whether north is where the numbers of rows rise; None where no direction is named."""
    for words, found in steps:
        names = {word.lower() for word in words}
        vertical = {(x if transposed else y) for x, y in found}
        if len(vertical) != 1 or len(names & (_UP | _DOWN)) != 1:
            continue
        sense = vertical.pop()
        if sense:
            return (sense > 0) == bool(names & _UP)
    return None


def _names(grid: Grid, position: int) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for facts in grid.facts:
        found |= facts.fluent.names[facts.pair[position]]
    return found


def _is_transposed(grid: Grid) -> bool:
    first, second = _names(grid, 0), _names(grid, 1)
    if first & _COLUMN_NAMES or second & _ROW_NAMES:
        return False
    return bool(first & _ROW_NAMES or second & _COLUMN_NAMES)


def _has_rising_names(grid: Grid) -> bool:
    return bool((_names(grid, 0) | _names(grid, 1)) & _RISING_NAMES)


def _letters_and_numbers(grid: Grid) -> bool:
    return _are_letters(grid.columns) and all(value.isdigit() for value in grid.rows)


def _are_letters(axis: Axis) -> bool:
    return all(len(value) == 1 and value.isalpha() for value in axis)


def _grows_to_higher_rows(evidence: RulesEvidence, grid: Grid, transposed: bool) -> bool:
    """Whether what a move does to a column happens on the next higher row, in all rules for that.

    So it is where things are piled up: a move onto a place opens the one above it.
    """
    row, column = (0, 1) if transposed else (1, 0)
    axis = {value: i for i, value in enumerate(grid.columns if transposed else grid.rows)}
    pairs = {facts.fluent.key: facts.pair for facts in grid.facts}
    steps: set[int] = set()
    for rule in evidence.ruleset.rules:
        fact = rule.head.args[0] if rule.head.relation == ("next", 1) else None
        if isinstance(fact, Function) and (pair := pairs.get(function_of(fact))):
            place = fact.args[pair[column]], fact.args[pair[row]]
            steps |= set(_rows_from_move(evidence, rule, place, axis))
    return steps == {1}


def _rows_from_move(
    evidence: RulesEvidence, rule: Rule, place: tuple[Term, Term], axis: dict[str, int]
) -> Iterator[int]:
    """How many rows the ``place`` of a rule's head is from one that a move names in its column."""
    atoms = [atom for atom, is_positive in atoms_of(*rule.body) if is_positive]
    named = [atom.args[1] for atom in atoms if atom.relation == ("does", 2)]
    column, row = place
    for move in named:
        words = move.args if isinstance(move, Function) else ()
        if column not in words or row in words or not isinstance(column, Variable):
            continue
        for atom in atoms:
            rows = evidence.static.get(atom.relation, frozenset())
            if atom.relation[1] == 2 and row == atom.args[1] and atom.args[0] in words:
                yield from {axis[b] - axis[a] for a, b in rows if a in axis and b in axis}
            elif atom.relation[1] == 2 and row == atom.args[0] and atom.args[1] in words:
                yield from {axis[a] - axis[b] for a, b in rows if a in axis and b in axis}


def _first_role_is_low(evidence: RulesEvidence, grid: Grid, transposed: bool) -> bool:
    """Whether the pieces of the first role begin on rows of lower number than those of the second.

    The mean row of each word of the initial facts that is, or that starts as, a role's name.
    """
    rows = {value: i for i, value in enumerate(grid.columns if transposed else grid.rows)}
    means = [_mean_row(role, grid, rows, 0 if transposed else 1) for role in evidence.roles]
    known = [mean for mean in means[:2] if mean is not None]
    return len(known) == 2 and known[0] + 1 < known[1]


def _mean_row(role: str, grid: Grid, rows: dict[str, int], position: int) -> float | None:
    found = [
        rows[row[facts.pair[position]]]
        for facts in grid.facts
        for row in facts.fluent.initial
        if row[facts.pair[position]] in rows and any(_belongs(row[i], role) for i in facts.content)
    ]
    return sum(found) / len(found) if found else None


def _belongs(word: str, role: str) -> bool:
    word, role = word.lower(), role.lower()
    return word == role or word.startswith(role) or (len(word) == 2 and word[0] == role[0])
