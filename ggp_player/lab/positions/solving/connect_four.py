"""The solver of connect four on 7 x 6: from facts to bitboards, and from their values to goals."""

from __future__ import annotations

import numpy as np

from gdl import Function, State, StateMachine, Term
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.solving.connect_four_kernels import (
    BOARD,
    BOTTOM,
    CELLS,
    COLUMNS,
    LEVELS,
    STRIDE,
    UNKNOWN,
    new_search,
    solve,
    winning_places,
)
from ggp_player.lab.positions.turns import chooser

TABLE_ENTRIES = 2**23
"""The size of the transposition table: 64 MiB."""

COLUMN_BITS = (1 << LEVELS) - 1


class ConnectFourSolver:
    """Solves positions of our own rulesheet ``connectFour``, and gives up after ``nodes`` nodes.

    The table is kept from position to position, which changes no value.
    """

    def __init__(
        self, machine: StateMachine, nodes: int = 100_000_000, entries: int = TABLE_ENTRIES
    ) -> None:
        self._machine = machine
        self._nodes = nodes
        self._search = new_search(entries)

    @property
    def description(self) -> str:
        """How it solves."""
        return f"connect four on bitboards, given up after {self._nodes} nodes a move"

    def forget(self) -> None:
        """Forget nothing: the table changes no value, and seldom where a search gives up."""

    def move_values(self, state: State) -> dict[Term, int] | None:
        """Solve a state in which somebody has a choice; None where that takes too many nodes."""
        role = chooser(self._machine, state)
        assert role is not None
        mover = self._machine.roles[role]
        own, mask = _bitboards(state, str(mover))
        values = {}
        for move in self._machine.legal_moves(state, mover):
            value = self._value(own, mask, _column(move))
            if value == UNKNOWN:
                return None
            values[move] = 50 + 50 * value
        return values

    def _value(self, own: int, mask: int, column: int) -> int:
        """Return the value of a move for who makes it: -1, 0 or 1, or else ``UNKNOWN``."""
        disc = (mask + (1 << STRIDE * column)) & (COLUMN_BITS << STRIDE * column)
        if disc & int(winning_places(np.uint64(own), np.uint64(mask))):
            return 1
        after = mask | disc
        if after.bit_count() == CELLS:
            return 0
        value = solve(self._search, np.uint64(own ^ mask), np.uint64(after), self._nodes)
        return UNKNOWN if value == UNKNOWN else -value


def _bitboards(state: State, mover: str) -> tuple[int, int]:
    """Return the discs of who moves, and all discs."""
    own = mask = 0
    for fact in state:
        if isinstance(fact, Function) and fact.name == "disc":
            column, level, role = map(str, fact.args)
            bit = 1 << STRIDE * (int(column) - 1) + int(level) - 1
            mask |= bit
            own |= bit if role == mover else 0
    if mask & ~int(BOARD) or (mask + int(BOTTOM)) & mask & ~int(BOARD):
        raise PositionSetError(f"expected a board of {COLUMNS} columns of {LEVELS} places")
    return own, mask


def _column(move: Term) -> int:
    """Return the column of ``(drop column)``, from 0."""
    if isinstance(move, Function) and move.name == "drop":
        return int(str(move.args[0])) - 1
    raise PositionSetError(f"expected a move (drop column); found {move}")
