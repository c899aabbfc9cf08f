"""Solvers by name; those of single games go from facts to bitboards, and from values to goals.

Each gives up after ``nodes`` nodes. Its transposition table has ``entries`` entries, and is kept
from position to position, which changes no value.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal, TypeAlias

import numpy as np

from gdl import Function, State, StateMachine, Term
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.errors import LabError, PositionSetError
from ggp_player.lab.positions.solving import connect_four_kernels, hex_kernels, reversi_kernels
from ggp_player.lab.positions.solving.connect_four_kernels import (
    BOARD,
    BOTTOM,
    CELLS,
    COLUMNS,
    LEVELS,
    STRIDE,
)
from ggp_player.lab.positions.solving.move_solver import MoveSolver, ProofSolver
from ggp_player.lab.positions.turns import after_choice

COLUMN_BITS = (1 << LEVELS) - 1

SolverName: TypeAlias = Literal["proof", "connect-four", "hex", "reversi"]
"""The solvers: of any game, and of our own rulesheets of three games."""


class ConnectFourSolver(MoveSolver):
    """Solves positions of our own rulesheet ``connectFour``; ``nodes`` are those of each move.

    The table takes 64 MiB.
    """

    def __init__(
        self, machine: StateMachine, nodes: int = 100_000_000, entries: int = 2**23
    ) -> None:
        super().__init__(machine, nodes)
        self.description = f"connect four on bitboards, given up after {nodes} nodes a move"
        self._search = connect_four_kernels.new_search(entries)

    def move_value(self, state: State, role: int, move: Term, nodes: int) -> tuple[int | None, int]:
        """Solve a move; return its value, and no nodes, for each move has all of them."""
        own, mask = self._bitboards(state, str(self.machine.roles[role]))
        (column,) = _arguments(move, "drop", "column")
        value = self._value(own, mask, column - 1)
        return (None if value == connect_four_kernels.UNKNOWN else 50 + 50 * value), 0

    def _value(self, own: int, mask: int, column: int) -> int:
        """Return the value of a move for who makes it: -1, 0 or 1, or else ``UNKNOWN``."""
        disc = (mask + (1 << STRIDE * column)) & (COLUMN_BITS << STRIDE * column)
        if disc & int(connect_four_kernels.winning_places(np.uint64(own), np.uint64(mask))):
            return 1
        after = mask | disc
        if after.bit_count() == CELLS:
            return 0
        rival = np.uint64(own ^ mask)
        value = connect_four_kernels.solve(self._search, rival, np.uint64(after), self.nodes)
        return value if value == connect_four_kernels.UNKNOWN else -value

    @staticmethod
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


class HexSolver(MoveSolver):
    """Solves positions of our own rulesheet ``hex``, of any size up to 7.

    The table takes 96 MiB.
    """

    def __init__(
        self, machine: StateMachine, nodes: int = 10_000_000, entries: int = 2**22
    ) -> None:
        super().__init__(machine, nodes)
        self.description = f"hex by carriers on bitboards, given up after {nodes} nodes a position"
        places = [
            _arguments(move, "place", "x y")
            for move in machine.legal_moves(machine.initial_state(), machine.roles[0])
            if isinstance(move, Function)
        ]
        self._size = max((max(place) for place in places), default=0)
        most = hex_kernels.MAX_SIZE
        if not 1 < self._size <= most or len(places) != self._size**2:
            raise PositionSetError(f"expected a rhombus of at most {most} cells a side")
        self._search = hex_kernels.new_search(self._size, entries)

    def move_value(self, state: State, role: int, move: Term, nodes: int) -> tuple[int | None, int]:
        """Solve a move of the role that has the choice; return its value, and the nodes it took."""
        machine = self.machine
        after = after_choice(machine, state, role, move)
        if machine.is_terminal(after):
            return machine.goal(after, machine.roles[role]) or 0, 0
        first, second = map(np.uint64, self._stones(after))
        before = int(self._search.nodes[0])
        found = hex_kernels.solve(self._search, first, second, 1 - role, nodes)
        value = {hex_kernels.WIN: 0, hex_kernels.LOSS: 100}.get(found)
        return value, int(self._search.nodes[0]) - before

    def _stones(self, state: State) -> list[int]:
        """Return the stones of each role."""
        stones = [0, 0]
        roles = list(map(str, self.machine.roles))
        for fact in state:
            if isinstance(fact, Function) and fact.name == "stone":
                role, x, y = map(str, fact.args)
                stones[roles.index(role)] |= 1 << (self._size + 1) * (int(y) - 1) + int(x) - 1
        return stones


class ReversiSolver(MoveSolver):
    """Solves positions of our own rulesheet ``reversi``. The table takes 48 MiB."""

    def __init__(
        self, machine: StateMachine, nodes: int = 10_000_000, entries: int = 2**21
    ) -> None:
        super().__init__(machine, nodes)
        self.description = f"reversi on bitboards, given up after {nodes} nodes a position"
        self._search = reversi_kernels.new_search(entries)

    def move_value(self, state: State, role: int, move: Term, nodes: int) -> tuple[int | None, int]:
        """Solve a move of the role that has the choice; return its value, and the nodes it took."""
        own, other = self._discs(state, str(self.machine.roles[role]))
        place = self._square(*_arguments(move, "place", "x y"))
        turned = reversi_kernels.turned(np.uint64(own), np.uint64(other), np.uint64(place))
        own, other = own | place | int(turned), other ^ int(turned)
        before = int(self._search.nodes[0])
        value = reversi_kernels.solve(self._search, np.uint64(other), np.uint64(own), nodes)
        taken = int(self._search.nodes[0]) - before
        return (None if value == reversi_kernels.UNKNOWN else 50 - 50 * value), taken

    def _discs(self, state: State, mover: str) -> tuple[int, int]:
        """Return the discs of who moves, and those of the rival."""
        own = other = 0
        for fact in state:
            if isinstance(fact, Function) and fact.name == "disc":
                x, y, role = map(str, fact.args)
                square = self._square(int(x), int(y))
                own, other = (own | square, other) if role == mover else (own, other | square)
        return own, other

    @staticmethod
    def _square(x: int, y: int) -> int:
        """Return the bit of a square, whose numbers are from 1."""
        size = reversi_kernels.SIZE
        if not (1 <= x <= size and 1 <= y <= size):
            raise PositionSetError(f"expected a board of {size} x {size} squares; found ({x}, {y})")
        return 1 << size * (y - 1) + x - 1


def _arguments(move: Term, name: str, arguments: str) -> list[int]:
    """Return the numbers, from 1, of a move such as ``(place x y)``."""
    if isinstance(move, Function) and move.name == name:
        return [int(str(argument)) for argument in move.args]
    raise PositionSetError(f"expected a move ({name} {arguments}); found {move}")


def new_solver(
    name: SolverName, machine: PropnetStateMachine, symmetries: SymmetryGroup, nodes: int
) -> MoveSolver:
    """Make the solver of that name, which gives up after so many nodes.

    Raises :class:`LabError` for one that Numba would have to compile, where that is not installed.
    """
    if name != "proof" and find_spec("numba") is None:
        extra = "pip install 'ggp-player[kernels]'"
        raise LabError(f"the solver {name} is compiled by Numba, which is not installed: {extra}")
    if name == "connect-four":
        return ConnectFourSolver(machine, nodes)
    if name == "hex":
        return HexSolver(machine, nodes)
    if name == "reversi":
        return ReversiSolver(machine, nodes)
    return ProofSolver(machine, symmetries, nodes)
