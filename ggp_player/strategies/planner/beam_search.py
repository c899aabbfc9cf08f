"""Beam search, and breadth-first search, which is a beam of any width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Packed
from ggp_player.strategies.planner.heuristics import Heuristic, Scores
from ggp_player.strategies.planner.search_memory import KeyTable, SearchTree
from ggp_player.strategies.planner.state_space import (
    MAX_PLAN_STEPS,
    FoundPlan,
    PlanStream,
    StateSpace,
    Successors,
)

FRONTIER_BYTES = 1 << 26
"""The memory for the states of one level; a breadth-first search that needs more ends."""

NODE_BYTES = 40
"""The memory for each state beside the packed state itself while its level is collected."""

NODES_PER_STATE = 4
"""A search that does not remember all states may have so many times as many nodes as others."""


@dataclass(frozen=True, slots=True)
class Beam:
    """The width of a beam, and the heuristic that chooses its states."""

    heuristic: Heuristic
    width: int


class BeamSearch:
    """A search from the root, level by level; equal states are expanded once.

    Without a ``beam`` it is breadth-first search, and proves its best plan optimal if no state had
    to be left out. With ``ignore_counters``, states that differ only in step counters count as
    equal: the earliest is kept, which finds the shortest plans but proves nothing in games with
    such counters. Nor is anything proved where the space omits moves. ``max_states`` bounds the
    number of states that are remembered.

    Source: R. Bisiani, Beam Search, in Encyclopedia of Artificial Intelligence (1987).
    """

    def __init__(
        self,
        space: StateSpace,
        root: Packed,
        max_states: int,
        beam: Beam | None = None,
        *,
        ignore_counters: bool = True,
    ) -> None:
        self._space = space
        self._root = root
        self._beam = beam
        self._max_states = max_states
        self._table = KeyTable(max_states)
        self._tree = SearchTree()
        self._ignore_counters = ignore_counters and bool(space.counters.any())
        self._whole = beam is None and not ignore_counters
        # Where steps are counted, no state occurs on two levels.
        self._resets_table = not ignore_counters and bool(space.counters.any())
        self.complete = beam is None

    def run(self) -> PlanStream:
        """Yield after every block of states."""
        frontier, nodes = self._root, self._tree.add_root()
        depth = 0
        self._table.add(self._keys(frontier))
        while len(frontier) and depth < MAX_PLAN_STEPS and self._has_room():
            level = BeamLevel(self._beam, FRONTIER_BYTES // (frontier.shape[1] + NODE_BYTES))
            for children in self._space.successors(frontier, whole=self._whole):
                found = self._tree.better_plan(children, nodes)
                level.add(self._unseen(children))
                yield found
                if found and found.value == self._space.best_value:
                    return
                if level.overflows:
                    self.complete = False
                    return
            if level.empty:
                frontier = frontier[:0]
                break
            chosen = level.chosen()
            frontier, nodes = chosen.states, self._tree.add(nodes[chosen.parents], chosen.moves)
            depth += 1
            if self._resets_table or (self._beam and self._table.full):
                self._table = KeyTable(self._max_states)
        self.complete &= not len(frontier) and not self._ignore_counters
        self.complete &= self._whole or not self._space.omits_moves
        if self.complete:
            yield FoundPlan(max(self._tree.best_value, 0), (), proved=True)

    def _has_room(self) -> bool:
        if self._beam or self._resets_table:
            return len(self._tree) <= NODES_PER_STATE * self._max_states
        return not self._table.full

    def _keys(self, states: Packed) -> NDArray[np.uint64]:
        return self._space.keys(states, ignore_counters=self._ignore_counters, whole=self._whole)

    def _unseen(self, children: Successors) -> Successors:
        """Return the children that can be expanded and are new."""
        children = children.expandable
        return children[self._table.add(self._keys(children.states))]


class BeamLevel:
    """The states of a level while they are collected."""

    def __init__(self, beam: Beam | None, max_states: int) -> None:
        self._beam = beam
        self._max_states = max_states
        self._batches: list[Successors] = []
        self._scores: list[Scores] = []
        self._size = 0

    @property
    def empty(self) -> bool:
        """Whether there is no state."""
        return not self._size

    @property
    def overflows(self) -> bool:
        """Whether a level without a beam has more than ``max_states``."""
        return self._beam is None and self._size > self._max_states

    def add(self, states: Successors) -> None:
        """Add states; a beam that has become much too wide loses its worst ones."""
        self._batches.append(states)
        self._size += len(states.states)
        if self._beam:
            self._scores.append(self._beam.heuristic(states))
            if self._size > 4 * self._beam.width:
                self._trim(self._beam.width)

    def chosen(self) -> Successors:
        """Return the states to expand, the best first in a beam."""
        if self._beam and self._batches:
            self._trim(self._beam.width)
        return Successors.joined(self._batches)

    def _trim(self, width: int) -> None:
        scores = np.concatenate(self._scores)
        best = np.argsort(scores, kind="stable")[:width]
        self._batches = [Successors.joined(self._batches)[best]]
        self._scores = [scores[best]]
        self._size = len(best)
