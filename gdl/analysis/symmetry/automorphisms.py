"""Automorphisms of graphs with kinds of vertices and edges.

Colour refinement gives one colour to any two vertices that some automorphism exchanges; then one
vertex is individualized, and so on until all colours are distinct. Two such sequences that agree
in all colours give an automorphism, which is checked edge by edge. The search does not backtrack:
it can miss automorphisms, but finds no false ones.

Source: B. McKay and A. Piperno, Practical graph isomorphism, II (2014).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.evidence.disjoint_sets import DisjointSets

Colours = NDArray[np.int64]
"""int64 (vertices,): ranks from 0, the same for vertices that are not distinguished."""

Permutation = NDArray[np.int64]
"""int64 (vertices,): what each vertex becomes."""

WORK = 15_000_000
"""Edges visited before the search is cut off."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


class AutomorphismSearch:
    """Looks for automorphisms.

    ``kinds`` int64 (vertices,); ``edges`` int64 (edges, 3): origin, target and kind.
    """

    def __init__(self, kinds: NDArray[np.int64], edges: NDArray[np.int64]) -> None:
        self._edges = edges[np.lexsort(edges.T)]
        ends = np.concatenate([edges[:, 1], edges[:, 0]])
        order = np.argsort(ends, kind="stable")
        self._others = np.concatenate([edges[:, 0], edges[:, 1]])[order]
        self._labels = np.concatenate([2 * edges[:, 2], 2 * edges[:, 2] + 1])[order].astype("u8")
        self._met, self._starts = np.unique(ends[order], return_index=True)
        self._work = WORK
        self._first = self._refined(np.unique(kinds, return_inverse=True)[1].astype(np.int64))

    def generators(self, wanted: NDArray[np.int64]) -> Iterator[Permutation]:
        """Yield automorphisms that move some of the wanted vertices.

        They generate all that were found. ``wanted`` vertices are individualized before others.
        """
        path = [self._first]
        chosen: list[int] = []
        while (cell := self._cell(path[-1], wanted)) is not None and self._work > 0:
            chosen.append(int(cell[0]))
            path.append(self._split(path[-1], chosen[-1]))
        leaf = self._leaf(path[-1])
        if leaf is None:
            return
        orbits = DisjointSets(len(self._first))
        for level in reversed(range(len(chosen))):
            cell = np.flatnonzero(path[level] == path[level][chosen[level]])
            for vertex in cell.tolist():
                if self._work <= 0:
                    return
                if orbits.root(vertex) == orbits.root(chosen[level]):
                    continue
                found = self._mapped(leaf, self._split(path[level], vertex), wanted)
                if found is None:
                    continue
                for one in np.flatnonzero(found != np.arange(len(found))).tolist():
                    orbits.join((one, int(found[one])))
                yield found

    def _mapped(
        self, leaf: Colours, other: Colours, wanted: NDArray[np.int64]
    ) -> Permutation | None:
        """Find the automorphism that maps one leaf to another leaf below some colours."""
        while (cell := self._cell(other, wanted)) is not None:
            if self._work <= 0:
                return None
            other = self._split(other, int(cell[0]))
        discrete = self._leaf(other)
        if discrete is None:
            return None
        found = np.empty(len(leaf), dtype=np.int64)
        found[np.argsort(leaf)] = np.argsort(discrete)
        return found if self._is_automorphism(found) else None

    def _leaf(self, colours: Colours) -> Colours | None:
        """Refine to distinct colours of all vertices; None where the work is too much."""
        vertices = np.arange(len(colours))
        while (cell := self._cell(colours, vertices)) is not None:
            if self._work <= 0:
                return None
            colours = self._split(colours, int(cell[0]))
        return colours

    def _cell(self, colours: Colours, wanted: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """The wanted vertices of the first colour that several of them have."""
        counts = np.bincount(colours[wanted], minlength=1)
        several = np.flatnonzero(counts > 1)
        if not len(several):
            return None
        cell: NDArray[np.int64] = wanted[colours[wanted] == several[0]]
        return cell

    def _split(self, colours: Colours, vertex: int) -> Colours:
        """Individualize a vertex: give it a colour of its own, and refine."""
        changed = 2 * colours
        changed[vertex] += 1
        return self._refined(np.unique(changed, return_inverse=True)[1].astype(np.int64))

    def _refined(self, colours: Colours) -> Colours:
        """Refine the colours until vertices of one colour agree in their neighbours' colours."""
        count = int(colours.max(initial=0)) + 1
        while self._work > 0:
            self._work -= len(self._others)
            around = np.zeros(len(colours), dtype=np.uint64)
            mixed = _mixed(_mixed(colours[self._others].astype(np.uint64)) + self._labels)
            if len(mixed):
                around[self._met] = np.add.reduceat(mixed, self._starts)
            order = np.lexsort((around, colours))
            is_new = np.append(
                True,
                (colours[order][1:] != colours[order][:-1])
                | (around[order][1:] != around[order][:-1]),
            )
            refined = np.empty(len(colours), dtype=np.int64)
            refined[order] = np.cumsum(is_new) - 1
            colours = refined
            new_count = int(is_new.sum())
            if new_count == count:
                break
            count = new_count
        return colours

    def _is_automorphism(self, permutation: Permutation) -> bool:
        edges = self._edges.copy()
        edges[:, :2] = permutation[edges[:, :2]]
        same_edges = np.array_equal(edges[np.lexsort(edges.T)], self._edges)
        return same_edges and np.array_equal(self._first[permutation], self._first)


def _mixed(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    value = (value + np.uint64(1)) * _FACTOR
    value = (value ^ (value >> _SHIFT)) * _FACTOR
    return value ^ (value >> _SHIFT)
