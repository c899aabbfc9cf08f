"""The memory of a search: the tree of its nodes, and the set of states that it has seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Packed
from gdl.engine.kernel_library import kernel
from ggp_player.strategies.planner.state_space import FoundPlan, Integers, Successors


@dataclass(frozen=True, slots=True)
class NodeBatch:
    """States that a search has reached at some depth, and their nodes in its tree."""

    states: Packed
    nodes: Integers
    depth: int = 0

    def __getitem__(self, chosen: Integers | slice) -> NodeBatch:
        """Return some of the states, by index."""
        return NodeBatch(self.states[chosen], self.nodes[chosen], self.depth)

    def split(self, size: int) -> Iterator[NodeBatch]:
        """Yield the states in batches of at most ``size``."""
        return (self[first : first + size] for first in range(0, len(self.nodes), size))

    @staticmethod
    def joined(batches: Sequence[NodeBatch]) -> NodeBatch:
        """Return several batches as one."""
        return NodeBatch(
            np.concatenate([batch.states for batch in batches]),
            np.concatenate([batch.nodes for batch in batches]),
            batches[0].depth,
        )


class SearchTree:
    """The nodes of a search, with their parents and the moves that led to them.

    ``best_value`` is the goal value of the best plan so far, -1 before there is one.
    """

    def __init__(self) -> None:
        self.best_value = -1
        self._parents = np.zeros(1024, dtype=np.int32)
        self._moves = np.zeros(1024, dtype=np.int32)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add_root(self) -> Integers:
        """Add the root; return its index as an array of one."""
        return self.add(np.array([-1]), np.array([0]))

    def add(self, parents: Integers, moves: Integers) -> Integers:
        """Add nodes; return their indices. The root's parent is -1."""
        first, last = self._size, self._size + len(parents)
        while last > len(self._parents):
            self._parents = np.resize(self._parents, 2 * len(self._parents))
            self._moves = np.resize(self._moves, 2 * len(self._moves))
        self._parents[first:last], self._moves[first:last] = parents, moves
        self._size = last
        return np.arange(first, last)

    def path(self, node: int) -> tuple[int, ...]:
        """Return the moves from the root to a node."""
        moves = []
        while self._parents[node] >= 0:
            moves.append(int(self._moves[node]))
            node = int(self._parents[node])
        return tuple(reversed(moves))

    def better(self, plan: FoundPlan) -> FoundPlan | None:
        """Return the plan if it is better than all before."""
        if plan.value <= self.best_value:
            return None
        self.best_value = plan.value
        return plan

    def better_plan(self, children: Successors, nodes: Integers) -> FoundPlan | None:
        """Return the plan to the best terminal child, if it is better than all before.

        ``nodes``: the nodes of the states that the children come from.
        """
        best, value = children.best_terminal()
        if value <= self.best_value:
            return None
        path = self.path(int(nodes[children.parents[best]]))
        return self.better(FoundPlan(value, (*path, int(children.moves[best]))))


class KeyTable:
    """A set of keys, uint64 and not 0, of bounded size: a hash table with open addressing."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.size = 0
        self._slots = np.zeros(1 << 12, dtype=np.uint64)

    @property
    def full(self) -> bool:
        """Whether the bound on the size is reached."""
        return self.size >= self.capacity

    def add(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Add keys; return which of them are new: bool (n,), of equal keys only the first.

        A full table adds nothing more, and reports every key that it does not hold as new.
        """
        unique, first = np.unique(keys, return_index=True)
        while not self.full and 2 * (self.size + len(unique)) > len(self._slots):
            old = self._slots[self._slots != 0]
            self._slots = np.zeros(2 * len(self._slots), dtype=np.uint64)
            _insert(self._slots, old, False, np.zeros(len(old), dtype=np.bool_))
        fresh = np.zeros(len(keys), dtype=np.bool_)
        missing = np.zeros(len(unique), dtype=np.bool_)
        _insert(self._slots, unique, self.full, missing)
        fresh[first] = missing
        self.size += 0 if self.full else int(missing.sum())
        return fresh


@kernel
def _insert(
    slots: NDArray[np.uint64], keys: NDArray[np.uint64], full: bool, missing: NDArray[np.bool_]
) -> None:
    """Mark the keys that a hash table does not hold, and add them unless it is full.

    ``slots`` uint64 (a power of 2,): 0 where free. ``keys`` uint64 (n,), ``missing`` bool (n,).
    """
    mask = np.uint64(len(slots) - 1)
    for index in range(len(keys)):
        key = keys[index]
        slot = key & mask
        while slots[slot] != 0 and slots[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        missing[index] = slots[slot] == 0
        if not full:
            slots[slot] = key
