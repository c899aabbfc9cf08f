"""What the search over information sets reaches in whole matches."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from gdl import Constant, State, StateMachine, Term
from gdl.language import moves_by_chance
from ggp_player.belief import Belief
from ggp_player.strategies import Position
from ggp_player.strategies.information_sets.information_set_search import InformationSetSearch


@dataclass
class Seat:
    """A role that is played by the search, and what it knows."""

    strategy: InformationSetSearch
    belief: Belief

    def choose(self, seconds: float, random: Random) -> Term:
        """Search for so long, or until the choice is proved."""
        belief, began = self.belief, time.monotonic()
        legal = belief.legal_moves
        chosen = legal[0]
        if len(legal) == 1:
            return chosen
        position = Position(belief.machine, belief.state, belief.role, random, belief)
        for choice in self.strategy.search(position):
            chosen = choice.move
            if choice.proved or time.monotonic() - began > seconds:
                break
        return chosen


def play_matches(
    machine: StateMachine, matches: int, seconds: float, random: Random
) -> list[tuple[int, ...]]:
    """Play matches, and return the goals of each in role order.

    The first move of chance is each that is possible in turn, later ones are drawn.
    """
    return [_goals(machine, number, seconds, random) for number in range(matches)]


def _goals(machine: StateMachine, number: int, seconds: float, random: Random) -> tuple[int, ...]:
    seats = {
        role: Seat(
            InformationSetSearch(), Belief(machine, role, str(number), keeps_information=True)
        )
        for role in machine.roles
        if not moves_by_chance(role)
    }
    state, is_first = machine.initial_state(), True
    while not machine.is_terminal(state):
        joint_move = []
        for role in machine.roles:
            if role in seats:
                joint_move.append(seats[role].choose(seconds, random))
                continue
            legal = machine.legal_moves(state, role)
            chance = legal[number % len(legal)] if is_first else random.choice(legal)
            joint_move.append(chance)
            is_first = is_first and len(legal) == 1
        state = _step(machine, state, tuple(joint_move), seats)
    return tuple(machine.goal(state, role) or 0 for role in machine.roles)


def _step(
    machine: StateMachine,
    state: State,
    joint_move: tuple[Term, ...],
    seats: Mapping[Constant, Seat],
) -> State:
    """Make a joint move, and tell the seats what their roles see of it."""
    for role, seat in seats.items():
        own = joint_move[machine.roles.index(role)]
        seat.belief.observe(own, machine.percepts(state, joint_move, role))
    return machine.next_state(state, joint_move)
