"""Goal cubes: the cells that goals and the end ask for together, such as those of a line.

The rows of goals and of the end are written as disjunctions of *cubes*, each of which asks a few
cells for some of their digits: a line of four asks four cells for one colour, one of four pieces
that are alike for half of the pieces. What takes too many cubes, or too wide ones, is left out, and
so is a conjunction of disjunctions, such as that of there being no line: a cube is then weaker than
the rules say, and a disjunction has fewer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from random import Random
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl import Term
from gdl.circuit import Layout
from ggp_player.strategies.patterns.cells import Cell, relation_of
from ggp_player.strategies.patterns.tuples import MAX_CELLS, MAX_ENTRIES, Tuple

FEWEST_ALIKE, MOST_ALIKE = 100, 1_000
"""Tuples that are alike, in all groups. Of fewer, each is met often enough to be learned alone."""

CONTEXT_DIGITS = 4
"""Digits of the cell that says what the next move is about, at least."""

MAX_CUBES = 512
"""A row of more cubes is left out."""

MOST_GATES = 100_000
"""In larger games there are none, and no context."""

MOST_WORK = 100_000
"""Cubes that are disjoined in all: some tenths of a second."""

Cube: TypeAlias = tuple[tuple[int, int], ...]
"""Cells by index, rising, each with the set of digits that it may have, as bits."""


def draw_cube_tuples(
    cells: Sequence[Cell],
    layout: Layout,
    count: int,
    random: Random,
    context: int | None = None,
) -> tuple[list[Cell], list[Tuple], list[list[Tuple]]]:
    """Draw tuples over the cells of cubes, so many at most; return them with the cells they are of.

    These cells come after the given ones. They tell apart what a cube asks for, the other digits,
    and digit 0; so there is one tuple for a line, whoever fills it. To each is added the
    ``context``, if there is one: see :func:`.find_context`. At last come all tuples without it,
    where they are many, in groups of those that are alike: the same rows ask for them, and for as
    many cells.
    """
    if len(layout.view.gates) > MOST_GATES:
        return [], [], []
    asking: dict[tuple[Cell, ...], set[int]] = {}
    for cube, rows in _Cubes(cells, layout).of_ends().items():
        if len(cube) > 1:
            asking.setdefault(_parts_of(cells, cube), set()).update(rows)
    found = list(asking)
    random.shuffle(found)
    numbers: dict[Cell, int] = {}
    tuples = [
        tuple(numbers.setdefault(cell, len(cells) + len(numbers)) for cell in part)
        for part in found
    ]
    alike: dict[object, list[Tuple]] = {}
    for part, members in zip(found, tuples, strict=True):
        kind = frozenset(asking[part]), tuple(sorted(cell.radix for cell in part))
        alike.setdefault(kind, []).append(members)
    groups = [group for group in alike.values() if len(group) > 1]
    are_many = FEWEST_ALIKE <= sum(map(len, groups)) <= MOST_ALIKE
    drawn = zip(found[:count], tuples[:count], strict=True)
    full = [_with_context(context, cells, part, members) for part, members in drawn]
    return list(numbers), full, groups if are_many else []


def find_context(
    facts: Sequence[Term],
    cells: Sequence[Cell],
    layout: Layout,
    joined: NDArray[np.float32],
) -> int | None:
    """Find the cell that says what the next move is about, by index; None where there is none.

    That is the piece that must be placed, or the board that must be played on: it has several
    digits, legal moves depend on it, and its relation has no other cell. Of several such cells it
    is the one that is closest to all, by what :func:`.join_cells` returns.
    """
    if len(layout.view.gates) > MOST_GATES:
        return None
    relations = Counter(relation_of(facts[cell.fluents[0]]) for cell in cells)
    moves = range(layout.legal, layout.legal + sum(layout.move_counts))
    read = _rows_below(_gates_of(layout), moves)
    close = joined.sum(axis=0)
    for number, cell in enumerate(cells[: len(joined)]):
        is_alone = relations[relation_of(facts[cell.fluents[0]])] == 1
        is_read = any(layout.fluents + fluent in read for fluent in cell.fluents)
        if cell.radix < CONTEXT_DIGITS or not (is_alone and is_read):
            close[number] = 0
    return int(close.argmax()) if close.max(initial=0) > 0 else None


def _gates_of(layout: Layout) -> dict[int, tuple[int, int]]:
    """The two literals that each gate conjoins, by its row, in the order of evaluation."""
    return {row: (left, right) for row, left, right in layout.view.gates.tolist()}


def _rows_below(gates: Mapping[int, tuple[int, int]], rows: Iterable[int]) -> set[int]:
    """Some rows, and all that they rest on."""
    found, stack = set[int](), list(rows)
    while stack:
        row = stack.pop()
        if row not in found:
            found.add(row)
            stack += [literal >> 1 for literal in gates.get(row, ())]
    return found


def _with_context(
    context: int | None, cells: Sequence[Cell], parts: Sequence[Cell], members: Tuple
) -> Tuple:
    """A tuple with the context, where it lacks that, and a table has room for it."""
    if context is None or len(members) == MAX_CELLS:
        return members
    cell = cells[context]
    has_it = any(part.fluents == cell.fluents for part in parts)
    entries = cell.radix * prod(part.radix for part in parts)
    return members if has_it or entries > MAX_ENTRIES else (*members, context)


def _parts_of(cells: Sequence[Cell], cube: Cube) -> tuple[Cell, ...]:
    """The cells of a cube, with no more digits than it tells apart."""
    return tuple(_part_of(cells[number], digits) for number, digits in cube)


def _part_of(cell: Cell, asked: int) -> Cell:
    asks = [bool(asked >> digit & 1) for digit in range(1, len(cell.fluents) + 1)]
    # Digit 1 is on the side of the first fluent, so that a set and the rest of it are the same.
    return replace(cell, digits=tuple(1 if each == asks[0] else 2 for each in asks))


class _Cubes:
    """Finds the cubes of rows, gate by gate: those for a row to hold, and not to hold.

    None stands for what is not known, which is left out of conjunctions and disjunctions.
    """

    def __init__(self, cells: Sequence[Cell], layout: Layout) -> None:
        self._layout = layout
        self._work = 0
        self._gates = _gates_of(layout)
        self._known: dict[int, list[Cube] | None] = {0: [], 1: [()]}
        for number, cell in enumerate(cells):
            every = (1 << len(cell.fluents) + 1) - 1
            for digit, fluent in enumerate(cell.fluents, 1):
                literal = 2 * (layout.fluents + fluent)
                self._known[literal] = [((number, 1 << digit),)]
                self._known[literal + 1] = [((number, every - (1 << digit)),)]
            for fluent in cell.others:
                literal = 2 * (layout.fluents + fluent)
                self._known[literal] = [((number, 1),)]
                self._known[literal + 1] = [((number, every - 1),)]

    def of_ends(self) -> dict[Cube, set[int]]:
        """The cubes of all goals, and of the end, each with the rows that ask for it."""
        layout = self._layout
        rows = [layout.terminal, *range(layout.goals, layout.goals + layout.goal_count)]
        self._visit(rows)
        found: dict[Cube, set[int]] = {}
        for row in rows:
            for cube in self._known.get(2 * row) or ():
                found.setdefault(cube, set()).add(row)
        return found

    def _visit(self, rows: Sequence[int]) -> None:
        """Find the cubes of all rows that these rest on, in the order of the gates."""
        needed = _rows_below(self._gates, rows)
        for row, (left, right) in self._gates.items():
            if row in needed:
                self._known[2 * row] = self._both(left, right)
                self._known[2 * row + 1] = self._either(left ^ 1, right ^ 1)

    def _both(self, left: int, right: int) -> list[Cube] | None:
        one, other = self._known.get(left), self._known.get(right)
        if one is None or other is None:
            return other if one is None else one
        if min(len(one), len(other)) > 1:
            return None
        found = (_conjoined(*pair) for pair in product(one, other))
        return [cube for cube in dict.fromkeys(found) if cube is not None] or None

    def _either(self, left: int, right: int) -> list[Cube] | None:
        one, other = self._known.get(left), self._known.get(right)
        if one is None or other is None:
            return other if one is None else one
        self._work += len(one) + len(other)
        if len(one) + len(other) > MAX_CUBES or self._work > MOST_WORK:
            return None
        return _merged([*one, *other])


def _merged(cubes: Sequence[Cube]) -> list[Cube]:
    """The same cubes, of which two that differ in one cell alone are one."""
    found: dict[Cube, None] = {}
    by_rest: dict[Cube, Cube] = {}
    for each in cubes:
        cube = each
        for other in filter(None, map(by_rest.get, _rests(cube))):
            if other in found:
                del found[other]
                pairs = zip(cube, other, strict=True)
                cube = tuple((cell, digits | more) for (cell, digits), (_, more) in pairs)
                break
        found[cube] = None
        by_rest.update(dict.fromkeys(_rests(cube), cube))
    return list(found)


def _rests(cube: Cube) -> Iterator[Cube]:
    """What is left of a cube without the digits of one of its cells."""
    for place, (cell, _) in enumerate(cube):
        yield (*cube[:place], (cell, 0), *cube[place + 1 :])


def _conjoined(one: Cube, other: Cube) -> Cube | None:
    """The cube of what two ask for; None where that cannot be, or is too wide."""
    asked = dict(one)
    for cell, digits in other:
        asked[cell] = asked.get(cell, digits) & digits
    if len(asked) > MAX_CELLS or not all(asked.values()):
        return None
    return tuple(sorted(asked.items()))
