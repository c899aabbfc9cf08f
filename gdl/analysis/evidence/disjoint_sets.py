"""Disjoint sets (union-find).

Apart, since decomposition and symmetry both need them, and neither may import the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable


class DisjointSets:
    """A partition of the elements 0 to n - 1; at first each is alone in its set.

    Source: R. Tarjan, Efficiency of a good but not linear set union algorithm (1975).
    """

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, element: int) -> int:
        """Find the element that represents the set of another."""
        parent = self._parent
        while parent[element] != element:
            parent[element] = parent[parent[element]]
            element = parent[element]
        return element

    def join(self, elements: Iterable[int]) -> int | None:
        """Unite the sets of some elements, and return the representative."""
        roots = sorted({self.root(element) for element in elements})
        for root in roots:
            self._parent[root] = roots[0]
        return roots[0] if roots else None

    def sets(self) -> list[list[int]]:
        """List the sets, each in rising order, by their least elements."""
        found: dict[int, list[int]] = defaultdict(list)
        for element in range(len(self._parent)):
            found[self.root(element)].append(element)
        return list(found.values())
