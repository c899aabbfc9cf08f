"""Best-first search: the state that comes first in some order is expanded first.

The orders are depth-first, greedy best-first and weighted A*.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Packed
from ggp_player.strategies.planner.delete_relaxation import DeleteRelaxation
from ggp_player.strategies.planner.heuristics import DEAD_END, Heuristic, Scores
from ggp_player.strategies.planner.search_memory import KeyTable, NodeBatch, SearchTree
from ggp_player.strategies.planner.state_space import (
    Integers,
    PlanStream,
    StateSpace,
    Successors,
)

FIRST_MAX_STATES, MAX_STATES_FACTOR = 20_000, 8
"""How many states a search may remember at first, and by what factor more in every later turn."""

STATES_BYTES = 1 << 26
"""The memory for all states of a search."""

NODE_BYTES = 32
"""The memory for each state beside the packed state itself."""


@dataclass(frozen=True, slots=True)
class SearchOrder:
    """States are expanded by the lowest ``heuristic_weight * score + depth_weight * depth``.

    A negative depth weight alone makes depth-first search, a heuristic weight alone greedy
    best-first search, and both weights, if positive, weighted A*. ``width`` states are expanded at
    a time. ``most_constrained``: of a state's moves only those are tried that fulfil the condition
    of the goal which the fewest moves fulfil.
    """

    heuristic_weight: int
    depth_weight: int
    width: int
    most_constrained: bool = False


DEPTH_FIRST = SearchOrder(0, -1, 1)
DEPTH_FIRST_IN_BATCHES = SearchOrder(0, -1, 16)
MOST_CONSTRAINED_FIRST = SearchOrder(0, -1, 4, most_constrained=True)
GREEDY = SearchOrder(1, 0, 64)
WEIGHTED_A_STAR = SearchOrder(2, 1, 128)


class BestFirstSearch:
    """A search whose open states lie in a priority queue of buckets.

    It backtracks by itself, since all states that it has passed over remain in later buckets. Dead
    ends are dropped. It ends when no state is open, or when it remembers ``max_states``.

    Source: J. Pearl, Heuristics (1984), chapter 2.
    """

    def __init__(
        self,
        space: StateSpace,
        root: Packed,
        max_states: int,
        heuristic: Heuristic,
        order: SearchOrder,
        relaxation: DeleteRelaxation,
    ) -> None:
        self._space = space
        self._heuristic = heuristic
        self._order = order
        self._relaxation = relaxation
        # In depth-first search the first path to a state is rarely the shortest: states that
        # differ in the step count must be distinguished.
        self._ignore_counters = order.depth_weight >= 0
        self._table = KeyTable(min(max_states, STATES_BYTES // (root.shape[1] + NODE_BYTES)))
        self._tree = SearchTree()
        self._buckets: dict[int, list[NodeBatch]] = {}
        self._heap: list[int] = []
        self._table.add(self._keys(root))
        self._push(0, NodeBatch(root, self._tree.add_root(), 0))

    def run(self) -> PlanStream:
        """Yield after every block of states."""
        while self._heap and not self._table.full:
            batch = self._pop()
            expandable: list[Successors] = []
            for children in self._space.successors(batch.states):
                found = self._tree.better_plan(children, batch.nodes)
                expandable.append(children.expandable)
                yield found
            if expandable:
                self._insert(Successors.joined(expandable), batch)

    def _keys(self, states: Packed) -> NDArray[np.uint64]:
        return self._space.keys(states, ignore_counters=self._ignore_counters)

    def _unseen(self, children: Successors) -> NDArray[np.bool_]:
        """Remember the children; return which of them are new."""
        return self._table.add(self._keys(children.states))

    def _insert(self, children: Successors, parents: NodeBatch) -> None:
        """Put the children that are worth it into the buckets."""
        if not self._order.most_constrained:
            children = children[self._unseen(children)]
        scores = self._heuristic(children)
        hopeful = scores < DEAD_END / 2
        children, scores = children[hopeful], scores[hopeful]
        if self._order.most_constrained:
            # A child that is dropped here is not remembered: another path may lead to it.
            before = self._relaxation.fulfilled(parents.states)
            after = self._relaxation.fulfilled(children.states)
            wanted = fulfil_most_constrained(before, after, children.parents)
            children, scores = children[wanted], scores[wanted]
            fresh = self._unseen(children)
            children, scores = children[fresh], scores[fresh]
        order = np.argsort(scores, kind="stable")
        children, scores = children[order], scores[order]
        nodes = self._tree.add(parents.nodes[children.parents], children.moves)
        buckets = self._bucket(scores, parents.depth + 1)
        for bucket in np.unique(buckets)[::-1].tolist():
            here = buckets == bucket
            self._push(bucket, NodeBatch(children.states[here], nodes[here], parents.depth + 1))

    def _bucket(self, scores: Scores, depth: int) -> Integers:
        order = self._order
        rounded = np.rint(np.clip(scores, -1e6, 1e6)).astype(np.int64)
        return order.heuristic_weight * rounded + order.depth_weight * depth

    def _push(self, bucket: int, batch: NodeBatch) -> None:
        if bucket not in self._buckets:
            self._buckets[bucket] = []
            heappush(self._heap, bucket)
        self._buckets[bucket].append(batch)

    def _pop(self) -> NodeBatch:
        bucket = self._heap[0]
        batches = self._buckets[bucket]
        batch, width = batches.pop(), self._order.width
        if len(batch.nodes) > width:
            batches.append(batch[width:])
        if not batches:
            del self._buckets[heappop(self._heap)]
        return batch[:width]


def fulfil_most_constrained(
    before: NDArray[np.bool_], after: NDArray[np.bool_], parents: Integers
) -> NDArray[np.bool_]:
    """Return which states fulfil the condition that the fewest of their siblings fulfil: bool (n,).

    ``before`` bool (any, conditions): the conditions that hold in the parent states; ``parents``
    int64 (n,): the index of each state's parent; ``after`` bool (n, conditions): the conditions
    that hold in the states. If no sibling fulfils a new condition, all of them are chosen.

    Source: J. Bitner and E. Reingold, Backtrack Programming Techniques (1975), for branching on
    the most constrained condition.
    """
    gains = after & ~before[parents]
    counts = np.stack([gains[parents == parent].sum(axis=0) for parent in range(len(before))])
    none = len(after) + 1
    counts[counts == 0] = none
    rarest = counts.argmin(axis=1, keepdims=True) if counts.shape[1] else counts
    served = np.take_along_axis(gains, rarest[parents], axis=1).any(axis=1)
    nothing = counts.min(axis=1, initial=none) == none
    wanted: NDArray[np.bool_] = np.logical_or(served, nothing[parents])
    return wanted
