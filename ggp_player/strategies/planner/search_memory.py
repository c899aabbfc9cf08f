"""The memory of a search: the tree of its nodes, and the set of states that it has seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ggp_player.strategies.planner.state_space import FoundPlan, Integers, Successors


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
            self._grow()
        fresh = np.zeros(len(keys), dtype=np.bool_)
        fresh[first] = self._insert(unique)
        self.size += 0 if self.full else int(fresh.sum())
        return fresh

    def _grow(self) -> None:
        old = self._slots[self._slots != 0]
        self._slots = np.zeros(2 * len(self._slots), dtype=np.uint64)
        if len(old):
            self._insert(old)

    def _insert(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        slots, mask = self._slots, np.uint64(len(self._slots) - 1)
        slot_of, waiting = keys & mask, np.arange(len(keys))
        fresh = np.zeros(len(keys), dtype=np.bool_)
        while len(waiting):
            slot, key = slot_of[waiting], keys[waiting]
            free = slots[slot] == 0
            if self.full:
                fresh[waiting[free]] = True
            else:
                # Of several keys that meet in a free slot the last one gets it.
                slots[slot[free]] = key[free]
                fresh[waiting[free]] = slots[slot[free]] == key[free]
            colliding = slots[slot] != key
            if self.full:
                colliding &= ~free
            waiting = waiting[colliding]
            slot_of[waiting] = (slot_of[waiting] + np.uint64(1)) & mask
        return fresh
