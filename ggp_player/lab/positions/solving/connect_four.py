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
from ggp_player.lab.positions.solving.move_solver import MoveSolver

TABLE_ENTRIES = 2**23
"""The size of the transposition table: 64 MiB."""

COLUMN_BITS = (1 << LEVELS) - 1


class ConnectFourSolver(MoveSolver):
    """Solves positions of our own rulesheet ``connectFour``.

    It gives up where a move takes more than ``nodes`` nodes. The table is kept from position to
    position, which changes no value.
    """

    def __init__(
        self, machine: StateMachine, nodes: int = 100_000_000, entries: int = TABLE_ENTRIES
    ) -> None:
        super().__init__(machine, nodes)
        self.description = f"connect four on bitboards, given up after {nodes} nodes a move"
        self._search = new_search(entries)

    def move_value(self, state: State, role: int, move: Term, nodes: int) -> tuple[int | None, int]:
        """Solve a move; return its value, and no nodes, for each move has all of them."""
        own, mask = _bitboards(state, str(self.machine.roles[role]))
        value = self._value(own, mask, _column(move))
        return (None if value == UNKNOWN else 50 + 50 * value), 0

    def _value(self, own: int, mask: int, column: int) -> int:
        """Return the value of a move for who makes it: -1, 0 or 1, or else ``UNKNOWN``."""
        disc = (mask + (1 << STRIDE * column)) & (COLUMN_BITS << STRIDE * column)
        if disc & int(winning_places(np.uint64(own), np.uint64(mask))):
            return 1
        after = mask | disc
        if after.bit_count() == CELLS:
            return 0
        value = solve(self._search, np.uint64(own ^ mask), np.uint64(after), self.nodes)
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
