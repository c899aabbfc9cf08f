"""Common-cube extraction: what many conjunctions have in common becomes one gate.

Gates of two inputs that only one other gate reads are collapsed into one conjunction of many
literals. Then the pair of literals that most conjunctions hold becomes a gate, which replaces the
two in all of them, again and again until no pair is in two conjunctions.

Conjunctions and pairs together are the *cubes* of the graph that is rebuilt: a cube has the number
of its node, pairs have numbers after all nodes, and a literal is twice a number, plus one where
negated.

Source: R. Brayton and C. McMullen, The decomposition and factorization of Boolean expressions
(1982).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from gdl.circuit.aig import AndInverterGraph, Cycle
from gdl.circuit.arrays import Integers, Mask, distinct, first_of_rows, pack, ranges, unpack
from gdl.circuit.dependency_order import DependencyOrder
from gdl.circuit.pair_extraction import extract_pairs

MAX_LITERALS = 60
"""Larger conjunctions than half of this are not duplicated."""

MIN_NODES_REBUILT_ONCE = 8_000
"""A graph of fewer nodes is rebuilt with and without duplication; the smaller result is kept."""


Cubes: TypeAlias = tuple[Integers, Integers]
"""Conjunctions: int64 (n,) the number of a cube and a literal of it, sorted and distinct."""


def extract_cubes(
    graph: AndInverterGraph, outputs: Sequence[int]
) -> tuple[AndInverterGraph, list[int]]:
    """Rebuild a graph with fewer gates; return it with the literals of the outputs in it."""
    tried = [_rebuilt(graph, outputs, duplicate=False)]
    if len(graph) < MIN_NODES_REBUILT_ONCE:
        tried.append(_rebuilt(graph, outputs, duplicate=True))
    return min(tried, key=lambda found: len(found[0]))


def _rebuilt(
    graph: AndInverterGraph, outputs: Sequence[int], duplicate: bool
) -> tuple[AndInverterGraph, list[int]]:
    gates = _gates(graph, outputs)
    is_kept, uses = _uses(graph, outputs, gates)
    if duplicate:
        cubes = _duplicated(graph, gates, is_kept, uses)
    else:
        cubes = _collapsed(graph, gates, is_kept, uses)
    count, cube, literal = extract_pairs(len(graph), *cubes)
    rebuilder = _Rebuilder(graph, cube, literal, count)
    rebuilder.run()
    wanted = np.array(outputs, dtype=np.int64)
    return rebuilder.graph, rebuilder.translate(wanted).tolist()


def _gates(graph: AndInverterGraph, outputs: Sequence[int]) -> Integers:
    """The nodes that outputs depend on, without inputs and what feedback defines: rising."""
    nodes = graph.cone(outputs)
    is_early = np.zeros(len(graph), dtype=np.bool_)
    is_early[[node for cycle in graph.cycles for node, _ in cycle.feedback]] = True
    return nodes[(nodes > graph.inputs) & ~is_early[nodes]]


def _uses(
    graph: AndInverterGraph, outputs: Iterable[int], gates: Integers
) -> tuple[Mask, Integers]:
    """Mark the nodes that cannot be collapsed, and count the gates that read each node.

    The former are read negated, as outputs, or by the gates of another cycle.
    """
    cycle_of = np.zeros(len(graph), dtype=np.int64)
    for cycle in graph.cycles:
        cycle_of[cycle.first : cycle.last] = cycle.first
    literal = np.concatenate([graph.left[gates], graph.right[gates]])
    inner = literal >> 1
    is_outside = (literal & 1 == 1) | (cycle_of[inner] != cycle_of[np.tile(gates, 2)])
    is_kept = np.zeros(len(graph), dtype=np.bool_)
    is_kept[inner[is_outside]] = True
    is_kept[[output >> 1 for output in outputs]] = True
    is_kept[[definition >> 1 for cycle in graph.cycles for _, definition in cycle.feedback]] = True
    return is_kept, np.bincount(inner, minlength=len(graph))


def _collapsed(graph: AndInverterGraph, gates: Integers, is_kept: Mask, uses: Integers) -> Cubes:
    """Collapse gates that one other gate reads into that one."""
    is_inside = np.zeros(len(graph), dtype=np.bool_)
    is_inside[gates] = ~is_kept[gates] & (uses[gates] == 1)
    node = np.tile(gates, 2)
    literal = np.concatenate([graph.left[gates], graph.right[gates]])
    is_collapsed = is_inside[literal >> 1]
    root = np.arange(len(graph))
    root[literal[is_collapsed] >> 1] = node[is_collapsed]
    while not np.array_equal(root, root[root]):
        root = root[root]
    return unpack(distinct(pack(root[node], literal)[~is_collapsed]))


def _duplicated(graph: AndInverterGraph, gates: Integers, is_kept: Mask, uses: Integers) -> Cubes:
    """Collapse gates that are small into all gates that read them."""
    inside = dict.fromkeys(gates[~is_kept[gates]].tolist())
    flat: dict[int, set[int]] = {}
    left, right, uses_of = graph.left.tolist(), graph.right.tolist(), uses.tolist()
    for node in gates.tolist():
        flat[node] = set()
        for literal in (left[node], right[node]):
            inner = literal >> 1
            if inner in inside and (uses_of[inner] == 1 or len(flat[inner]) <= MAX_LITERALS // 2):
                flat[node] |= flat[inner]
            else:
                flat[node].add(literal)
    needed = set(np.flatnonzero(is_kept).tolist())
    entries = []
    for node in reversed(flat):
        if node in needed:
            needed.update(literal >> 1 for literal in flat[node])
            entries += [node << 32 | literal for literal in flat[node]]
    return unpack(distinct(np.array(entries, dtype=np.int64)))


class _Rebuilder:
    """Makes a new graph of cubes: see :func:`extract_cubes`. ``count`` is one over all numbers."""

    def __init__(
        self, old: AndInverterGraph, cube: Integers, literal: Integers, count: int
    ) -> None:
        self._old = old
        self._literal = literal
        self._first = first_of_rows(cube, count)
        stage = self._stages(cube, count)
        self._order = DependencyOrder(cube, literal >> 1, np.diff(self._first) == 0, stage)
        self.graph = AndInverterGraph(old.inputs, old.passes)
        self._values = np.zeros(count, dtype=np.int64)
        self._values[: 1 + old.inputs] = 2 * np.arange(1 + old.inputs)

    def translate(self, literals: Integers) -> Integers:
        """The new literals for old ones."""
        new: Integers = self._values[literals >> 1] ^ (literals & 1)
        return new

    def _stages(self, cube: Integers, count: int) -> Integers:
        """When each cube is made: before, in or after each cycle, pairs when first read."""
        ends = [end for cycle in self._old.cycles for end in (cycle.first, cycle.last)]
        stage = np.searchsorted(np.array(ends, dtype=np.int64), np.arange(count), side="right")
        if ends:
            reads = self._literal >> 1 >= len(self._old)
            pair, reader = (self._literal >> 1)[reads], cube[reads]
            stage[len(self._old) :] = len(ends)
            before = None
            while before is None or not np.array_equal(before, stage):
                before = stage.copy()
                np.minimum.at(stage, pair, stage[reader])
        return stage

    def run(self) -> None:
        """Make all cubes."""
        for number, cycle in enumerate(self._old.cycles):
            self._make(2 * number)
            self._make_cycle(2 * number + 1, cycle)
        self._make(2 * len(self._old.cycles))

    def _make(self, stage: int) -> None:
        """Make the cubes of a stage, each after those that it reads."""
        cubes = self._order.ready(stage)
        while len(cubes):
            lengths = self._first[cubes + 1] - self._first[cubes]
            literals = self._literal[ranges(self._first[cubes], lengths)]
            rows = np.repeat(np.arange(len(cubes)), lengths)
            self._values[cubes] = self.graph.balanced_and_all(
                rows, self.translate(literals), len(cubes)
            )
            cubes = self._order.after(cubes)

    def _make_cycle(self, stage: int, cycle: Cycle) -> None:
        nodes, definitions = np.array(cycle.feedback, dtype=np.int64).T
        first = len(self.graph)
        self._values[nodes] = [self.graph.new_node() for _ in cycle.feedback]
        self._make(stage)
        new = zip(self._values[nodes] >> 1, self.translate(definitions), strict=True)
        feedback = tuple((int(node), int(definition)) for node, definition in new)
        self.graph.cycles.append(Cycle(first, len(self.graph), feedback))
