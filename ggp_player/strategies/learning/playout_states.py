"""States of random playouts, labelled with how their playouts ended."""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Block, PropnetStateMachine
from ggp_player.clock import Clock
from ggp_player.strategies import Component, component

KEPT = 0.1
"""The part of the states that is kept: those of one playout are much alike."""

MAX_PLAYOUT_STEPS = 500
"""A playout is given up after so many steps."""

OVERTIME = 3
"""So many times as long as planned, playouts may take at most."""

SMALL = 1e-4
"""A difference of outcomes that is due to rounding."""

FEW = 0.1
"""Where fewer of the lanes than this still play, they are given up."""


class LabelledStates(NamedTuple):
    """Labelled states.

    ``states`` uint8 (n, fluents), each 0 or 1. ``outcomes`` float32 (n, roles): the goal value of
    each role in hundredths.
    """

    states: NDArray[np.uint8]
    outcomes: NDArray[np.float32]

    @property
    def is_zero_sum(self) -> bool:
        """Whether the outcomes of each state add up to 1."""
        return bool((np.abs(self.outcomes.sum(axis=1) - 1) < SMALL).all())


@component(Component.PLAYOUTS)
def label_states(
    machine: PropnetStateMachine, seed: int, most: int, seconds: float, clock: Clock
) -> Generator[None, None, LabelledStates]:
    """Collect labelled states until there are ``most``, or for so many seconds.

    A round of playouts that has begun by then is finished, unless that takes ``OVERTIME`` times as
    long. The first step does not count, as it may have to load the kernels. Yields after every step
    of a block of playouts, and returns what there is.
    """
    began: float | None = None
    found, count = [_none(machine)], 0
    block, random = machine.block(seed), np.random.default_rng(seed)
    seconds_used = 0.0
    while count < most and seconds_used < seconds:
        for labelled in _play_round(machine, block, random):
            yield
            if began is None:
                began = clock()
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
    roles = len(machine.roles)
    return LabelledStates(np.zeros((0, fluents), np.uint8), np.zeros((0, roles), np.float32))


def _play_round(
    machine: PropnetStateMachine, block: Block, random: np.random.Generator
) -> Generator[LabelledStates | None, None, None]:
    """Play once in each lane; yield None after each step, and what was found at the end."""
    block.load(machine.bits(machine.initial_state())[None, :])
    outcomes = np.full((block.lanes, len(machine.roles)), np.nan, np.float32)
    states, lanes = [], []
    for _ in range(MAX_PLAYOUT_STEPS):
        block.view()
        ended = block.terminal() & np.isnan(outcomes[:, 0])
        if ended.any():
            outcomes[ended] = 0.01 * np.maximum(block.goal_values()[ended], 0)
        playing = np.isnan(outcomes[:, 0])
        if playing.mean() < FEW:
            break
        kept = np.flatnonzero(playing & (random.random(block.lanes) < KEPT))
        states.append(block.states()[kept])
        lanes.append(kept)
        block.step()
        yield None
    labels = outcomes[np.concatenate(lanes)]
    known = ~np.isnan(labels[:, 0])
    yield LabelledStates(np.concatenate(states)[known], labels[known])
