"""The solver of reversi: from facts to bitboards, and from their values to goals.

Apart, as the solver of each game has a file.
"""

from __future__ import annotations

import numpy as np

from gdl import Function, State, StateMachine, Term
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.solving.move_solver import MoveSolver
from ggp_player.lab.positions.solving.reversi_kernels import (
    SIZE,
    UNKNOWN,
    new_search,
    solve,
    turned,
)

TABLE_ENTRIES = 2**21
"""The size of the transposition table: 48 MiB."""


class ReversiSolver(MoveSolver):
    """Solves positions of our own rulesheet ``reversi``, and gives up after ``nodes`` nodes.

    The table is kept from position to position, which changes no value.
    """

    def __init__(
        self, machine: StateMachine, nodes: int = 10_000_000, entries: int = TABLE_ENTRIES
    ) -> None:
        super().__init__(machine, nodes)
        self.description = f"reversi on bitboards, given up after {nodes} nodes a position"
        self._search = new_search(entries)

    def move_value(self, state: State, role: int, move: Term, nodes: int) -> tuple[int | None, int]:
        """Solve a move of the role that has the choice; return its value, and the nodes it took."""
        own, other = _discs(state, str(self.machine.roles[role]))
        place = _bit(move)
        changed = int(turned(np.uint64(own), np.uint64(other), np.uint64(place)))
        own, other = own | place | changed, other ^ changed
        before = int(self._search.nodes[0])
        value = solve(self._search, np.uint64(other), np.uint64(own), nodes)
        taken = int(self._search.nodes[0]) - before
        return (None if value == UNKNOWN else 50 - 50 * value), taken


def _discs(state: State, mover: str) -> tuple[int, int]:
    """Return the discs of who moves, and those of the rival."""
    own = other = 0
    for fact in state:
        if isinstance(fact, Function) and fact.name == "disc":
            x, y, role = map(str, fact.args)
            if role == mover:
                own |= _square(x, y)
            else:
                other |= _square(x, y)
    return own, other


def _bit(move: Term) -> int:
    """Return the square of ``(place x y)``."""
    if isinstance(move, Function) and move.name == "place":
        x, y = map(str, move.args)
        return _square(x, y)
    raise PositionSetError(f"expected a move (place x y); found {move}")


def _square(x: str, y: str) -> int:
    """Return the bit of a square, whose numbers are from 1."""
    if not (1 <= int(x) <= SIZE and 1 <= int(y) <= SIZE):
        raise PositionSetError(f"expected a board of {SIZE} x {SIZE} squares; found ({x}, {y})")
    return 1 << SIZE * (int(y) - 1) + int(x) - 1
