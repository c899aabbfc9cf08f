"""Merging the parts of a game that its goals connect.

The *interface* of a part is what the end and the goals depend on in it: in each conjunction that
reads several parts, the literals of this one. The interface of a heap of nim says whether it is
empty, which is less than its size: the heap is *closed*, a game of its own. The interface of a
square of tic-tac-toe says whose mark it has, which is the whole state of the square: nothing is
gained by searching it alone. Parts that are not closed are merged where a conjunction connects
them, beginning with the conjunctions of the fewest parts: lines merge squares to a board before
the goals merge boards.

Every conjunction that reads facts of a part and others is split in two: the literals that depend on
the part alone are a condition of its interface. Two states that agree on the interface and on all
other facts give the outputs that were asked for the same values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.analysis.evidence.disjoint_sets import DisjointSets
from gdl.analysis.evidence.evidence import Evidence
from gdl.analysis.evidence.gate_graph import GateGraph, fanin_cone
from gdl.analysis.evidence.influence_graph import Cluster, bit_indices, propagate_supports
from gdl.analysis.evidence.ternary_simulation import simulate_ternary

MAX_PARTS = 300
"""A game with more parts at first counts as one part."""

MAX_COMPARED_STATES = 1024
"""Sampled states in which interfaces are compared with the states of their parts."""

TRIVIAL = 4
"""A part with fewer states is never a game of its own."""

MAX_LITERALS = 100_000
"""Literals of all conjunctions together; with more, a game counts as one part."""

MAX_TESTS = 150
"""Interfaces evaluated; the remaining parts count as open."""


def merged_by_goals(evidence: Evidence, parts: Sequence[Cluster]) -> list[Cluster]:
    """Merge parts until each is closed, or connected to no other by the goals."""
    if len(parts) > MAX_PARTS:
        parts = [_all(parts)]
    if len(parts) < 2:
        return list(parts)
    merger = _Merger(evidence, parts)
    merger.merge()
    return [_all(parts[member] for member in members) for members in merger.merged.sets()]


def _all(parts: Iterable[Cluster]) -> Cluster:
    fluents = moves = 0
    for part in parts:
        fluents |= part.fluents
        moves |= part.moves
    return Cluster(fluents, moves)


class _Merger:
    """Merges parts; see the module."""

    def __init__(self, evidence: Evidence, parts: Sequence[Cluster]) -> None:
        circuit = evidence.circuit
        self._outputs = [circuit.terminal, *circuit.goals]
        self._circuit = fanin_cone(circuit, self._outputs)
        self._parts = parts
        self.merged = DisjointSets(len(parts))
        self._states = evidence.samples.states[:MAX_COMPARED_STATES]
        seeds = {
            circuit.fluents[fluent]: 1 << number
            for number, part in enumerate(parts)
            for fluent in bit_indices(part.fluents)
        }
        self._depends = propagate_supports(self._circuit, seeds)
        self._all_states = (1 << len(self._states)) - 1
        self._values = _values(self._circuit, self._states)
        self._joints = [
            (self._depends[top], literals)
            for top, literals in conjunctions(self._circuit, self._outputs).items()
        ]
        self._closed: dict[frozenset[int], bool] = {}

    def merge(self) -> None:
        """Merge parts until no conjunction reads two open ones."""
        if sum(len(literals) for _, literals in self._joints) > MAX_LITERALS:
            self.merged.join(range(len(self._parts)))
        joined = sorted(
            {mask for mask, _ in self._joints if mask & (mask - 1)},
            key=lambda mask: (mask.bit_count(), mask),
        )
        for mask in joined:
            roots = {self.merged.root(part) for part in bit_indices(mask)}
            if len(roots) > 1:
                self.merged.join([root for root in roots if not self._is_closed(root)])
        self._merge_open_parts(joined)

    def _merge_open_parts(self, joined: Iterable[int]) -> None:
        """Merge parts that are still open, such as a last square, with those merged before.

        Parts that were closed from the beginning, such as heaps, stay as they are.
        """
        changed = True
        while changed:
            changed = False
            for mask in joined:
                sizes = Counter(self.merged.root(part) for part in range(len(self._parts)))
                met = {self.merged.root(part) for part in bit_indices(mask)}
                roots = {root for root in met if sizes[root] > 1 or not self._is_closed(root)}
                if len(roots) > 1 and not all(map(self._is_closed, roots)):
                    self.merged.join(roots)
                    changed = True

    def _is_closed(self, root: int) -> bool:
        members = frozenset(
            part for part in range(len(self._parts)) if self.merged.root(part) == root
        )
        if members not in self._closed:
            enough = len(self._closed) < MAX_TESTS
            self._closed[members] = enough and self._has_small_interface(members)
        return self._closed[members]

    def _has_small_interface(self, members: frozenset[int]) -> bool:
        """Whether the rest of the game sees much less of some parts than their states.

        It may distinguish at most the square root of their number of states.
        """
        fluents = [fluent for part in members for fluent in bit_indices(self._parts[part].fluents)]
        states = _distinct(self._states[:, fluents])
        if states < TRIVIAL:
            return False
        own = sum(1 << part for part in members)
        values = set()
        for mask, literals in self._joints:
            if mask & own and mask & ~own:
                value = self._all_states
                for literal in literals:
                    needs = self._depends[literal >> 1]
                    if needs and not needs & ~own:
                        value &= self._value(literal)
                values.add(value)
        return _distinct(self._bits(sorted(values))) ** 2 <= states

    def _value(self, literal: int) -> int:
        value = self._values[literal >> 1]
        return self._all_states & ~value if literal & 1 else value

    def _bits(self, values: Sequence[int]) -> NDArray[np.uint8]:
        """Unpack values, a bit for each sampled state, as uint8 (states, values)."""
        size = -(-len(self._states) // 8)
        packed = np.array([list(value.to_bytes(size, "little")) for value in values], np.uint8)
        values_of = np.unpackbits(packed.reshape(len(values), size), axis=1, bitorder="little")
        return values_of.T[: len(self._states)]


def conjunctions(circuit: GateGraph, outputs: Sequence[int]) -> dict[int, list[int]]:
    """Collect the literals of each conjunction of two or more, by the row of its last gate.

    These are the conjunctions that outputs depend on and that are outputs or negated somewhere.
    """
    needed = fanin_cone(circuit, outputs)
    segments = (*needed.view, *needed.transition)
    inputs = {row: (left, right) for segment in segments for row, left, right in segment.gates}
    defining = [pair[1] for segment in segments for pair in segment.feedback]
    tops = {literal >> 1 for literal in (*outputs, *defining)}
    tops |= {side >> 1 for sides in inputs.values() for side in sides if side & 1}
    found = {}
    for top in sorted(tops & inputs.keys()):
        literals: dict[int, None] = {}
        worklist = [2 * top]
        while worklist:
            literal = worklist.pop()
            if literal & 1 or literal >> 1 not in inputs:
                literals[literal] = None
            else:
                worklist += inputs[literal >> 1]
        found[top] = list(literals)
    return found


def _values(circuit: GateGraph, states: NDArray[np.uint8]) -> list[int]:
    """Evaluate each row in some states, a bit for each state."""
    packed = np.packbits(np.ascontiguousarray(states.T), axis=1, bitorder="little")
    columns = [int.from_bytes(column.tobytes(), "little") for column in packed]
    all_states = (1 << len(states)) - 1
    fluents = [(value, value) for value in columns]
    return simulate_ternary(circuit, fluents, all_states, {}).surely


def _distinct(values: NDArray[np.uint8]) -> int:
    """Count the distinct rows."""
    packed = np.packbits(values, axis=1)
    return len({row.tobytes() for row in packed})


Conjunction: TypeAlias = NDArray[np.int64]
"""int64 (n,): literals of rows, of which all must hold."""

OWN, OTHER = 1, 2
"""What a row depends on, as bits: the facts of the part; any other facts or moves."""


def interface_of(circuit: GateGraph, own: Set[int], outputs: Sequence[int]) -> list[Conjunction]:
    """Find the conditions through which alone some literals depend on the fluents of some rows."""
    seeds = {row: OWN if row in own else OTHER for row in (*circuit.fluents, *circuit.moves)}
    depends = propagate_supports(circuit, seeds)
    asked = {literal >> 1 for literal in outputs}
    seen = {literal >> 1: [literal] for literal in outputs} | conjunctions(circuit, outputs)
    found = {
        tuple(sorted(literal for literal in literals if depends[literal >> 1] == OWN))
        for row, literals in seen.items()
        if depends[row] == OWN | OTHER or row in asked
    }
    return [np.array(literals, dtype=np.int64) for literals in sorted(found) if literals]


def evaluate_conditions(
    rows: NDArray[np.uint64], conditions: Sequence[Conjunction]
) -> NDArray[np.uint64]:
    """Evaluate conditions in the lanes of some rows: uint64 (conditions, words).

    All rows must have been written, which the interpreter does and native code does not.
    """
    found = [
        np.bitwise_and.reduce(rows[each >> 1] ^ -(each & 1)[:, None].astype(np.uint64), axis=0)
        for each in conditions
    ]
    return np.array(found, dtype=np.uint64).reshape(len(found), rows.shape[1])
