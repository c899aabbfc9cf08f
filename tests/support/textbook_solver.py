"""The textbook's solver of positions, by which the others are checked."""

from __future__ import annotations

from gdl import Constant, State, StateMachine, Term
from ggp_player.lab.positions.turns import after_choice, after_forced, chooser


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
