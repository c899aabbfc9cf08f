"""The and-inverter graph (AIG): AND gates of two inputs, with negation on the wires.

Integers are those of the AIGER format: twice a node's number, plus one where it is complemented.
Node 0 is the constant false, so that literal 0 is false and literal 1 is true. The nodes after it
are the inputs; the gates come last, each after the nodes that it reads. Structural hashing makes
equal gates one.

Source: A. Biere, The AIGER and-inverter graph format (2007); R. Brummayer and A. Biere, Local
two-level and-inverter graph minimization without blowup (2006).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import chain, repeat

import numpy as np

from gdl.circuit.arrays import Integers, Mask, distinct, pack, rising, unpack
from gdl.circuit.native.gate_table import GateTable
from gdl.circuit.native.kernels import mark_what_is_read, rewrite_gates
from gdl.circuit.options import ALL_PASSES, CircuitPasses

FALSE = 0
TRUE = 1

_UNKNOWN = -1

_CHAIN = 256
"""Longer conjunctions are divided into chains of so many literals."""


def is_contradiction(literals: Set[int]) -> bool:
    """Return True if some literal is there together with its complement."""
    return len({literal >> 1 for literal in literals}) < len(literals)


@dataclass(frozen=True, slots=True)
class Cycle:
    """Gates ``first`` to ``last`` (exclusive) that define nodes through each other.

    ``feedback`` pairs each node that is read before it is defined with the literal that defines
    it. The value is the least fixpoint: the nodes start as false and can only become true.
    """

    first: int
    last: int
    feedback: tuple[tuple[int, int], ...]


class AndInverterGraph:
    """A graph that grows by gates: ``left`` and ``right`` are the literals that each node reads.

    Gates are made one by one, or many at once where a method takes arrays. ``is_native`` says
    whether kernels do the latter, which is faster in large graphs.
    """

    def __init__(
        self, inputs: int, passes: CircuitPasses = ALL_PASSES, *, is_native: bool = False
    ) -> None:
        self.inputs = inputs
        self.passes = passes
        self.is_native = is_native
        self.cycles: list[Cycle] = []
        self._size = 1 + inputs
        self._sides = np.full((2, 2 * self._size + 62), FALSE, dtype=np.int64)
        self._known: dict[int, int] = {}
        self._table = GateTable() if is_native and passes.structural_hashing else None

    def __len__(self) -> int:
        return self._size

    @property
    def left(self) -> Integers:
        """The first literal that each node reads: int64 (nodes,), 0 for inputs."""
        return self._sides[0, : self._size]

    @property
    def right(self) -> Integers:
        """The second literal that each node reads: int64 (nodes,), 0 for inputs."""
        return self._sides[1, : self._size]

    def input(self, number: int) -> int:
        """Return the literal of an input, counted from 0."""
        return 2 * (1 + number)

    def new_node(self) -> int:
        """Return the literal of a node that is defined later, by a cycle's feedback."""
        return self._append(FALSE, FALSE)

    def _append(self, left: int, right: int) -> int:
        self._reserve(1)
        self._sides[0, self._size] = left
        self._sides[1, self._size] = right
        self._size += 1
        return 2 * (self._size - 1)

    def _reserve(self, count: int) -> None:
        """Make room for more nodes."""
        room = self._sides.shape[1]
        if self._size + count > room:
            self._sides = np.pad(self._sides, ((0, 0), (0, max(count, room))))

    def and2(self, left: int, right: int) -> int:
        """Conjoin two literals; a gate is made only where no literal has the value."""
        if left > right:
            left, right = right, left
        if left == FALSE or left == right ^ 1:
            return FALSE
        if left in (TRUE, right):
            return right
        key = left << 32 | right
        gates = self._known if self._table is None else self._table
        known = gates.get(key)
        if known is not None:
            return known
        implied = self._rewritten(left, right) if self.passes.two_level_rewriting else None
        if implied is None:
            implied = self._append(left, right)
        if self.passes.structural_hashing:
            gates[key] = implied
        return implied

    def _rewritten(self, left: int, right: int) -> int | None:
        """Conjoin two literals of which one is a gate that reads the other; None if neither is."""
        for one, other in ((left, right), (right, left)):
            first, second = self._sides[:, other >> 1].tolist()
            if one in (first, second):  # x and (x and y); x and not (x and y) is x and not y
                return other if not other & 1 else self.and2(one, (first + second - one) ^ 1)
            if one ^ 1 in (first, second):  # x and (not x and y); x and not (not x and y)
                return one if other & 1 else FALSE
        return None

    def and2_all(self, left: Integers, right: Integers) -> Integers:
        """Conjoin two literals at each index, as :meth:`and2` does: int64 (n,) in and out."""
        if self._table is not None:
            return self._and2_native(self._table, left, right)
        low, high = np.minimum(left, right), np.maximum(left, right)
        result = np.where((low == FALSE) | (low == high ^ 1), FALSE, high)
        is_open = (low > TRUE) & (low >> 1 != high >> 1)
        keys = pack(low[is_open], high[is_open])
        if self.passes.structural_hashing:
            keys, index = np.unique(keys, return_inverse=True)
            result[is_open] = self._gates(keys)[index]
        else:
            result[is_open] = self._gates(keys)
        return result

    def _and2_native(self, table: GateTable, left: Integers, right: Integers) -> Integers:
        """Conjoin two literals at each index by kernels."""
        left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
        result, keys = table.find(left, right)
        if len(keys):
            keys = rising(keys)
            values = np.full(len(keys), _UNKNOWN)
            self._make_gates(keys, values)
            table.update(keys, values)
            table.fill(left, right, result)
        return result

    def _gates(self, keys: Integers) -> Integers:
        """Conjoin pairs, which are no constants: int64 (n,), the lower literal in the high bits."""
        result = self._known_gates(keys)
        self._make_gates(keys, result)
        if self.passes.structural_hashing:
            self._known.update(zip(keys.tolist(), result.tolist(), strict=True))
        return result

    def _make_gates(self, keys: Integers, result: Integers) -> None:
        """Conjoin the pairs whose results are unknown; ``keys`` rise."""
        before = self._size
        if self.passes.two_level_rewriting:
            self._rewrite_pairs(keys, result)
        is_new = result == _UNKNOWN
        if self._size > before:  # Rewriting has made gates, perhaps some of these.
            result[is_new] = self._known_gates(keys[is_new])
            is_new = result == _UNKNOWN
        result[is_new] = self._append_all(keys[is_new])

    def _rewrite_pairs(self, keys: Integers, result: Integers) -> None:
        """Fill in unknown results where one literal of a pair is a gate that reads the other."""
        left, right = unpack(keys)
        if self._table is None:
            self._rewrite_all(left, right, result)
            self._rewrite_all(right, left, result)
            return
        for is_swapped, one, other in ((False, left, right), (True, right, left)):
            rest = np.empty_like(keys)
            count = rewrite_gates(self._sides, keys, is_swapped, result, rest)
            rest = rest[:count]
            if count:  # x and not (x and y) is x and not y.
                first, second = self._sides[:, other[rest] >> 1]
                inner = first + second - one[rest]
                result[rest] = self.and2_all(one[rest], inner ^ 1)

    def _known_gates(self, keys: Integers) -> Integers:
        """Look up the values of pairs; ``_UNKNOWN`` where there is none."""
        if self._table is not None:
            return self._table.values(keys)
        if not self._known:
            return np.full(len(keys), _UNKNOWN)
        found = map(self._known.get, keys.tolist(), repeat(_UNKNOWN))
        return np.fromiter(found, np.int64, len(keys))

    def _append_all(self, keys: Integers) -> Integers:
        """Make a gate of each pair; return their literals."""
        end = self._size + len(keys)
        self._reserve(len(keys))
        self._sides[:, self._size : end] = unpack(keys)
        made = 2 * np.arange(self._size, end)
        self._size = end
        return made

    def _rewrite_all(self, one: Integers, other: Integers, result: Integers) -> None:
        """Fill in unknown results where ``other`` is a gate that reads ``one`` or its negation."""
        unknown = np.flatnonzero(result == _UNKNOWN)
        one, other = one[unknown], other[unknown]
        first, second = self._sides[:, other >> 1]
        is_negated = other & 1 == 1
        reads = (first == one) | (second == one)
        denies = ~reads & ((first == one ^ 1) | (second == one ^ 1))
        result[unknown[denies]] = np.where(is_negated, one, FALSE)[denies]
        result[unknown[reads & ~is_negated]] = other[reads & ~is_negated]
        rest = reads & is_negated  # x and not (x and y) is x and not y.
        if rest.any():
            inner = (first + second - one)[rest]
            result[unknown[rest]] = self.and2_all(one[rest], inner ^ 1)

    def and_all(self, rows: Integers, literals: Integers, count: int) -> Integers:
        """Conjoin the literals of each row: int64 (n,) and (n,) in any order, int64 (count,) out.

        A row is conjoined in chains of ``_CHAIN`` literals, in rising order: rows that begin alike
        have gates in common. A row without literals is true.
        """
        entries = distinct(pack(rows, literals))
        is_clash = np.diff(entries) == 1  # Of one row, or a row of which the next has literal 0.
        rows, literals = unpack(entries)
        is_clash &= literals[:-1] & 1 == 0
        result = np.full(count, TRUE)
        clashing = rows[:-1][is_clash]
        while len(rows):
            is_first = np.diff(rows, prepend=-1) > 0
            starts = np.flatnonzero(is_first)
            index = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
            begins = np.flatnonzero(index % _CHAIN == 0)
            if len(begins) == len(rows):
                break
            rows, literals = rows[begins], self._chains(literals, begins)
        result[rows] = literals
        result[clashing] = FALSE
        return result

    def _chains(self, literals: Integers, begins: Integers) -> Integers:
        """Conjoin the literals from each beginning to the next."""
        lengths = np.diff(begins, append=len(literals))
        result = literals[begins]
        active = np.arange(len(begins))
        for index in range(1, lengths.max(initial=0)):
            active = active[lengths[active] > index]
            result[active] = self.and2_all(result[active], literals[begins[active] + index])
        return result

    def balanced_and_all(self, rows: Integers, literals: Integers, count: int) -> Integers:
        """Conjoin the literals of each row as a tree, whose gates can be evaluated together.

        Arrays as for :meth:`and_all`.
        """
        rows, literals = unpack(distinct(pack(rows, literals)))
        lengths = np.bincount(rows, minlength=count)
        is_left = np.zeros(len(rows), dtype=np.bool_)
        for length in distinct(lengths[lengths > 1]).tolist():
            pairs = _first_pairs(length)
            is_left[lengths[rows] == length] = np.tile(pairs, np.count_nonzero(lengths == length))
        while is_left.any():
            left = np.flatnonzero(is_left)
            literals[left] = self.and2_all(literals[left], literals[left + 1])
            is_kept = np.ones(len(rows), dtype=np.bool_)
            is_kept[left + 1] = False
            rows, literals = rows[is_kept], literals[is_kept]
            # Rows have as many literals now as some power of two.
            index = np.arange(len(rows))
            has_next = np.append(rows[1:] == rows[:-1], False)[: len(rows)]
            starts = np.maximum.accumulate(np.where(np.diff(rows, prepend=-1) > 0, index, 0))
            is_left = has_next & (index - starts & 1 == 0)
        result = np.full(count, TRUE)
        result[rows] = literals
        return result

    def and_(self, literals: Iterable[int]) -> int:
        """Conjoin any number of literals."""
        distinct = literals if isinstance(literals, frozenset) else set(literals)
        if len(distinct) > 2 and is_contradiction(distinct):
            return FALSE
        ordered = sorted(distinct)
        return reduce(self.and2, ordered) if ordered else TRUE

    def or_(self, literals: Iterable[int]) -> int:
        """Disjoin any number of literals."""
        return self.and_(literal ^ 1 for literal in literals) ^ 1

    def sum_of_products(self, products: Sequence[frozenset[int]]) -> int:
        """Disjoin conjunctions, with common literals factored out.

        Source: R. Brayton, Factoring logic functions (1987), there called quick factoring.
        """
        if len(products) == 1:
            return self.and_(products[0])
        terms: list[int] = []
        pending = list(dict.fromkeys(products))
        if not self.passes.factoring:
            return self.or_(map(self.and_, pending))
        if frozenset() in pending:
            return TRUE
        counts = Counter(chain.from_iterable(pending))
        while pending:
            most = max(counts.values())
            if most < 2:
                terms += [self.and_(product) for product in pending]
                break
            best = min(literal for literal, count in counts.items() if count == most)
            inside = [product for product in pending if best in product]
            quotient = self.sum_of_products([product - {best} for product in inside])
            terms.append(self.and2(best, quotient))
            pending = [product for product in pending if best not in product]
            for literal in chain.from_iterable(inside):
                counts[literal] -= 1
        return self.or_(terms)

    def cone(self, literals: Iterable[int], following: Sequence[int] = ()) -> Integers:
        """Find the nodes that literals depend on, inputs included: int64 (nodes,), rising.

        The first inputs depend on the ``following`` literals in turn, one for each.
        """
        needed = np.zeros(self._size, dtype=np.bool_)
        following_nodes = np.array(following, dtype=np.int64) >> 1
        cycle_of = self._cycle_of_early_nodes()
        frontier = distinct(np.array([*literals], dtype=np.int64) >> 1)
        if self.is_native:
            self._mark_cone(needed, frontier, following_nodes)
            return np.flatnonzero(needed)
        while len(frontier):
            needed[frontier] = True
            inputs = frontier[(frontier > 0) & (frontier <= len(following_nodes))]
            read = [self._sides[:, frontier].ravel() >> 1, following_nodes[inputs - 1]]
            read += [self._feedback_nodes(cycle) for cycle in distinct(cycle_of[frontier])]
            found = np.concatenate(read)
            frontier = distinct(found[~needed[found]])
        return np.flatnonzero(needed)

    def _mark_cone(self, needed: Mask, nodes: Integers, following: Integers) -> None:
        """Mark the nodes that some nodes depend on, as :meth:`cone` says."""
        cycles = [self._feedback_nodes(index) for index in range(len(self.cycles))]
        stack = np.empty(1 + self._size, dtype=np.int64)
        while len(nodes):
            needed[nodes] = True
            stack[0], stack[1 : 1 + len(nodes)] = len(nodes), nodes
            mark_what_is_read(self.left, self.right, needed, stack)
            found = [following[needed[1 : 1 + len(following)]]]
            found += [own for own in cycles if needed[own[::2]].any()]
            nodes = distinct(np.concatenate(found))
            nodes = nodes[~needed[nodes]]

    def _cycle_of_early_nodes(self) -> Integers:
        """The index of the cycle whose feedback defines each node, -1 for other nodes."""
        cycle_of = np.full(self._size, -1)
        for index, cycle in enumerate(self.cycles):
            cycle_of[[node for node, _ in cycle.feedback]] = index
        return cycle_of

    def _feedback_nodes(self, cycle: int) -> Integers:
        """All nodes that the feedback of a cycle mentions; none for the index -1."""
        feedback = self.cycles[cycle].feedback if cycle >= 0 else ()
        return np.array(
            [n for node, definition in feedback for n in (node, definition >> 1)], dtype=np.int64
        )


@lru_cache(maxsize=1024)
def _first_pairs(length: int) -> Mask:
    """Mark the literals that are conjoined with the next first, in a tree of halves."""
    sizes = np.array([length])
    while sizes.max() > 2:
        sizes = np.stack([(sizes + 1) // 2, sizes // 2], axis=1).ravel()
    is_left = np.zeros(length, dtype=np.bool_)
    is_left[(np.cumsum(sizes) - sizes)[sizes == 2]] = True
    return is_left
