"""Common-cube extraction: what many conjunctions have in common becomes one gate.

Gates of two inputs that only one other gate reads are collapsed into one conjunction of many
literals. Then the pair of literals that most conjunctions hold becomes a gate, which replaces the
two in all of them, again and again until no pair is in two conjunctions.

Source: R. Brayton and C. McMullen, The decomposition and factorization of Boolean expressions
(1982).
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from gdl.circuit.aig import AndInverterGraph, Cycle

MAX_LITERALS = 60
"""Pairs are not looked for in conjunctions of more literals, of which there are few."""

MAX_PAIRS = 2_000_000
"""So many pairs are counted to begin with; where there are more, in shorter conjunctions only."""

MIN_NODES_REBUILT_ONCE = 8_000
"""A graph of fewer nodes is rebuilt with and without duplication; the smaller result is kept."""

Pair: TypeAlias = tuple[int, int]


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
    nodes = graph.cone(outputs)
    conjunctions = _conjunctions(graph, nodes, outputs, duplicate)
    pairs = _PairExtractor(list(conjunctions.values())).run()
    rebuilder = _Rebuilder(graph, conjunctions, pairs)
    rebuilder.run(nodes)
    return rebuilder.graph, [rebuilder.literal(output) for output in outputs]


def _conjunctions(
    graph: AndInverterGraph, nodes: Sequence[int], outputs: Iterable[int], duplicate: bool
) -> dict[int, set[int]]:
    """Collapse nodes into conjunctions; return the literals of each by its node.

    A gate that several conjunctions share is ``duplicate``d in each, or else is itself one.
    """
    early = {node for cycle in graph.cycles for node, _ in cycle.feedback}
    gates = [node for node in nodes if node > graph.inputs and node not in early]
    kept, uses = _uses(graph, outputs, gates)
    flat: dict[int, set[int]] = {}
    for node in gates:
        flat[node] = set()
        for literal in (graph.left[node], graph.right[node]):
            inner = literal >> 1
            is_inside = inner not in kept and inner in flat
            if is_inside and uses[inner] == 1:
                # The smaller goes into the larger: a chain is not copied at each of its links.
                smaller, larger = sorted((flat[node], flat.pop(inner)), key=len)
                larger |= smaller
                flat[node] = larger
            elif is_inside and duplicate and len(flat[inner]) <= MAX_LITERALS // 2:
                flat[node] |= flat[inner]
            else:
                flat[node].add(literal)
    needed = set(kept)
    for node in reversed(gates):
        if node in needed:
            needed.update(literal >> 1 for literal in flat[node])
    return {node: literals for node, literals in flat.items() if node in needed}


def _uses(
    graph: AndInverterGraph, outputs: Iterable[int], gates: Sequence[int]
) -> tuple[set[int], list[int]]:
    """Find the nodes that cannot be collapsed, and how many of the gates read each node.

    The former are read negated, as outputs, or by the gates of another cycle.
    """
    cycle_of = np.zeros(len(graph), dtype=np.int64)
    for cycle in graph.cycles:
        cycle_of[cycle.first : cycle.last] = cycle.first
    node = np.repeat(np.array(gates, dtype=np.int64), 2)
    literal = np.array([graph.left, graph.right], dtype=np.int64).T[gates].ravel()
    inner = literal >> 1
    is_kept = (literal & 1 == 1) | (cycle_of[inner] != cycle_of[node])
    kept = {output >> 1 for output in outputs}
    kept |= {literal >> 1 for c in graph.cycles for pair in c.feedback for literal in pair[1:]}
    kept.update(inner[is_kept].tolist())
    uses = np.bincount(inner, minlength=len(graph)).tolist()
    return kept, uses


class _PairExtractor:
    """Replaces pairs in sets of literals, which it changes. Pairs are called -1, -2 and so on."""

    def __init__(self, sets: Sequence[set[int]]) -> None:
        self._sets = sets
        self._limit = _limit(sets)
        self._where: dict[int, set[int]] = defaultdict(set)
        self._counts: Counter[Pair] = Counter()
        for number, literals in enumerate(sets):
            for literal in literals:
                self._where[literal].add(number)
            if len(literals) <= self._limit:
                self._counts.update(combinations(sorted(literals), 2))
        self._queue = [(-count, pair) for pair, count in self._counts.items() if count > 1]
        heapq.heapify(self._queue)

    def run(self) -> dict[int, Pair]:
        """Extract pairs until none is in two sets; return the pairs by their names."""
        made: dict[int, Pair] = {}
        while self._queue:
            count, pair = heapq.heappop(self._queue)
            now = self._counts[pair]
            if now < -count and now > 1:
                heapq.heappush(self._queue, (-now, pair))
            elif now == -count:
                name = -1 - len(made)
                made[name] = pair
                self._replace(pair, name)
        return made

    def _replace(self, pair: Pair, name: int) -> None:
        left, right = pair
        counts = self._counts
        users = self._where[left] & self._where[right]
        self._where[left] -= users
        self._where[right] -= users
        self._where[name] = users
        fresh: Counter[Pair] = Counter()
        for user in users:
            literals = self._sets[user]
            literals -= {left, right}
            if len(literals) < self._limit:
                for other in literals:
                    counts[(left, other) if left < other else (other, left)] -= 1
                    counts[(right, other) if right < other else (other, right)] -= 1
                    fresh[name, other] += 1
            literals.add(name)
        del counts[pair]
        counts.update(fresh)
        for found, count in fresh.items():
            if count > 1:
                heapq.heappush(self._queue, (-count, found))


def _limit(sets: Sequence[set[int]]) -> int:
    limit = MAX_LITERALS
    while sum(len(s) * (len(s) - 1) // 2 for s in sets if len(s) <= limit) > MAX_PAIRS:
        limit //= 2
    return limit


class _Rebuilder:
    """Makes a new graph of conjunctions and pairs; see :func:`extract_cubes`."""

    def __init__(
        self, old: AndInverterGraph, conjunctions: dict[int, set[int]], pairs: dict[int, Pair]
    ) -> None:
        self._old = old
        self._conjunctions = conjunctions
        self._pairs = pairs
        self.graph = AndInverterGraph(old.inputs, old.passes)
        self._literals = {node: 2 * node for node in range(1 + old.inputs)}

    def literal(self, old: int) -> int:
        """Return the new literal for one of the old graph, or for a pair."""
        if old >= 0:
            return self._literals[old >> 1] ^ (old & 1)
        known = self._literals.get(old)
        if known is None:
            left, right = self._pairs[old]
            known = self._literals[old] = self.graph.and2(self.literal(left), self.literal(right))
        return known

    def run(self, nodes: Sequence[int]) -> None:
        """Rebuild all nodes in their order."""
        cycles = {cycle.first: cycle for cycle in self._old.cycles}
        last = 0
        for node in nodes:
            if node in cycles:
                self._make_cycle(cycles[node])
                last = cycles[node].last
            elif node >= last:
                self._make(node)

    def _make(self, node: int) -> None:
        if node in self._conjunctions:
            known = self._literals
            literals = sorted(
                {
                    known[old >> 1] ^ (old & 1) if old >= 0 else self.literal(old)
                    for old in self._conjunctions[node]
                }
            )
            self._literals[node] = self.graph.balanced_and(literals)

    def _make_cycle(self, cycle: Cycle) -> None:
        first = len(self.graph)
        for node, _ in cycle.feedback:
            self._literals[node] = self.graph.new_node()
        for node in range(cycle.first, cycle.last):
            self._make(node)
        feedback = tuple((self.literal(2 * n) >> 1, self.literal(d)) for n, d in cycle.feedback)
        self.graph.cycles.append(Cycle(first, len(self.graph), feedback))
