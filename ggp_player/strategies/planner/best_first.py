"""Search of the first states first: the deepest ones, or those that look nearest to the goal."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Packed
from ggp_player.strategies.planner.heuristics import HOPELESS, Heuristic, Heuristics, Scores
from ggp_player.strategies.planner.state_space import (
    Found,
    Integers,
    KeyTable,
    Offspring,
    Progress,
    StateSpace,
)

FIRST_ROOM, MORE_ROOM = 20_000, 8
"""How many states a search may remember at first, and how many times that next."""

STATES_BYTES = 1 << 26
"""The states that are waiting may take so much."""

BESIDE_STATE = 32
"""Bytes that are kept of a state beside itself."""


@dataclass(frozen=True, slots=True)
class Order:
    """What comes first: the lowest ``cost_weight * cost + depth_weight * depth``.

    A negative depth weight alone is depth-first search; a cost weight alone is greedy. ``width``
    states at a time are gone on from. ``narrow``: of a state's moves only those are tried that
    fulfil the condition of the goal which the fewest moves fulfil.
    """

    cost_weight: int
    depth_weight: int
    width: int
    narrow: bool = False


DEPTH_FIRST = Order(0, -1, 16)
DEEPEST_FIRST = Order(0, -1, 1)
NARROW = Order(0, -1, 4, narrow=True)
GREEDY = Order(1, 0, 64)
SHORT_AND_GREEDY = Order(2, 1, 128)


@dataclass(frozen=True, slots=True)
class Waiting:
    """States to go on from, the best first, with their numbers as nodes and their depth."""

    states: Packed
    nodes: Integers
    depth: int

    def split(self, count: int) -> tuple[Waiting, Waiting]:
        """Return the first states and the others."""
        return (
            Waiting(self.states[:count], self.nodes[:count], self.depth),
            Waiting(self.states[count:], self.nodes[count:], self.depth),
        )


class BestFirstSearch:
    """A search that keeps its states in buckets and goes on from the first bucket.

    It backtracks of itself, as all that it left aside is waiting in later buckets. States without
    hope of the goal are dropped. It ends when nothing waits or when there is no ``room``.

    Source: J. Pearl, Heuristics (1984), chapter 2.
    """

    def __init__(
        self,
        space: StateSpace,
        root: Packed,
        room: int,
        guides: Heuristics,
        how: tuple[Heuristic, Order],
    ) -> None:
        self._space = space
        self._relaxation = guides.relaxation
        self._guide, order = how
        self._order = order
        # Depth first, the first way to a state is seldom the shortest: its steps must count.
        self._without_counters = order.depth_weight >= 0
        self._table = KeyTable(min(room, STATES_BYTES // (root.shape[1] + BESIDE_STATE)))
        self._tree = SearchTree()
        self._buckets: dict[int, list[Waiting]] = {}
        self._heap: list[int] = []
        self._best = -1
        self._table.add(self._keys(root))
        self._push(0, Waiting(root, self._tree.add(np.array([-1]), np.array([0])), 0))

    def run(self) -> Progress:
        """Yield after every block of states."""
        while self._heap and not self._table.full:
            batch = self._pop()
            going_on: list[Offspring] = []
            for children in self._space.children(batch.states):
                found = self._best_end(children, batch)
                going_on.append(children.going_on)
                yield found
            if going_on:
                self._sort_in(Offspring.joined(going_on), batch)

    def _keys(self, states: Packed) -> NDArray[np.uint64]:
        return self._space.keys(states, without_counters=self._without_counters)

    def _new(self, children: Offspring) -> NDArray[np.bool_]:
        """Remember the children; return which of them were not known."""
        return self._table.add(self._keys(children.states))

    def _sort_in(self, children: Offspring, parents: Waiting) -> None:
        if not self._order.narrow:
            children = children[self._new(children)]
        scores = self._guide.score(children)
        hopeful = scores < HOPELESS / 2
        children, scores = children[hopeful], scores[hopeful]
        if self._order.narrow:
            # What is not tried here may be come upon, and tried, on another way.
            before = self._relaxation.fulfilled(parents.states)
            after = self._relaxation.fulfilled(children.states)
            wanted = scarcest(before, after, children.parents)
            children, scores = children[wanted], scores[wanted]
            fresh = self._new(children)
            children, scores = children[fresh], scores[fresh]
        order = np.argsort(scores, kind="stable")
        children, scores = children[order], scores[order]
        nodes = self._tree.add(parents.nodes[children.parents], children.moves)
        buckets = self._bucket(scores, parents.depth + 1)
        for bucket in np.unique(buckets)[::-1].tolist():
            here = buckets == bucket
            self._push(bucket, Waiting(children.states[here], nodes[here], parents.depth + 1))

    def _bucket(self, scores: Scores, depth: int) -> Integers:
        order = self._order
        costs = np.rint(np.clip(scores, -1e6, 1e6)).astype(np.int64)
        return order.cost_weight * costs + order.depth_weight * depth

    def _push(self, bucket: int, waiting: Waiting) -> None:
        if bucket not in self._buckets:
            self._buckets[bucket] = []
            heappush(self._heap, bucket)
        self._buckets[bucket].append(waiting)

    def _pop(self) -> Waiting:
        bucket = self._heap[0]
        batches = self._buckets[bucket]
        first, rest = batches.pop().split(self._order.width)
        if len(rest.nodes):
            batches.append(rest)
        if not batches:
            del self._buckets[heappop(self._heap)]
        return first

    def _best_end(self, children: Offspring, parents: Waiting) -> Found | None:
        best, value = children.best_end()
        if value <= self._best:
            return None
        self._best = value
        way = self._tree.way(int(parents.nodes[children.parents[best]]))
        return Found(self._best, (*way, int(children.moves[best])))


def scarcest(
    before: NDArray[np.bool_], after: NDArray[np.bool_], parents: Integers
) -> NDArray[np.bool_]:
    """Return which states fulfil the condition that the fewest of their siblings fulfil: bool (n,).

    ``before`` bool (any, conditions): what holds in the states they come from, which ``parents``
    int64 (n,) says; ``after`` bool (n, conditions): what holds in themselves. Where no sibling
    fulfils anything that was lacking, all are wanted.

    Source: J. Bitner and E. Reingold, Backtrack Programming Techniques (1975), for the search of
    the condition with the fewest ways first.
    """
    gains = after & ~before[parents]
    ways = np.stack([gains[parents == parent].sum(axis=0) for parent in range(len(before))])
    none = len(after) + 1
    ways[ways == 0] = none
    scarce = ways.argmin(axis=1, keepdims=True) if ways.shape[1] else ways
    served = np.take_along_axis(gains, scarce[parents], axis=1).any(axis=1)
    nothing = ways.min(axis=1, initial=none) == none
    wanted: NDArray[np.bool_] = np.logical_or(served, nothing[parents])
    return wanted


class SearchTree:
    """Nodes with their parents and the moves that led to them, in arrays that grow."""

    def __init__(self) -> None:
        self._parents = np.zeros(1024, dtype=np.int32)
        self._moves = np.zeros(1024, dtype=np.int32)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, parents: Integers, moves: Integers) -> Integers:
        """Add nodes; return their numbers. The root's parent is -1."""
        first, last = self._size, self._size + len(parents)
        while last > len(self._parents):
            self._parents = np.resize(self._parents, 2 * len(self._parents))
            self._moves = np.resize(self._moves, 2 * len(self._moves))
        self._parents[first:last], self._moves[first:last] = parents, moves
        self._size = last
        return np.arange(first, last)

    def way(self, node: int) -> tuple[int, ...]:
        """Return the moves from the root to a node."""
        moves = []
        while self._parents[node] >= 0:
            moves.append(int(self._moves[node]))
            node = int(self._parents[node])
        return tuple(reversed(moves))
