"""What solvers have in common, and the textbook's solver, by which the others are checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TypeAlias

from gdl import Constant, State, StateMachine, Term
from ggp_player.lab.positions.turns import after_choice, after_forced, chooser

MoveValues: TypeAlias = Mapping[Term, int]
"""The goal value, 0 to 100, that each legal move assures the role that makes it."""


class MoveSolver(ABC):
    """Finds the exact value of moves; gives a position up after ``nodes`` nodes."""

    def __init__(self, machine: StateMachine, nodes: int) -> None:
        self.machine = machine
        self.nodes = nodes

    @property
    @abstractmethod
    def description(self) -> str:
        """How it solves, for the metadata of what it has solved."""

    def forget(self) -> None:  # noqa: B027 most have nothing to forget
        """Forget what was proved, so that the next positions are solved as if they were first.

        A table that changes no value stays: it seldom changes where a search gives up.
        """

    @abstractmethod
    def move_value(self, state: State, role: int, move: Term, nodes: int) -> tuple[int | None, int]:
        """Solve a move of the role that has the choice; return its value, and the nodes it took.

        The value is None where it takes more than ``nodes`` nodes.
        """

    def move_values(self, state: State) -> MoveValues | None:
        """Solve a state in which one role has a choice; None where that takes too many nodes."""
        solution = MoveSolution(self, state)
        return solution.values if solution.complete() else None


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


def textbook_values(machine: StateMachine, state: State) -> dict[Term, int]:
    """Solve a state in which one role has a choice by minimax, with a table and without cuts.

    It is slow, and independent of the other solvers. Source: S. Russell and P. Norvig, Artificial
    Intelligence: A Modern Approach (2010), chapter 5.
    """
    role = chooser(machine, state)
    assert role is not None
    name = machine.roles[role]
    known: dict[State, int] = {}
    return {
        move: _value(machine, after_choice(machine, state, role, move), name, known)
        for move in machine.legal_moves(state, name)
    }


def _value(machine: StateMachine, state: State, role: Constant, known: dict[State, int]) -> int:
    state = after_forced(machine, state)
    if machine.is_terminal(state):
        return machine.goal(state, role) or 0
    if state not in known:
        mover = chooser(machine, state)
        assert mover is not None
        values = [
            _value(machine, after_choice(machine, state, mover, move), role, known)
            for move in machine.legal_moves(state, machine.roles[mover])
        ]
        known[state] = max(values) if machine.roles[mover] == role else min(values)
    return known[state]
