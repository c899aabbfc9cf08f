"""The solver of hex: from facts to bitboards, and from wins to goals.

Apart, as the solver of each game has a file.
"""

from __future__ import annotations

import numpy as np

from gdl import Function, State, StateMachine, Term
from ggp_player.errors import PositionSetError
from ggp_player.lab.positions.solving.hex_kernels import LOSS, MAX_SIZE, WIN, new_search, solve
from ggp_player.lab.positions.solving.move_solver import MoveSolver
from ggp_player.lab.positions.turns import after_choice

TABLE_ENTRIES = 2**22
"""The size of the transposition table: 96 MiB."""


class HexSolver(MoveSolver):
    """Solves positions of our own rulesheet ``hex``, of any size up to 7.

    It gives up after ``nodes`` nodes. The table is kept from position to position, which changes no
    value.
    """

    def __init__(
        self, machine: StateMachine, nodes: int = 10_000_000, entries: int = TABLE_ENTRIES
    ) -> None:
        super().__init__(machine, nodes)
        self.description = f"hex by carriers on bitboards, given up after {nodes} nodes a position"
        places = [
            _place(move)
            for move in machine.legal_moves(machine.initial_state(), machine.roles[0])
            if isinstance(move, Function)
        ]
        self._size = max((max(place) for place in places), default=0)
        if not 1 < self._size <= MAX_SIZE or len(places) != self._size**2:
            raise PositionSetError(f"expected a rhombus of at most {MAX_SIZE} cells a side")
        self._search = new_search(self._size, entries)

    def move_value(self, state: State, role: int, move: Term, nodes: int) -> tuple[int | None, int]:
        """Solve a move of the role that has the choice; return its value, and the nodes it took."""
        machine = self.machine
        after = after_choice(machine, state, role, move)
        if machine.is_terminal(after):
            return machine.goal(after, machine.roles[role]) or 0, 0
        stones, before = self._stones(after), int(self._search.nodes[0])
        found = solve(self._search, np.uint64(stones[0]), np.uint64(stones[1]), 1 - role, nodes)
        value = {WIN: 0, LOSS: 100}.get(found)
        return value, int(self._search.nodes[0]) - before

    def _stones(self, state: State) -> list[int]:
        """Return the stones of each role."""
        stones = [0, 0]
        roles = list(map(str, self.machine.roles))
        for fact in state:
            if isinstance(fact, Function) and fact.name == "stone":
                role, x, y = map(str, fact.args)
                stones[roles.index(role)] |= self._bit(int(x), int(y))
        return stones

    def _bit(self, x: int, y: int) -> int:
        return 1 << (self._size + 1) * (y - 1) + x - 1


def _place(move: Term) -> tuple[int, int]:
    """Return the cell of ``(place x y)``, from 1."""
    if isinstance(move, Function) and move.name == "place":
        x, y = map(str, move.args)
        return int(x), int(y)
    raise PositionSetError(f"expected a move (place x y); found {move}")
