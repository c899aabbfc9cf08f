"""Random playouts of a compiled game as arrays, a block of them at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Frame:
    """One step of the lanes that are still played: their numbers, and a recording's arrays."""

    lanes: NDArray[np.int64]
    facts: Bits
    legal: Bits
    moves: NDArray[np.int32]
    goals: NDArray[np.int32]
    terminal: NDArray[np.bool_]
    percepts: Bits


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
        frames: list[_Frame] = []
        while len(lanes):
            frame = self._frame(lanes, random, last=len(frames) == max_steps)
            frames.append(frame)
            lanes = lanes[frame.moves[:, 0] != NO_MOVE]
        return _joined(frames, number * BLOCK)

    def _frame(self, lanes: NDArray[np.int64], random: np.random.Generator, last: bool) -> _Frame:
        """Record the states of some lanes, and make a random joint move where play goes on."""
        block = self._block
        facts = block.states()[lanes]
        block.view()
        legal, terminal = block.legal(), block.terminal()
        goals = block.goal_values()[lanes].astype(np.int32)
        goals[~terminal[lanes]] = NO_GOAL
        moves = self._chosen(legal, random)
        stuck = (moves == NO_MOVE).any(axis=1) | terminal | last
        moves[stuck] = NO_MOVE
        self._make(moves)
        percepts = block.percepts()[lanes] * ~stuck[lanes, None]
        return _Frame(lanes, facts, legal[lanes], moves[lanes], goals, terminal[lanes], percepts)

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


def _joined(frames: Sequence[_Frame], first_playout: int) -> Recording:
    """Put the rows of all steps into the order of playouts."""
    lanes = np.concatenate([frame.lanes for frame in frames])
    steps = np.repeat(np.arange(len(frames)), [len(frame.lanes) for frame in frames])
    order = np.lexsort([steps, lanes])

    def joined(name: str) -> NDArray[np.generic]:
        joint: NDArray[np.generic] = np.concatenate([getattr(frame, name) for frame in frames])
        return joint[order]

    names = ("facts", "legal", "moves", "goals", "terminal", "percepts")
    arrays = {name: joined(name) for name in names}
    return Recording(
        playouts=(lanes + first_playout)[order],
        steps=steps[order].astype(np.int32),
        **arrays,  # type: ignore[arg-type] # the frames say which types these are
    )
