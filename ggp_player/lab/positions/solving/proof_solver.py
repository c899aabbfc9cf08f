"""Solving any game of two rivals that move in turn, by the player's proof search.

Apart from the solvers of single games, which do without the player's searches.
"""

from __future__ import annotations

from collections import deque

from gdl import State, Term
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.lab.positions.solving.move_solver import MoveSolver
from ggp_player.lab.positions.turns import after_choice, chooser
from ggp_player.strategies import Position
from ggp_player.strategies.solver import MAX_DEPTH, ProofTree

TABLE_ENTRIES = 2**22
"""The size of the transposition table of each role: 64 MiB."""


class ProofSolver(MoveSolver):
    """Proves the value of each move by alpha-beta on blocks of states.

    A position is given up after ``nodes`` nodes. The positions of one game share what was proved:
    ask for the late ones first.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        symmetries: SymmetryGroup | None = None,
        nodes: int = 1_000_000,
        entries: int = TABLE_ENTRIES,
    ) -> None:
        super().__init__(machine, nodes)
        self.description = f"proof search, given up after {nodes} nodes a position"
        self._propnet = machine
        self._symmetries = symmetries
        self._entries = entries
        self._trees: dict[int, ProofTree] = {}

    def forget(self) -> None:
        """Forget what was proved, so that the next positions are solved as if they were first."""
        self._trees.clear()

    def move_value(self, state: State, role: int, move: Term, nodes: int) -> tuple[int | None, int]:
        """Solve a move of the role that has the choice; return its value, and the nodes it took.

        Raises :class:`PositionSetError` where several roles have a choice at once.
        """
        machine = self._propnet
        after = after_choice(machine, state, role, move)
        if machine.is_terminal(after):
            return machine.goal(after, machine.roles[role]) or 0, 0
        mover = chooser(machine, after) or 0
        tree = self._tree(role)
        position = Position(machine, after, machine.roles[mover])
        choices = deque(tree.search(position, MAX_DEPTH, nodes), maxlen=1)
        found = choices[0].value if choices and choices[0].proved else None
        return None if found is None else round(found), tree.nodes

    def _tree(self, role: int) -> ProofTree:
        if role not in self._trees:
            name = self._propnet.roles[role]
            self._trees[role] = ProofTree(self._propnet, name, self._entries, self._symmetries)
        return self._trees[role]
