"""What solvers have in common, and the one of any game of two rivals that move in turn.

A solver finds the value of one move, or of all moves in a state. :class:`ProofSolver` does so by
the proof search of the player; the solvers of single games do without the player's searches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque

from gdl import State, StateMachine, Term
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.lab.positions.turns import after_choice, chooser
from ggp_player.strategies import Position
from ggp_player.strategies.solver import MAX_DEPTH, ProofTree


class MoveSolver(ABC):
    """Finds the exact value of moves; gives a position up after ``nodes`` nodes.

    ``description`` says how it solves, in the metadata of what it has solved.
    """

    description: str

    def __init__(self, machine: StateMachine, nodes: int) -> None:
        self.machine = machine
        self.nodes = nodes

    def forget(self) -> None:  # noqa: B027 most have nothing to forget
        """Forget what was proved, so that the next positions are solved as if they were first.

        A table that changes no value stays: it seldom changes where a search gives up.
        """

    @abstractmethod
    def move_value(self, state: State, role: int, move: Term, nodes: int) -> tuple[int | None, int]:
        """Solve a move of the role that has the choice; return its value, and the nodes it took.

        The value is None where it takes more than ``nodes`` nodes.
        """


class MoveSolution:
    """The values of moves in a state in which one role has a choice, each solved when asked for.

    ``legal`` are the moves, ``values`` what is known of them.
    """

    def __init__(self, solver: MoveSolver, state: State) -> None:
        machine = solver.machine
        role = chooser(machine, state)
        assert role is not None
        self.role = role
        self.legal = machine.legal_moves(state, machine.roles[role])
        self.values: dict[Term, int] = {}
        self._solver = solver
        self._state = state
        self._left = solver.nodes

    @property
    def is_given_up(self) -> bool:
        """Whether the position has taken too many nodes."""
        return self._left <= 0

    def value(self, move: Term) -> int | None:
        """The value of a move; None where the position takes too many nodes."""
        if move not in self.values and not self._solve(move, self._left):
            self._left = 0
        return self.values.get(move)

    def complete(self, nodes: int | None = None) -> bool:
        """Solve all moves; return whether that was possible, in so many nodes if they are given."""
        if nodes is None:
            return all(self.value(move) is not None for move in self.legal)
        end = self._left - nodes
        unknown = [move for move in self.legal if move not in self.values]
        return end >= 0 and all(self._solve(move, self._left - end) for move in unknown)

    def _solve(self, move: Term, nodes: int) -> bool:
        """Solve a move in so many nodes; return whether that was possible."""
        if nodes <= 0:
            return False
        value, taken = self._solver.move_value(self._state, self.role, move, nodes)
        self._left -= taken
        if value is None or taken >= nodes:
            return False
        self.values[move] = value
        return True


class ProofSolver(MoveSolver):
    """Proves the value of each move by alpha-beta on blocks of states.

    A position is given up after ``nodes`` nodes. The positions of one game share what was proved:
    ask for the late ones first. Each role has a transposition table, which takes 64 MiB.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        symmetries: SymmetryGroup | None = None,
        nodes: int = 1_000_000,
        entries: int = 2**22,
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
