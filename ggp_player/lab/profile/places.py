"""Where a game is searched: its initial state, and later states that are not decided yet."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from random import Random
from statistics import mean

from gdl import Constant, State, StateMachine
from gdl.engine import PropnetStateMachine
from gdl.language import moves_by_chance
from gdl.playouts import Step, play_out, randomness
from ggp_player.search_memory import search_memory, set_search_memory
from ggp_player.strategies import Position
from ggp_player.strategies.mcts import MonteCarlo

LENGTH_PLAYOUTS = 8
"""Random playouts that tell how long a match is."""

LENGTH_STEPS = 400
"""The most steps of one, and of those in which a role waits for its turn."""

CANDIDATES = 20
"""Random playouts from which a place is taken."""

REFERENCE_PLAYOUTS = 2_000
"""Playouts of the tree search that tells how open a state is."""

REFERENCE_BYTES = 2**24
"""Memory for its tree."""


def searching_role(machine: StateMachine) -> Constant:
    """The first role that has a choice in the initial state, or else the first but ``random``."""
    state = machine.initial_state()
    players = [role for role in machine.roles if not moves_by_chance(role)]
    choosing = [role for role in players if len(machine.legal_moves(state, role)) > 1]
    return (*choosing, *players, *machine.roles)[0]


def beginning_and_middle(machine: StateMachine, seed: int) -> tuple[int, int]:
    """No plies, and half of what random playouts last."""
    lengths = [
        sum(1 for _ in play_out(machine, randomness(seed, number), LENGTH_STEPS)) - 1
        for number in range(LENGTH_PLAYOUTS)
    ]
    return 0, round(mean(lengths) / 2)


def place_to_search(machine: StateMachine, role: Constant, plies: int, seed: int) -> Step | None:
    """A state, after so many random plies or a few more, in which a role has a choice.

    Random play blunders, so most states in the middle of a match are decided. Of those of
    ``CANDIDATES`` playouts the one is taken that the tree search values nearest to 50 without a
    proof; where the rules are interpreted, the first. None where no playout has any.
    """
    found = [
        _first_choice(machine, role, plies, randomness(seed, number))
        for number in range(CANDIDATES)
    ]
    candidates = list({step.state: step for step in found if step is not None}.values())
    if len(candidates) < 2 or not isinstance(machine, PropnetStateMachine):
        return candidates[0] if candidates else None
    return _most_open(machine, role, candidates)


def _first_choice(machine: StateMachine, role: Constant, plies: int, random: Random) -> Step | None:
    """The first state of a playout, after so many plies, in which a role has a choice."""
    number = machine.roles.index(role)
    for step in play_out(machine, random, plies + LENGTH_STEPS):
        goes_on = step.joint_move is not None
        if goes_on and step.number >= plies and len(step.options[number]) > 1:
            return step
    return None


def _most_open(machine: PropnetStateMachine, role: Constant, candidates: Sequence[Step]) -> Step:
    own = machine.with_own_engine()  # what a search adds to it, others must not find there
    own.warm_up()
    memory = search_memory()
    set_search_memory(min(memory, REFERENCE_BYTES))
    try:
        return min(candidates, key=lambda step: _distance_from_even(own, role, step.state))
    finally:
        set_search_memory(memory)


def _distance_from_even(machine: PropnetStateMachine, role: Constant, state: State) -> float:
    """How far the value of a state is from 50; infinite where it is proved."""
    *_, last = MonteCarlo(playouts=REFERENCE_PLAYOUTS).search(Position(machine, state, role))
    return inf if last.proved or last.value is None else abs(last.value - 50)
