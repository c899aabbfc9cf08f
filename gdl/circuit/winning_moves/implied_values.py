"""Values implied by assumptions: unit propagation over an and-inverter graph.

Many sets of assumptions are propagated together. Each set is a *column*; for each literal, the
columns in which it is known to be true are the bits of one integer. A node has two such integers,
one for each of its literals (a dual-rail encoding), so that one operation on integers propagates
through a gate in all columns.

Source: M. Davis, G. Logemann and D. Loveland, A machine program for theorem-proving (1962), for
the unit rule; A. Kuehlmann and others, Robust Boolean reasoning for equivalence checking and
functional property verification (2002), for its use on and-inverter graphs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.aig import TRUE, AndInverterGraph
from gdl.circuit.arrays import Integers, Mask

UNKNOWN = -1

_MAX_ROUNDS = 4
"""Propagation downwards and upwards is repeated at most so often; few games need more than two."""


class ImpliedValues:
    """The nodes of a graph whose values follow from what is assumed in each column.

    Gates that are made later are not known. Where assumptions contradict each other, a literal
    and its complement may both be known: such a column stands for no state at all.
    """

    def __init__(self, graph: AndInverterGraph, columns: int) -> None:
        self._first = 1 + graph.inputs
        self._left, self._right = graph.left.tolist(), graph.right.tolist()
        self._holds = [0] * (2 * len(graph))
        self.assume(TRUE, (1 << columns) - 1)

    def assume(self, literal: int, columns: int) -> None:
        """Assume that a literal is true in some columns, which are bits."""
        self._holds[literal] |= columns

    def assume_at_most_one(self, literals: Sequence[int], columns: int) -> None:
        """Where one of some literals is known to be true, make the others false."""
        some = 0
        for literal in literals:
            some |= self._holds[literal]
        for literal in literals:
            self.assume(literal ^ 1, some & columns & ~self._holds[literal])

    def holds(self, literal: int) -> int:
        """Return the columns in which a literal is known to be true, as bits."""
        return self._holds[literal]

    def propagate(self) -> None:
        """Follow what is known from gates to what they read, and from there to gates."""
        for _ in range(_MAX_ROUNDS):
            before = list(self._holds)
            self._propagate_downwards()
            self._propagate_upwards()
            if self._holds == before:
                return

    def _propagate_downwards(self) -> None:
        holds = self._holds
        for node in range(len(self._left) - 1, self._first - 1, -1):
            left, right = self._left[node], self._right[node]
            if is_true := holds[2 * node]:
                holds[left] |= is_true
                holds[right] |= is_true
            if is_false := holds[2 * node + 1]:
                holds[left ^ 1] |= is_false & holds[right]
                holds[right ^ 1] |= is_false & holds[left]

    def _propagate_upwards(self) -> None:
        holds = self._holds
        for node in range(self._first, len(self._left)):
            left, right = self._left[node], self._right[node]
            holds[2 * node] |= holds[left] & holds[right]
            holds[2 * node + 1] |= holds[left ^ 1] | holds[right ^ 1]

    def constants(self, columns: Integers) -> NDArray[np.int8]:
        """Return the value of each node in some columns, -1 where unknown: int8 (nodes, n)."""
        result = np.where(self._marks(1, columns), np.int8(0), np.int8(UNKNOWN))
        result[self._marks(0, columns)] = 1
        return result

    def _marks(self, sign: int, columns: Integers) -> Mask:
        """Mark where each node's literal of a sign is known to be true: bool (nodes, n)."""
        size = -(-self._holds[TRUE].bit_length() // 8)
        packed = b"".join(each.to_bytes(size, "little") for each in self._holds[sign::2])
        octets = np.frombuffer(packed, dtype=np.uint8).reshape(-1, size)
        marks: Mask = (octets[:, columns >> 3] >> (columns & 7) & 1).astype(np.bool_)
        return marks


def with_constants(literals: Integers, constants: NDArray[np.int8]) -> Integers:
    """Replace literals by their constants where these are known.

    ``literals`` int64 (n, columns), of any nodes; ``constants`` int8 (nodes, columns), for the
    first nodes of the graph, see :meth:`ImpliedValues.constants`.
    """
    nodes = literals >> 1
    is_covered = nodes < len(constants)
    values = constants[np.where(is_covered, nodes, 0), np.arange(literals.shape[1])]
    is_known = is_covered & (values != UNKNOWN)
    return np.where(is_known, values ^ (literals & 1), literals)
