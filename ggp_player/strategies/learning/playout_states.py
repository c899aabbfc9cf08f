"""States of random playouts, labelled with how their playouts ended."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Block, PropnetStateMachine

Clock = Callable[[], float]
"""Returns seconds of CPU time."""

KEPT = 0.1
"""The part of the states that is kept: those of one playout are much alike."""

MAX_STEPS = 500
"""A playout is given up after so many steps."""

OVERTIME = 3
"""So many times as long as planned, playouts may take at most."""

FEW = 0.1
"""Where fewer of the lanes than this still play, they are given up."""


class LabelledStates(NamedTuple):
    """Labelled states.

    ``states`` uint8 (n, fluents), each 0 or 1. ``outcomes`` float32 (n,): the goal value of a role
    in hundredths.
    """

    states: NDArray[np.uint8]
    outcomes: NDArray[np.float32]


def label_states(
    machine: PropnetStateMachine, role: int, seed: int, most: int, seconds: float, clock: Clock
) -> Generator[None, None, LabelledStates]:
    """Collect labelled states until there are ``most``, or for so many seconds.

    A round of playouts that has begun by then is finished, unless that takes ``OVERTIME`` times as
    long. Yields after every step of a block of playouts, and returns what there is.
    """
    began, found, count = clock(), [_none(machine)], 0
    block, random = machine.block(seed), np.random.default_rng(seed)
    seconds_used = 0.0
    while count < most and seconds_used < seconds:
        for labelled in _play_round(machine, block, role, random):
            yield
            seconds_used = clock() - began
            if labelled is not None:
                found.append(labelled)
                count += len(labelled.outcomes)
            elif seconds_used >= OVERTIME * seconds:
                break
    states, outcomes = zip(*found, strict=True)
    return LabelledStates(np.concatenate(states)[:most], np.concatenate(outcomes)[:most])


def _none(machine: PropnetStateMachine) -> LabelledStates:
    fluents = machine.engine.layout.fluent_count
    return LabelledStates(np.zeros((0, fluents), np.uint8), np.zeros(0, np.float32))


def _play_round(
    machine: PropnetStateMachine, block: Block, role: int, random: np.random.Generator
) -> Generator[LabelledStates | None, None, None]:
    """Play once in each lane; yield None after each step, and what was found at the end."""
    block.load(machine.bits(machine.initial_state())[None, :])
    outcomes = np.full(block.lanes, np.nan, np.float32)
    states, lanes = [], []
    for _ in range(MAX_STEPS):
        block.view()
        ended = block.terminal() & np.isnan(outcomes)
        if ended.any():
            outcomes[ended] = _goal_values(block, role)[ended]
        playing = np.isnan(outcomes)
        if playing.mean() < FEW:
            break
        kept = np.flatnonzero(playing & (random.random(block.lanes) < KEPT))
        states.append(block.states()[kept])
        lanes.append(kept)
        block.step()
        yield None
    labels = outcomes[np.concatenate(lanes)]
    known = ~np.isnan(labels)
    yield LabelledStates(np.concatenate(states)[known], labels[known])


def _goal_values(block: Block, role: int) -> NDArray[np.float32]:
    """A role's goal value in each lane, in hundredths, 0 where none holds; view first."""
    values, goals = np.zeros(block.lanes, np.float32), block.goals()
    for row, (owner, value) in reversed(list(enumerate(block.engine.goal_table))):
        if owner == role:
            values[goals[:, row] > 0] = 0.01 * value  # the lowest that holds comes last, and counts
    return values
