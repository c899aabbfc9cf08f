"""Putting together the parts of a game that its goals bind to each other.

What the end and the goals look at in a part is its *interface*: in each conjunction that names
several parts, what is said of this one. The interface of a heap of nim tells whether it is empty;
that is less than the heap's size, so that the heap is a game of its own, closed off. The interface
of a square of tic-tac-toe tells whose mark it has; that is all there is to a square, so that
nothing is gained by looking at it alone. Parts that are not closed off are put together where
conjunctions join them, those first that join the fewest: lines make a board of squares before the
goals join the boards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.evidence import (
    Cluster,
    DisjointSets,
    Evidence,
    GateGraph,
    bits,
    spread,
    ternary_simulation,
    without_others,
)

MAX_PARTS = 300
"""With more parts to begin with, a game counts as one piece."""

MAX_STATES = 1024
"""States on which interfaces are compared with the parts' states."""

TRIVIAL = 4
"""A part with fewer states is never a game of its own."""

MAX_LITERALS = 100_000
"""Literals of all conjunctions together; with more, a game counts as one piece."""

MAX_TESTS = 150
"""Interfaces looked at; what is left then counts as open."""


def merged_by_goals(evidence: Evidence, parts: Sequence[Cluster]) -> list[Cluster]:
    """Return the parts of which each is closed off, or bound to no other by the goals."""
    if len(parts) > MAX_PARTS:
        parts = [_all(parts)]
    if len(parts) < 2:
        return list(parts)
    merger = _Merger(evidence, parts)
    merger.merge()
    return [_all(parts[member] for member in members) for members in merger.union.sets()]


def _all(parts: Iterable[Cluster]) -> Cluster:
    fluents = moves = 0
    for part in parts:
        fluents |= part.fluents
        moves |= part.moves
    return Cluster(fluents, moves)


class _Merger:
    """Joins parts; see the module."""

    def __init__(self, evidence: Evidence, parts: Sequence[Cluster]) -> None:
        circuit = evidence.circuit
        self._outputs = [circuit.terminal, *circuit.goals]
        self._circuit = without_others(circuit, self._outputs)
        self._parts = parts
        self.union = DisjointSets(len(parts))
        self._states = evidence.samples.states[:MAX_STATES]
        seeds = {
            circuit.fluents[fluent]: 1 << number
            for number, part in enumerate(parts)
            for fluent in bits(part.fluents)
        }
        self._depends = spread(self._circuit, seeds)
        self._everywhere = (1 << len(self._states)) - 1
        self._values = _values(self._circuit, self._states)
        self._joints = [
            (self._depends[top], literals)
            for top, literals in conjunctions(self._circuit, self._outputs).items()
        ]
        self._closed: dict[frozenset[int], bool] = {}

    def merge(self) -> None:
        """Join parts until none that is open meets another open one in a conjunction."""
        if sum(len(literals) for _, literals in self._joints) > MAX_LITERALS:
            self.union.join(range(len(self._parts)))
        joined = sorted(
            {mask for mask, _ in self._joints if mask & (mask - 1)},
            key=lambda mask: (mask.bit_count(), mask),
        )
        for mask in joined:
            roots = {self.union.root(part) for part in bits(mask)}
            if len(roots) > 1:
                self.union.join([root for root in roots if not self._is_closed(root)])
        self._join_what_is_open(joined)

    def _join_what_is_open(self, joined: Iterable[int]) -> None:
        """Join what is open yet, such as a last square, with what was put together before.

        Parts that were closed off from the beginning, such as heaps, stay as they are.
        """
        changed = True
        while changed:
            changed = False
            for mask in joined:
                sizes = Counter(self.union.root(part) for part in range(len(self._parts)))
                met = {self.union.root(part) for part in bits(mask)}
                roots = {root for root in met if sizes[root] > 1 or not self._is_closed(root)}
                if len(roots) > 1 and not all(map(self._is_closed, roots)):
                    self.union.join(roots)
                    changed = True

    def _is_closed(self, root: int) -> bool:
        members = frozenset(
            part for part in range(len(self._parts)) if self.union.root(part) == root
        )
        if members not in self._closed:
            enough = len(self._closed) < MAX_TESTS
            self._closed[members] = enough and self._closes_off(members)
        return self._closed[members]

    def _closes_off(self, members: frozenset[int]) -> bool:
        """Tell whether the rest of the game sees much less of some parts than there is.

        It may tell apart as many kinds of states as the square root of what there are.
        """
        fluents = [fluent for part in members for fluent in bits(self._parts[part].fluents)]
        states = _distinct(self._states[:, fluents])
        if states < TRIVIAL:
            return False
        own = sum(1 << part for part in members)
        values = set()
        for mask, literals in self._joints:
            if mask & own and mask & ~own:
                value = self._everywhere
                for literal in literals:
                    needs = self._depends[literal >> 1]
                    if needs and not needs & ~own:
                        value &= self._value(literal)
                values.add(value)
        return _distinct(self._bits(sorted(values))) ** 2 <= states

    def _value(self, literal: int) -> int:
        value = self._values[literal >> 1]
        return self._everywhere & ~value if literal & 1 else value

    def _bits(self, values: Sequence[int]) -> NDArray[np.uint8]:
        """Return values, a bit for each sampled state, as uint8 (states, values)."""
        size = -(-len(self._states) // 8)
        packed = np.array([list(value.to_bytes(size, "little")) for value in values], np.uint8)
        bits = np.unpackbits(packed.reshape(len(values), size), axis=1, bitorder="little")
        return bits.T[: len(self._states)]


def conjunctions(circuit: GateGraph, outputs: Sequence[int]) -> dict[int, list[int]]:
    """Return the literals of each conjunction, of any number, by its last gate's row.

    Those are all conjunctions that outputs depend on and that are outputs or negated somewhere.
    """
    needed = without_others(circuit, outputs)
    segments = (*needed.view, *needed.transition)
    inputs = {row: (left, right) for segment in segments for row, left, right in segment.gates}
    defining = [pair[1] for segment in segments for pair in segment.feedback]
    tops = {literal >> 1 for literal in (*outputs, *defining)}
    tops |= {side >> 1 for sides in inputs.values() for side in sides if side & 1}
    found = {}
    for top in sorted(tops & inputs.keys()):
        literals: dict[int, None] = {}
        agenda = [2 * top]
        while agenda:
            literal = agenda.pop()
            if literal & 1 or literal >> 1 not in inputs:
                literals[literal] = None
            else:
                agenda += inputs[literal >> 1]
        found[top] = list(literals)
    return found


def _values(circuit: GateGraph, states: NDArray[np.uint8]) -> list[int]:
    """Return each row's values in some states, a bit for each state."""
    packed = np.packbits(np.ascontiguousarray(states.T), axis=1, bitorder="little")
    columns = [int.from_bytes(column.tobytes(), "little") for column in packed]
    everywhere = (1 << len(states)) - 1
    fluents = [(value, value) for value in columns]
    return ternary_simulation(circuit, fluents, everywhere, {}).must


def _distinct(values: NDArray[np.uint8]) -> int:
    """Return how many different rows there are."""
    packed = np.packbits(values, axis=1)
    return len({row.tobytes() for row in packed})
