"""Playouts that are remembered move by move, and nested searches made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Packed, packed_from_rows, rows_from_packed
from ggp_player.strategies.planner.heuristics import PLAYOUT_STEPS, Heuristics, playout_work
from ggp_player.strategies.planner.state_space import (
    LONGEST,
    Found,
    Integers,
    Offspring,
    Progress,
    StateSpace,
)

STEP = 60.0
"""The work of one recorded step, apart from what any step costs."""


@dataclass(frozen=True, slots=True)
class PlayoutRecord:
    """Playouts, one a lane.

    ``values`` int64 (n,): the goal values at the ends, -1 where a playout came to none. ``ends``:
    the last states. ``lengths`` int64 (n,): how many steps were made. ``made``: for every step the
    move in each lane of the block, int64 (lanes,).
    """

    values: Integers
    ends: Packed
    lengths: Integers
    made: list[Integers]

    def moves(self, lane: int) -> tuple[int, ...]:
        """Return the moves of a lane's playout."""
        return tuple(int(moves[lane]) for moves in self.made[: int(self.lengths[lane])])


class Recorder:
    """Makes uniformly random playouts and remembers their moves."""

    def __init__(self, space: StateSpace, seed: int) -> None:
        self._space = space
        self._block = space.engine.block(seed)

    def record(self, states: Packed) -> Iterator[PlayoutRecord | None]:
        """Play from at most a block of states; yield None now and then, at last the record.

        Playouts without a legal move, or longer than ``PLAYOUT_STEPS``, are given up.
        """
        space, block, layout = self._space, self._block, self._space.layout
        fluents = block.rows[layout.fluents :][: layout.fluent_count]
        fluents[:] = rows_from_packed(states, layout.fluent_count, space.engine.words)
        count = len(states)
        values = np.full(count, -1, dtype=np.int64)
        lengths = np.zeros(count, dtype=np.int64)
        ends = states.copy()
        playing = np.ones(count, dtype=np.bool_)
        made: list[Integers] = []
        for step in range(PLAYOUT_STEPS + 1):
            block.view()
            ended = playing & block.terminal()[:count]
            if ended.any():
                values[ended] = space.values_in(block)[:count][ended]
                ends[ended] = packed_from_rows(fluents)[:count][ended]
            playing &= ~ended & self._can_move()[:count]
            if not playing.any() or step == PLAYOUT_STEPS:
                break
            made.append(block.step().argmax(axis=1))
            lengths += playing
            if step % 32 == 31:
                yield None
        space.work += STEP * len(made) + playout_work(space, len(made))
        yield PlayoutRecord(values, ends, lengths, made)

    def _can_move(self) -> NDArray[np.bool_]:
        """Return which lanes have a legal move: bool (lanes,)."""
        layout = self._space.layout
        legal = self._block.rows[layout.legal :][: sum(layout.move_counts)]
        some = np.bitwise_or.reduce(legal, axis=0)
        return np.unpackbits(some.view(np.uint8), bitorder="little").astype(np.bool_)


class NestedSearch:
    """Nested Monte Carlo search of level 1 with many playouts, again and again from the root.

    At each step every move is followed by playouts. The best line of play found since the start is
    followed; a step where nothing better turns up goes along it too.

    Source: T. Cazenave, Nested Monte-Carlo Search (2009).
    """

    def __init__(
        self, space: StateSpace, root: Packed, guides: Heuristics, random: np.random.Generator
    ) -> None:
        self._space = space
        self._root = root
        self._guides = guides
        self._random = random
        self._recorder = Recorder(space, int(random.integers(2**32)))
        self._best = -1

    def run(self) -> Progress:
        """Yield after every few steps of playouts; never ends."""
        while True:
            yield from self._descend()
            yield None

    def _descend(self) -> Progress:
        """Go down once from the root to a terminal state."""
        state, played, line = self._root, list[int](), Found(-1, ())
        while len(played) < LONGEST:
            batches = list(self._space.children(state))
            if not batches:
                return
            children = Offspring.joined(batches)
            for found in self._sample(children, played):
                if found and found.value > line.value:
                    line = found
                yield self._news(found)
            if len(line.moves) <= len(played):
                return
            move = line.moves[len(played)]
            played.append(move)
            state = children.states[children.moves == move]

    def _sample(self, children: Offspring, played: list[int]) -> Progress:
        """Make playouts from the children; yield None now and then, at last the best line."""
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
        yield Found(value, moves) if value >= 0 else None

    def _learn(self, recording: PlayoutRecord) -> None:
        ended = recording.values >= 0
        if ended.any():
            self._guides.learn(recording.ends[ended], recording.values[ended])

    def _news(self, found: Found | None) -> Found | None:
        """Return what was found if it is better than all before."""
        if found is None or found.value <= self._best:
            return None
        self._best = found.value
        return found
