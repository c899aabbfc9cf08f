"""States of games for the tests of solvers."""

from __future__ import annotations

from random import Random

from gdl import State, StateMachine
from ggp_player.lab.positions.turns import after_choice, after_forced, chooser


def random_state(machine: StateMachine, plies: int, random: Random) -> State:
    """A state after so many random choices in which somebody has a choice."""
    while True:
        state = after_forced(machine, machine.initial_state())
        for _ in range(plies):
            if machine.is_terminal(state):
                break
            role = chooser(machine, state)
            assert role is not None
            move = random.choice(machine.legal_moves(state, machine.roles[role]))
            state = after_forced(machine, after_choice(machine, state, role, move))
        if not machine.is_terminal(state):
            return state
