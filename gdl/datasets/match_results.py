"""Results of random matches: how long each was, and what each role got; by the million on a GPU."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gdl.engine import PropnetStateMachine
from gdl.playouts import DEFAULT_MAX_STEPS

if TYPE_CHECKING:
    from gdl.engine.block import Block
    from gdl.engine.device import DeviceBlock

MOST_LANES = 2**20
"""How many matches a device plays at once."""

DEVICE_WORD = 64
"""A device has a multiple of so many lanes."""


@dataclass(frozen=True, slots=True)
class MatchResults:
    """Results of some matches, numbered from ``first`` on.

    ``ended`` bool (n,): whether a match has come to a terminal state. ``steps`` int64 (n,) and
    ``goals`` int64 (n, roles) are those of matches that have, and otherwise 0; so is the goal of a
    role that has none.
    """

    first: int
    ended: NDArray[np.bool_]
    steps: NDArray[np.int64]
    goals: NDArray[np.int64]


def play_matches(
    machine: PropnetStateMachine,
    matches: int,
    seed: int = 0,
    max_steps: int = DEFAULT_MAX_STEPS,
    device: str | None = None,
) -> Iterator[MatchResults]:
    """Play so many random matches from the initial state, of at most ``max_steps`` each.

    They are played in blocks of this processor, or on a ``device`` such as ``cuda:0``. The same
    seed makes the same matches on the same kind of device. Raises :class:`gdl.DeviceError` where
    that fails.
    """
    block = _block(machine, matches, seed, device)
    initial = machine.bits(machine.initial_state())[None, :]
    for first in range(0, matches, block.lanes):
        block.load(initial)
        played = block.play(max_steps, refill=False)
        count = min(block.lanes, matches - first)
        ended = played.ended[:count] > 0
        yield MatchResults(first, ended, played.steps[:count], played.goals[:count])


def _block(
    machine: PropnetStateMachine, matches: int, seed: int, device: str | None
) -> Block | DeviceBlock:
    if device is None:
        return machine.block(seed)
    lanes = min(MOST_LANES, -(-matches // DEVICE_WORD) * DEVICE_WORD)
    return machine.device_block(lanes, device, seed)


def result_lines(machine: PropnetStateMachine, results: MatchResults) -> Iterator[str]:
    """Write results as JSON, a line for each match: null is what a match has not come to."""
    roles = [f"{json.dumps(str(role))}:" for role in machine.roles]
    columns = zip(
        results.ended.tolist(), results.steps.tolist(), results.goals.tolist(), strict=True
    )
    for number, (ended, steps, goals) in enumerate(columns, results.first):
        told = map(str, goals) if ended else ["null"] * len(roles)
        by_role = ",".join(role + goal for role, goal in zip(roles, told, strict=True))
        yield (
            f'{{"playout":{number},"steps":{steps if ended else "null"},'
            f'"goals":{{{by_role}}},"terminal":{"true" if ended else "false"}}}'
        )
