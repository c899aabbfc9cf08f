"""The textbook's solver of positions, by which the others are checked, and what they find."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from gdl import State, StateMachine, Term
from ggp_player.lab.positions.solved_positions import SolvedPosition
from ggp_player.lab.positions.solving.move_solver import MoveSolution, MoveSolver
from ggp_player.lab.positions.turns import after_choice, chooser
from ggp_player.strategies.textbook.minimax import MinimaxSearch


@cache
def minimax_of(machine: StateMachine) -> Callable[[State, int], int]:
    """The value of a state for the role of an index: by minimax, with a table and without cuts.

    It is slow, and independent of the searches on blocks of states.
    """
    searches = [MinimaxSearch(machine, role) for role in machine.roles]
    return cache(lambda state, role: searches[role].maxscore(state))


def solved_values(solver: MoveSolver, state: State) -> dict[Term, int] | None:
    """Solve a state by a solver; None where that takes it too many nodes."""
    solution = MoveSolution(solver, state)
    return solution.values if solution.complete() else None


def is_critical(position: SolvedPosition) -> bool:
    """Whether some moves keep the value and some do not."""
    return min(position.values.values()) < position.best


def textbook_values(machine: StateMachine, state: State) -> dict[Term, int]:
    """Solve a state in which one role has a choice: the value of each of its moves for it."""
    role = chooser(machine, state)
    assert role is not None
    value = minimax_of(machine)  # type: ignore[arg-type]  # machines can be hashed
    return {
        move: value(after_choice(machine, state, role, move), role)
        for move in machine.legal_moves(state, machine.roles[role])
    }
