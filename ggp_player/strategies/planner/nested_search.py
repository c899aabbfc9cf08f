"""Nested Monte Carlo search, and the playouts whose moves it records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Packed, packed_from_rows
from ggp_player.strategies.planner.heuristics import PLAYOUT_STEPS, Heuristics, playout_cost
from ggp_player.strategies.planner.state_space import (
    MAX_PLAN_STEPS,
    FoundPlan,
    Integers,
    PlanStream,
    StateSpace,
    Successors,
)

STEP_COST = 60.0
"""The cost of recording one step of a block of playouts, in nominal microseconds."""


@dataclass(frozen=True, slots=True)
class PlayoutRecord:
    """Playouts, one per lane.

    ``values`` int64 (n,): the goal values at the ends, -1 for playouts that did not end. ``ends``:
    the last states. ``lengths`` int64 (n,): the numbers of steps. ``made``: for every step the move
    in each lane of the block, int64 (lanes,).
    """

    values: Integers
    ends: Packed
    lengths: Integers
    made: list[Integers]

    def moves(self, lane: int) -> tuple[int, ...]:
        """Return the moves of the playout in a lane."""
        return tuple(int(moves[lane]) for moves in self.made[: int(self.lengths[lane])])


class PlayoutRecorder:
    """Makes uniformly random playouts and records their moves."""

    def __init__(self, space: StateSpace, seed: int) -> None:
        self._space = space
        self._block = space.engine.block(seed)

    def record(self, states: Packed) -> Iterator[PlayoutRecord | None]:
        """Play from at most a block of states; yield None now and then, finally the record.

        Playouts without a legal move, or longer than ``PLAYOUT_STEPS``, are abandoned.
        """
        space, block, count = self._space, self._block, len(states)
        block.load_packed(states)
        values = np.full(count, -1, dtype=np.int64)
        lengths = np.zeros(count, dtype=np.int64)
        ends = states.copy()
        playing = np.ones(count, dtype=np.bool_)
        made: list[Integers] = []
        for step in range(PLAYOUT_STEPS + 1):
            block.view()
            ended = playing & block.terminal()[:count]
            if ended.any():
                values[ended] = np.maximum(block.goal_values()[:count][ended, 0], 0)
                ends[ended] = packed_from_rows(block.fluents)[:count][ended]
            playing &= ~ended & self._can_move()[:count]
            if not playing.any() or step == PLAYOUT_STEPS:
                break
            made.append(block.step().argmax(axis=1))
            lengths += playing
            if step % 32 == 31:
                yield None
        space.cost += STEP_COST * len(made) + playout_cost(space, len(made))
        yield PlayoutRecord(values, ends, lengths, made)

    def _can_move(self) -> NDArray[np.bool_]:
        """Return which lanes have a legal move: bool (lanes,)."""
        layout = self._space.layout
        legal = self._block.rows[layout.legal :][: sum(layout.move_counts)]
        some = np.bitwise_or.reduce(legal, axis=0)
        return np.unpackbits(some.view(np.uint8), bitorder="little").astype(np.bool_)


class NestedSearch:
    """Nested Monte Carlo search of level 1 with many playouts, restarted at the root for ever.

    At each step playouts are made after every move. The search follows the best line of play found
    since the root, also where the playouts of a step find nothing better.

    Source: T. Cazenave, Nested Monte-Carlo Search (2009).
    """

    def __init__(
        self, space: StateSpace, root: Packed, heuristics: Heuristics, random: np.random.Generator
    ) -> None:
        self._space = space
        self._root = root
        self._heuristics = heuristics
        self._random = random
        self._recorder = PlayoutRecorder(space, int(random.integers(2**32)))

    def run(self) -> PlanStream:
        """Yield after every few steps of playouts, without end."""
        while True:
            yield from self._descend()
            yield None

    def _descend(self) -> PlanStream:
        """Descend once from the root to a terminal state."""
        state, played, line = self._root, list[int](), FoundPlan(-1, ())
        while len(played) < MAX_PLAN_STEPS:
            batches = list(self._space.successors(state))
            if not batches:
                return
            children = Successors.joined(batches)
            for found in self._sample(children, played):
                if found and found.value > line.value:
                    line = found
                yield found
            if len(line.moves) <= len(played):
                return
            move = line.moves[len(played)]
            played.append(move)
            state = children.states[children.moves == move]

    def _sample(self, children: Successors, played: list[int]) -> PlanStream:
        """Make playouts from the children; yield None now and then, finally the best line."""
        lanes = self._space.lanes
        order = self._random.permutation(len(children.states))
        chosen = np.sort(np.resize(order, lanes))
        recording = None
        for result in self._recorder.record(children.states[chosen]):
            recording = result
            if result is None:
                yield None
        assert recording is not None
        self._learn(recording)
        best = int(recording.values.argmax())
        moves = (*played, int(children.moves[chosen[best]]), *recording.moves(best))
        value = int(recording.values[best])
        yield FoundPlan(value, moves) if value >= 0 else None

    def _learn(self, recording: PlayoutRecord) -> None:
        ended = recording.values >= 0
        if ended.any():
            self._heuristics.learn(recording.ends[ended], recording.values[ended])
