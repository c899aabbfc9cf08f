"""Copies of a cone: the same gates with other literals in place of what they read.

A cone is the gates that some nodes depend on. It is copied many times at once, a *column* for each
copy, level by level: the gates of a level read only those of lower ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gdl.circuit.aig import AndInverterGraph
from gdl.circuit.arrays import Integers, Mask
from gdl.circuit.layout import GateProgram


@dataclass(frozen=True, slots=True)
class GateArrays:
    """Gates of any numbering: ``left`` and ``right``, int64 (nodes,), are the literals they read.

    ``order``, int64 (gates,), are the gates, each after those that it reads; other nodes are
    leaves.
    """

    left: Integers
    right: Integers
    order: Integers

    def cone(self, roots: Integers) -> Mask:
        """Mark the nodes that some nodes depend on, leaves included: bool (nodes,)."""
        is_needed = bytearray(len(self.left))
        for root in roots.tolist():
            is_needed[root] = 1
        order = self.order[::-1]
        gates = zip(*(each.tolist() for each in self._read(order)), strict=True)
        for node, left, right in gates:
            if is_needed[node]:
                is_needed[left] = is_needed[right] = 1
        return np.frombuffer(is_needed, dtype=np.bool_)

    def _read(self, order: Integers) -> tuple[Integers, Integers, Integers]:
        """Return gates and the two nodes that each reads."""
        return order, self.left[order] >> 1, self.right[order] >> 1

    def levels(self, gates: Integers) -> Integers:
        """Return how many gates stand one upon the other, for each of some gates in order."""
        level = [0] * len(self.left)
        for node, left, right in zip(*(each.tolist() for each in self._read(gates)), strict=True):
            level[node] = 1 + max(level[left], level[right])
        return np.array(level, dtype=np.int64)[gates]


def arrays_of_graph(graph: AndInverterGraph) -> GateArrays:
    """Return the gates that a graph has so far; it may grow."""
    order = np.arange(1 + graph.inputs, len(graph))
    return GateArrays(graph.left.copy(), graph.right.copy(), order)


def arrays_of_program(program: GateProgram, rows: int) -> GateArrays:
    """Return the gates of a program, whose nodes are rows."""
    written, *read = program.gates.T.astype(np.int64)
    sides = np.zeros((2, rows), dtype=np.int64)
    sides[:, written] = read
    return GateArrays(sides[0], sides[1], written)


class ConeCopier:
    """The gates that ``roots`` depend on, ready to be copied; roots are nodes of ``gates``.

    ``leaves``, int64 (n,), are the nodes that copies need literals for, in rising order; ``gates``
    are the others. ``size`` is the number of both.
    """

    def __init__(self, gates: GateArrays, roots: Integers) -> None:
        is_needed = gates.cone(roots)
        inner = gates.order[is_needed[gates.order]]
        is_leaf = is_needed.copy()
        is_leaf[inner] = False
        self.gates = inner
        self.leaves = np.flatnonzero(is_leaf)
        self.size = len(self.leaves) + len(inner)
        self._index = np.zeros(len(gates.left), dtype=np.int64)
        self._index[self.leaves] = np.arange(len(self.leaves))
        self._index[inner] = len(self.leaves) + np.arange(len(inner))
        levels = gates.levels(inner)
        self._levels = [
            (self._index[nodes], self._moved(gates.left[nodes]), self._moved(gates.right[nodes]))
            for nodes in (inner[levels == level] for level in np.unique(levels))
        ]
        self._roots = self._index[roots]

    def _moved(self, literals: Integers) -> Integers:
        """Translate literals of nodes to those of indices within the cone."""
        moved: Integers = 2 * self._index[literals >> 1] + (literals & 1)
        return moved

    def copies(
        self,
        graph: AndInverterGraph,
        leaves: Integers,
        simplified: Callable[[Integers], Integers],
    ) -> Integers:
        """Make the copies in a graph; return the roots' literals: int64 (roots, columns).

        ``leaves``, int64 (leaves, columns), are literals of ``graph``. ``simplified`` may replace
        literals, int64 (n, columns), by others that are equal in each column.
        """
        values = np.zeros((self.size, leaves.shape[1]), dtype=np.int64)
        values[: len(leaves)] = leaves
        for index, *sides in self._levels:
            left, right = (values[side >> 1] ^ (side & 1)[:, None] for side in sides)
            made = graph.and2_all(left.ravel(), right.ravel())
            values[index] = simplified(made.reshape(left.shape))
        return values[self._roots]
