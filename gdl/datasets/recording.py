"""Random playouts of a compiled game as arrays, a block of them at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Bits, PropnetStateMachine
from gdl.playouts import DEFAULT_MAX_STEPS

BLOCK = 512
"""How many playouts share a block of states and a sequence of random numbers."""

NO_MOVE = -1
"""The move of a role in the last state of a playout."""

NO_GOAL = -1
"""The goal of a role that has none in a state, or where the state is not terminal."""


def blocks_of(playouts: int) -> Iterator[tuple[int, int]]:
    """Yield the number of each block that so many playouts take, and how many are in it."""
    for first in range(0, playouts, BLOCK):
        yield first // BLOCK, min(BLOCK, playouts - first)


@dataclass(frozen=True, slots=True)
class Recording:
    """States of playouts in the order of playouts and steps, one in each row.

    ``playouts`` int64 (n,) and ``steps`` int32 (n,) say which they are. ``facts``, ``legal`` and
    ``percepts`` are uint8 (n, possible ones), each 0 or 1, in the order of the machine's facts, of
    the moves of all roles, and of the percepts of all roles. ``moves`` int32 (n, roles): each
    role's move by its index among its own, or :data:`NO_MOVE`. ``goals`` int32 (n, roles): the
    lowest that holds in a terminal state, or :data:`NO_GOAL`; what holds in others is no reward.
    ``terminal`` bool (n,).
    """

    playouts: NDArray[np.int64]
    steps: NDArray[np.int32]
    facts: Bits
    legal: Bits
    moves: NDArray[np.int32]
    goals: NDArray[np.int32]
    terminal: NDArray[np.bool_]
    percepts: Bits

    def __len__(self) -> int:
        return len(self.playouts)


class Recorder:
    """Plays blocks of random playouts and records them."""

    def __init__(self, machine: PropnetStateMachine) -> None:
        self.machine = machine
        self._layout = machine.engine.layout
        self._block = machine.block()
        self._offsets = np.cumsum([0, *self._layout.move_counts])
        self._initial = machine.bits(machine.initial_state())[None, :]

    def record(
        self, number: int, seed: int, playouts: int = BLOCK, max_steps: int = DEFAULT_MAX_STEPS
    ) -> Recording:
        """Play the first ``playouts`` of a block, at most :data:`BLOCK`, and record all states.

        The random numbers depend on ``seed``, at least 0, and the block's ``number`` alone. A
        playout ends after ``max_steps``, and where a role has no legal move.
        """
        random = np.random.default_rng([seed, number])
        self._block.load(self._initial)
        lanes = np.arange(playouts)
        recordings: list[Recording] = []
        while len(lanes):
            step = len(recordings)
            states = self._states(lanes, random, step, is_last=step == max_steps)
            recordings.append(states)
            lanes = lanes[states.moves[:, 0] != NO_MOVE]
        joined = _in_order_of_playouts(recordings)
        return replace(joined, playouts=joined.playouts + number * BLOCK)

    def _states(
        self, lanes: NDArray[np.int64], random: np.random.Generator, step: int, *, is_last: bool
    ) -> Recording:
        """Record the states of some lanes, and make a random joint move where play goes on."""
        block = self._block
        facts = block.states()[lanes]
        block.view()
        legal, terminal = block.legal(), block.terminal()
        goals = block.goal_values()[lanes].astype(np.int32)
        goals[~terminal[lanes]] = NO_GOAL
        moves = self._chosen(legal, random)
        stuck = (moves == NO_MOVE).any(axis=1) | terminal | is_last
        moves[stuck] = NO_MOVE
        self._make(moves)
        percepts = block.percepts()[lanes] * ~stuck[lanes, None]
        steps = np.full(len(lanes), step, dtype=np.int32)
        found = facts, legal[lanes], moves[lanes], goals, terminal[lanes], percepts
        return Recording(lanes, steps, *found)

    def _chosen(self, legal: Bits, random: np.random.Generator) -> NDArray[np.int32]:
        """Choose uniformly among each role's legal moves in all lanes: int32 (lanes, roles).

        All lanes take random numbers, also those whose playouts have ended, so that a playout does
        not depend on how many of its block are played.
        """
        chosen = []
        for first, last in pairwise(self._offsets.tolist()):
            ranks = np.cumsum(legal[:, first:last], axis=1, dtype=np.int32)
            count = ranks[:, -1] if last > first else np.zeros(len(legal), np.int32)
            wanted = (random.random(len(legal)) * count).astype(np.int32)
            found = (ranks > wanted[:, None]).argmax(axis=1) if last > first else wanted
            chosen.append(np.where(count > 0, found, NO_MOVE))
        return np.stack(chosen, axis=1).astype(np.int32)

    def _make(self, moves: NDArray[np.int32]) -> None:
        made = np.zeros((self._block.lanes, int(self._offsets[-1])), dtype=np.uint8)
        lanes = np.flatnonzero(moves[:, 0] != NO_MOVE)
        made[lanes[:, None], moves[lanes] + self._offsets[:-1]] = 1
        self._block.move(made)


def _in_order_of_playouts(recordings: Sequence[Recording]) -> Recording:
    """Put the rows of all steps into the order of playouts."""
    arrays = {
        field.name: np.concatenate([getattr(one, field.name) for one in recordings])
        for field in fields(Recording)
    }
    order = np.lexsort([arrays["steps"], arrays["playouts"]])
    return Recording(**{name: rows[order] for name, rows in arrays.items()})
