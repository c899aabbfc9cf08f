"""Search level by level: all states, or a beam of the best of each level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Packed
from ggp_player.strategies.planner.heuristics import Heuristic, Scores
from ggp_player.strategies.planner.state_space import (
    LONGEST,
    Found,
    KeyTable,
    Offspring,
    Progress,
    StateSpace,
)

FRONTIER_BYTES = 1 << 26
"""The states of one level may take so much; a breadth-first search with more gives up."""

BESIDE_STATE = 40
"""Bytes that are kept of a state beside itself while its level is gathered."""

WAYS = 4
"""A search without a table may remember so many times as many parents as others do states."""


@dataclass(frozen=True, slots=True)
class Beam:
    """How wide a beam is and what guides it."""

    guide: Heuristic
    width: int


class LevelSearch:
    """A search from the root, level by level; equal states are looked at once.

    Without a ``beam`` it is breadth-first search, and proves what it finds to be best where
    nothing had to be left out. ``without_counters`` takes states that differ in step counters
    alone for equal: the earliest is kept, which finds the quickest ways but proves nothing if the
    game has such counters, nor where the space leaves anything else out. ``room`` bounds the number
    of states that are remembered.

    Source: R. Bisiani, Beam Search, in Encyclopedia of Artificial Intelligence (1987).
    """

    def __init__(
        self,
        space: StateSpace,
        root: Packed,
        room: int,
        beam: Beam | None = None,
        *,
        without_counters: bool = True,
    ) -> None:
        self._space = space
        self._root = root
        self._beam = beam
        self._room = room
        self._table = KeyTable(room)
        self._without_counters = without_counters and bool(space.counters.any())
        self._whole = beam is None and not without_counters
        # Where steps are counted, no state is on two levels.
        self._forgets = not without_counters and bool(space.counters.any())
        self._ways: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
        self._seen = 0
        self._best = -1
        self.complete = beam is None

    def run(self) -> Progress:
        """Yield after every block of states."""
        frontier = self._root
        self._table.add(self._keys(frontier))
        while len(frontier) and len(self._ways) < LONGEST and self._has_room():
            level = BeamLevel(self._beam, FRONTIER_BYTES // (frontier.shape[1] + BESIDE_STATE))
            for children in self._space.children(frontier, whole=self._whole):
                found = self._best_end(children)
                level.add(self._new(children))
                yield found
                if found and found.value == self._space.best_value:
                    return
                if level.overflows:
                    self.complete = False
                    return
            if level.empty:
                frontier = frontier[:0]
                break
            frontier = self._next(level)
        self.complete &= not len(frontier) and not self._without_counters
        self.complete &= self._whole or not self._space.leaves_out
        if self.complete:
            yield Found(max(self._best, 0), (), proved=True)

    def _has_room(self) -> bool:
        if self._beam or self._forgets:
            return self._seen < WAYS * self._room
        return not self._table.full

    def _keys(self, states: Packed) -> NDArray[np.uint64]:
        return self._space.keys(states, without_counters=self._without_counters, whole=self._whole)

    def _new(self, children: Offspring) -> Offspring:
        """Return the children that are neither terminal nor known."""
        children = children.going_on
        return children[self._table.add(self._keys(children.states))]

    def _next(self, level: BeamLevel) -> Packed:
        chosen = level.chosen()
        self._ways.append((chosen.parents.astype(np.int32), chosen.moves.astype(np.int32)))
        self._seen += len(chosen.states)
        if self._forgets or (self._beam and self._table.full):
            self._table = KeyTable(self._room)
        return chosen.states

    def _best_end(self, children: Offspring) -> Found | None:
        """Return the way to the best terminal state, if it is better than all before."""
        best, value = children.best_end()
        if value <= self._best:
            return None
        self._best = value
        way = [int(children.moves[best])]
        place = int(children.parents[best])
        for parents, moves in reversed(self._ways):
            way.append(int(moves[place]))
            place = int(parents[place])
        return Found(self._best, tuple(reversed(way)))


class BeamLevel:
    """The states of a level while it is being gathered."""

    def __init__(self, beam: Beam | None, room: int) -> None:
        self._beam = beam
        self._room = room
        self._parts: list[Offspring] = []
        self._scores: list[Scores] = []
        self._size = 0

    @property
    def empty(self) -> bool:
        """Whether there is no state."""
        return not self._size

    @property
    def overflows(self) -> bool:
        """Whether there are more states than there may be."""
        return self._beam is None and self._size > self._room

    def add(self, states: Offspring) -> None:
        """Add states; a beam that has become much too wide loses its worst ones."""
        self._parts.append(states)
        self._size += len(states.states)
        if self._beam:
            self._scores.append(self._beam.guide.score(states))
            if self._size > 4 * self._beam.width:
                self._trim(self._beam.width)

    def chosen(self) -> Offspring:
        """Return the states to go on from, the best first where there is a guide."""
        if self._beam and self._parts:
            self._trim(self._beam.width)
        return Offspring.joined(self._parts)

    def _trim(self, width: int) -> None:
        scores = np.concatenate(self._scores)
        best = np.argsort(scores, kind="stable")[:width]
        self._parts = [Offspring.joined(self._parts)[best]]
        self._scores = [scores[best]]
        self._size = len(best)
