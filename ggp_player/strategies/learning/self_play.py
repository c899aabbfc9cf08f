"""Games that short searches play against themselves: what samples and duels are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl import State, Term
from gdl.engine import PropnetStateMachine
from gdl.playouts import Ending, play_out
from ggp_player.strategies.mcts import TreeSearch, best_move
from ggp_player.strategies.mcts.arrays import NODES

Clock = Callable[[], float]
"""Returns seconds of CPU time."""

STEPS = 8
"""Steps of the block between two readings of the clock."""

MIN_VISITS = 16
"""Visits from which on the mean value of a node says something."""

BLUNDERS = 0.1
"""The part of moves that are made at random, for variety."""


class LabelledStates(NamedTuple):
    """Labelled states.

    ``states`` uint64 (n, S), packed. ``values`` float64 (n, R): each role's mean value in
    hundredths, within its proved bounds.
    """

    states: NDArray[np.uint64]
    values: NDArray[np.float64]


def random_position(machine: PropnetStateMachine, random: Random, steps: int) -> State:
    """The state after so many random moves, or before the end if that comes first."""
    playout = play_out(machine, random, steps)
    *_, last = (step.state for step in playout if step.ending is not Ending.TERMINAL)
    return last


def search_for(search: TreeSearch, state: State, seconds: float, clock: Clock) -> None:
    """Search a state for some time, or until it is proved."""
    search.set_root(state)
    search.run(1)
    began = clock()
    while clock() - began < seconds and not search.is_proved:
        search.run(STEPS)


def best_moves(search: TreeSearch, state: State) -> tuple[Term, ...]:
    """The joint move of each role's best move, as the search would choose it."""
    machine = search.machine
    found = []
    for number, role in enumerate(machine.roles):
        moves = search.moves(number)
        if moves:
            best = best_move(moves, search.bounds(number)[0])
            found.append(machine.moves[number][best.index])
        else:
            found.append(machine.legal_moves(state, role)[0])
    return tuple(found)


def play_for_samples(
    search: TreeSearch, random: Random, longest_opening: int, seconds: float, clock: Clock
) -> Iterator[LabelledStates]:
    """Play from a random position to the end; yield the samples of each search."""
    machine = search.machine
    state = random_position(machine, random, random.randint(0, longest_opening))
    while not machine.is_terminal(state):
        before = search.descents
        search_for(search, state, seconds, clock)
        yield samples_of(search, before)
        joint_move = best_moves(search, state)
        if random.random() < BLUNDERS:
            joint_move = tuple(
                random.choice(machine.legal_moves(state, role)) for role in machine.roles
            )
        state = machine.next_state(state, joint_move)


def samples_of(search: TreeSearch, before: int) -> LabelledStates:
    """The nodes that were visited often, and after so many descents."""
    tree = search.memory.tree
    nodes = tree.nodes[: int(search.memory.counts[NODES])]
    found = np.flatnonzero((nodes["last_descent"] > before) & (nodes["visits"] >= MIN_VISITS))
    roles = tree.roles[found]
    values = roles["total"] / nodes["visits"][found][:, None]
    values = np.clip(values, roles["low"] / 100, roles["high"] / 100)
    return LabelledStates(tree.state[found], values)


def joined(samples: Sequence[LabelledStates]) -> LabelledStates:
    """All samples as one."""
    states, values = zip(*samples, strict=True)
    return LabelledStates(np.concatenate(states), np.concatenate(values))
