"""Observations: which rows of a block a role is shown, in what shape, and under what names.

In a game of perfect information that is the state: a byte, 0 or 1, for each fluent, or planes where
a board is found in the rules. Where the rules say what roles see, it is what the role may know of
the last step, its percepts and its own move, and never the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.boards import Board, Shape, find_layout, function_of, words_of
from gdl.engine import PropnetStateMachine
from gdl.language import Term

ObservationKind: TypeAlias = Literal["auto", "board", "facts"]

MOST_EXTRA_PLANES = 4
"""With more facts beside the board than this, ``auto`` observes facts: each takes a plane."""

_GRIDS = (Shape.SQUARES, Shape.HEXES)
_SLANTS = (0.0, 0.5, -0.5)
"""How far a row of hexagons can be shifted against the one above, in places."""


@dataclass(frozen=True)
class ObservationSpec:
    """What is observed: ``rows`` of a block, int64 (n,), in an array of ``shape``, by ``names``.

    The shape is (n,), with a name for each, or (planes, height, width), with a name for each plane:
    facts whose place is ``?``, as in ``(cell ? ? red)``; a fact without a place fills its plane.
    """

    rows: NDArray[np.int64]
    shape: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.rows)


def observation_of(
    machine: PropnetStateMachine, role: int | None = None, kind: ObservationKind = "auto"
) -> ObservationSpec:
    """Find what a role is shown; in games of perfect information, what all are.

    Raises ValueError for ``board`` where no board is found, or information is hidden.
    """
    if hides_information(machine):
        if kind == "board" or role is None:
            raise ValueError("a game of imperfect information shows percepts to each role alone")
        return _percepts_and_moves(machine, role)
    if kind == "facts":
        return _facts(machine)
    found = _board(machine, None if kind == "board" else MOST_EXTRA_PLANES)
    if found is None and kind == "board":
        raise ValueError(f"no board is found in the rules of {machine.ruleset.game}")
    return found or _facts(machine)


def hides_information(machine: PropnetStateMachine) -> bool:
    """Whether the rules say what roles see (GDL-II)."""
    return len(machine.percept_rows) > 0


def _facts(machine: PropnetStateMachine) -> ObservationSpec:
    rows = machine.engine.layout.fluents + np.arange(len(machine.facts))
    return ObservationSpec(rows, rows.shape, tuple(map(str, machine.facts)))


def _percepts_and_moves(machine: PropnetStateMachine, role: int) -> ObservationSpec:
    layout = machine.engine.layout
    seen = [(i, term) for i, (r, term) in enumerate(machine.percept_rows) if r == role]
    first = layout.moves + sum(len(moves) for moves in machine.moves[:role])
    made = machine.moves[role]
    rows = [layout.percepts + i for i, _ in seen] + [first + i for i in range(len(made))]
    names = [f"(sees {term})" for _, term in seen] + [f"(did {move})" for move in made]
    return ObservationSpec(np.array(rows, dtype=np.int64), (len(rows),), tuple(names))


# ---------------------------------------------------------------------- boards


def _board(machine: PropnetStateMachine, most_extra: int | None) -> ObservationSpec | None:
    """Arrange facts as planes of the board that has the most of them; None where there is none."""
    boards = [board for board in find_layout(machine.ruleset).boards if board.shape in _GRIDS]
    best: _Planes | None = None
    for board in boards:
        planes = _Planes(board, machine.facts)
        if best is None or len(planes.placed) > len(best.placed):
            best = planes
    if best is None or not best.placed:
        return None
    if most_extra is not None and len(best.extra) > most_extra:
        return None
    return best.observation(machine.engine.layout.fluents)


class _Planes:
    """The facts of a game on one of its boards, and those beside it."""

    def __init__(self, board: Board, facts: Sequence[Term]) -> None:
        self._facts = facts
        self._cells = _cells_of(board)
        self.placed: dict[int, tuple[str, tuple[int, int]]] = {}
        self.extra: list[int] = []
        for index, fact in enumerate(facts):
            found = self._place_of(board, fact)
            if found is None:
                self.extra.append(index)
            else:
                self.placed[index] = found

    def _place_of(self, board: Board, fact: Term) -> tuple[str, tuple[int, int]] | None:
        """Return the plane and the cell of a fact, None where it is not on the board."""
        pattern, words = board.pattern_of.get(function_of(fact)), words_of(fact)
        if pattern is None or pattern.end:
            return None
        cell = self._cells.get(pattern.key_of(words))
        if cell is None:
            return None
        shown = ["?" if i in pattern.place else word for i, word in enumerate(words)]
        return f"({' '.join([pattern.name, *shown])})", cell

    def observation(self, first: int) -> ObservationSpec:
        """Return the planes; ``first`` is the row of the first fact."""
        names = list(dict.fromkeys(plane for plane, _ in self.placed.values()))
        height = 1 + max(row for row, _ in self._cells.values())
        width = 1 + max(column for _, column in self._cells.values())
        rows = np.zeros((len(names) + len(self.extra), height, width), dtype=np.int64)  # false
        for fact, (plane, (row, column)) in self.placed.items():
            rows[names.index(plane), row, column] = first + fact
        for fact, whole in zip(self.extra, rows[len(names) :], strict=True):
            whole[:] = first + fact
        names += [str(self._facts[fact]) for fact in self.extra]
        return ObservationSpec(rows.reshape(-1), rows.shape, tuple(names))


def _cells_of(board: Board) -> Mapping[tuple[str, ...], tuple[int, int]]:
    """Return the row and the column of each place, in the narrowest array that holds them."""
    rows = _ranks(place.y for place in board.places)
    slants = _SLANTS if board.shape is Shape.HEXES else _SLANTS[:1]
    found = []
    for slant in slants:
        across = [place.x - slant * rows[round(place.y, 3)] for place in board.places]
        columns = _ranks(across)
        found.append(
            {
                place.key: (rows[round(place.y, 3)], columns[round(x, 3)])
                for place, x in zip(board.places, across, strict=True)
            }
        )
    whole = [cells for cells in found if len(set(cells.values())) == len(cells)]
    return min(whole, key=lambda cells: max(column for _, column in cells.values()))


def _ranks(values: Iterable[float]) -> dict[float, int]:
    """Number values in ascending order; equal ones have one number."""
    return {value: i for i, value in enumerate(sorted({round(v, 3) for v in values}))}
