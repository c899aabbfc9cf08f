"""Sets that grow together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable


class DisjointSets:
    """Elements 0 to n - 1 in sets that are disjoint; at first each is in one of its own.

    Source: R. Tarjan, Efficiency of a good but not linear set union algorithm (1975).
    """

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, element: int) -> int:
        """Return the element that stands for the set of another."""
        parent = self._parent
        while parent[element] != element:
            parent[element] = parent[parent[element]]
            element = parent[element]
        return element

    def join(self, elements: Iterable[int]) -> int | None:
        """Make one set of those of some elements, and return what stands for it."""
        roots = sorted({self.root(element) for element in elements})
        for root in roots:
            self._parent[root] = roots[0]
        return roots[0] if roots else None

    def sets(self) -> list[list[int]]:
        """Return the sets, each in rising order, by their least elements."""
        found: dict[int, list[int]] = defaultdict(list)
        for element in range(len(self._parent)):
            found[self.root(element)].append(element)
        return list(found.values())
