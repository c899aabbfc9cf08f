"""Random matches of games with hidden information, as one role is told of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from gdl import Constant, State, StateMachine, Term


@dataclass(frozen=True)
class Told:
    """What a role was told of a step, and the state after it, which it is not told."""

    move: Term
    percepts: tuple[Term, ...]
    state: State


def told_steps(machine: StateMachine, role: Constant, random: Random) -> Iterator[Told]:
    """Play a match by random moves, and yield what the role is told of each step."""
    state = machine.initial_state()
    while not machine.is_terminal(state):
        joint = tuple(random.choice(machine.legal_moves(state, each)) for each in machine.roles)
        percepts = machine.percepts(state, joint, role)
        state = machine.next_state(state, joint)
        yield Told(joint[machine.roles.index(role)], percepts, state)
