"""Solving any game of two rivals that move in turn, by the player's proof search."""

from __future__ import annotations

from collections import deque

from gdl import State, Term
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.lab.positions.turns import after_choice, chooser
from ggp_player.strategies import Position
from ggp_player.strategies.solver import MAX_DEPTH, ProofTree

TABLE_ENTRIES = 2**22
"""The size of the transposition table of each role: 64 MiB."""


class ProofSolver:
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
        self._machine = machine
        self._symmetries = symmetries
        self._nodes = nodes
        self._entries = entries
        self._trees: dict[int, ProofTree] = {}

    @property
    def description(self) -> str:
        """How it solves."""
        return f"proof search, given up after {self._nodes} nodes a position"

    def forget(self) -> None:
        """Forget what was proved, so that the next positions are solved as if they were first."""
        self._trees.clear()

    def move_values(self, state: State) -> dict[Term, int] | None:
        """Solve a state in which one role has a choice; None where that takes too many nodes.

        Raises :class:`PositionSetError` where several roles have a choice at once.
        """
        machine = self._machine
        role = chooser(machine, state)
        assert role is not None
        left, values = self._nodes, {}
        for move in machine.legal_moves(state, machine.roles[role]):
            value, nodes = self._value(after_choice(machine, state, role, move), role, left)
            left -= nodes
            if value is None or left <= 0:
                return None
            values[move] = value
        return values

    def _value(self, state: State, role: int, nodes: int) -> tuple[int | None, int]:
        """Return the value of a state for a role, None if that is not found, and the nodes."""
        machine = self._machine
        if machine.is_terminal(state):
            return machine.goal(state, machine.roles[role]) or 0, 0
        mover = chooser(machine, state) or 0
        tree = self._tree(role)
        position = Position(machine, state, machine.roles[mover])
        choices = deque(tree.search(position, MAX_DEPTH, nodes), maxlen=1)
        found = choices[0].value if choices and choices[0].proved else None
        return None if found is None else round(found), tree.nodes

    def _tree(self, role: int) -> ProofTree:
        if role not in self._trees:
            name = self._machine.roles[role]
            self._trees[role] = ProofTree(self._machine, name, self._entries, self._symmetries)
        return self._trees[role]
