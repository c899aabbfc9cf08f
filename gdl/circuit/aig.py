"""The and-inverter graph (AIG): AND gates of two inputs, with negation on the wires.

Integers are those of the AIGER format: twice a node's number, plus one where it is complemented.
Node 0 is the constant false, so that literal 0 is false and literal 1 is true. The nodes after it
are the inputs; the gates come last, each after the nodes that it reads. Structural hashing makes
equal gates one.

Source: A. Biere, The AIGER and-inverter graph format (2007); R. Brummayer and A. Biere, Local
two-level and-inverter graph minimization without blowup (2006).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np

from gdl.circuit.arrays import Integers, Mask, distinct, pack, rising, unpack
from gdl.circuit.native import kernels
from gdl.circuit.native.kernels import EMPTY, UNKNOWN, Pairs, mark_what_is_read, rewrite_gates
from gdl.circuit.options import ALL_PASSES, CircuitPasses

FALSE = 0
TRUE = 1

_FIRST_CAPACITY = 2**12
_WORD = 2**64 - 1

MIN_PAIRS_AT_ONCE = 20
"""Fewer pairs of literals are conjoined one by one, which is faster."""

MIN_LITERALS_AT_ONCE = 200
"""So are rows of fewer literals together."""

_CHAIN = 256
"""Longer conjunctions are divided into chains of so many literals."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Gates ``first`` to ``last`` (exclusive) that define nodes through each other.

    ``feedback`` pairs each node that is read before it is defined with the literal that defines
    it. The value is the least fixpoint: the nodes start as false and can only become true.
    """

    first: int
    last: int
    feedback: tuple[tuple[int, int], ...]


class GateTable:
    """Maps pairs of literals, packed into one number, to the literals of their conjunctions.

    It can be read and written one by one as a dictionary can, or many at once by kernels. An array
    of n keys and values is int64 (n,), contiguous.
    """

    def __init__(self) -> None:
        self._count = 0
        self._mark = UNKNOWN
        self._make(_FIRST_CAPACITY)

    def _make(self, capacity: int) -> None:
        self._keys = np.full(capacity, EMPTY, dtype=np.int64)
        self._values = np.zeros(capacity, dtype=np.int64)
        # A look-up of one number is several times faster in these.
        self._key_view, self._value_view = self._keys.data, self._values.data
        self._mask = capacity - 1

    def _reserve(self, count: int) -> None:
        """Make room for more keys: at most half of the slots are used."""
        needed = 2 * (self._count + count)
        if needed > len(self._keys):
            keys, values = self._keys, self._values
            self._make(1 << (needed - 1).bit_length())
            kernels.store(self._keys, self._values, keys, values)

    def _slot(self, key: int) -> int:
        mixed = key * kernels.FACTOR & _WORD
        slot = (mixed ^ mixed >> 32) & self._mask
        while self._key_view[slot] not in (key, EMPTY):
            slot = slot + 1 & self._mask
        return slot

    def get(self, key: int) -> int | None:
        """Return the value of a key, None where there is none, or none yet: see :meth:`find`."""
        slot = self._slot(key)
        if self._key_view[slot] == EMPTY or self._value_view[slot] < 0:
            return None
        return self._value_view[slot]

    def __setitem__(self, key: int, value: int) -> None:
        self._reserve(1)
        slot = self._slot(key)
        self._count += self._key_view[slot] == EMPTY
        self._key_view[slot], self._value_view[slot] = key, value

    def find(self, left: Integers, right: Integers) -> tuple[Integers, Integers]:
        """Conjoin pairs of literals; return the results, and the keys of the pairs without one.

        These keys, each of which comes once, must then be given values by :meth:`update`. Meanwhile
        other pairs may be found and given values, perhaps some of these.
        """
        self._reserve(len(left))
        result, new = np.empty_like(left), np.empty_like(left)
        self._mark -= 1
        pairs = Pairs(left, right, result, new)
        count = kernels.find_gates(self._keys, self._values, pairs, self._mark)
        self._count += count
        return result, new[:count]

    def fill(self, left: Integers, right: Integers, result: Integers) -> None:
        """Complete the results that :meth:`find` has left open."""
        kernels.fill_gates(self._keys, self._values, left, right, result)

    def values(self, keys: Integers) -> Integers:
        """Look up the values of keys; ``UNKNOWN`` where there is none yet."""
        result = np.full(len(keys), UNKNOWN)
        kernels.look_up(self._keys, self._values, keys, result)
        return result

    def update(self, keys: Integers, values: Integers) -> None:
        """Give keys their values."""
        self._reserve(len(keys))
        self._count += kernels.store(self._keys, self._values, keys, values)


class AndInverterGraph:
    """A graph that grows by gates: ``left`` and ``right`` are the literals that each node reads.

    Gates are made one by one, or many at once by kernels where a method takes arrays.
    """

    def __init__(self, inputs: int, passes: CircuitPasses = ALL_PASSES) -> None:
        self.inputs = inputs
        self.passes = passes
        self.cycles: list[Cycle] = []
        self._size = 1 + inputs
        self._sides = np.full((2, 2 * self._size + 62), FALSE, dtype=np.int64)
        self._known = GateTable()

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
        known = self._known.get(key)
        if known is not None:
            return known
        implied = self._rewritten(left, right) if self.passes.two_level_rewriting else None
        if implied is None:
            implied = self._append(left, right)
        if self.passes.structural_hashing:
            self._known[key] = implied
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
        if len(left) < MIN_PAIRS_AT_ONCE:
            pairs = zip(left.tolist(), right.tolist(), strict=True)
            return np.array([self.and2(*pair) for pair in pairs], dtype=np.int64)
        if not self.passes.structural_hashing:
            return self._and2_unshared(left, right)
        left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
        result, keys = self._known.find(left, right)
        if len(keys):
            keys = rising(keys)
            values = np.full(len(keys), UNKNOWN)
            self._make_gates(keys, values)
            self._known.update(keys, values)
            self._known.fill(left, right, result)
        return result

    def _and2_unshared(self, left: Integers, right: Integers) -> Integers:
        """Conjoin two literals at each index by a gate of its own, where it takes one."""
        low, high = np.minimum(left, right), np.maximum(left, right)
        result = np.where((low == FALSE) | (low == high ^ 1), FALSE, high)
        is_open = (low > TRUE) & (low >> 1 != high >> 1)
        values = np.full(np.count_nonzero(is_open), UNKNOWN)
        self._make_gates(pack(low[is_open], high[is_open]), values)
        result[is_open] = values
        return result

    def _make_gates(self, keys: Integers, result: Integers) -> None:
        """Conjoin pairs, which are no constants: int64 (n,), the lower literal in the high bits.

        All of ``result`` is ``UNKNOWN`` at first.
        """
        before = self._size
        if self.passes.two_level_rewriting:
            self._rewrite_pairs(keys, result)
        is_new = result == UNKNOWN
        if self._size > before:  # Rewriting has made gates, perhaps some of these.
            result[is_new] = self._known.values(keys[is_new])
            is_new = result == UNKNOWN
        result[is_new] = self._append_all(keys[is_new])

    def _rewrite_pairs(self, keys: Integers, result: Integers) -> None:
        """Fill in unknown results where one literal of a pair is a gate that reads the other."""
        left, right = unpack(keys)
        for is_swapped, one, other in ((False, left, right), (True, right, left)):
            rest = np.empty_like(keys)
            count = rewrite_gates(self._sides, keys, is_swapped, result, rest)
            rest = rest[:count]
            if count:  # x and not (x and y) is x and not y.
                first, second = self._sides[:, other[rest] >> 1]
                inner = first + second - one[rest]
                result[rest] = self.and2_all(one[rest], inner ^ 1)

    def _append_all(self, keys: Integers) -> Integers:
        """Make a gate of each pair; return their literals."""
        end = self._size + len(keys)
        self._reserve(len(keys))
        self._sides[:, self._size : end] = unpack(keys)
        made = 2 * np.arange(self._size, end)
        self._size = end
        return made

    def and_all(self, rows: Integers, literals: Integers, count: int) -> Integers:
        """Conjoin the literals of each row: int64 (n,) and (n,) in any order, int64 (count,) out.

        A row is conjoined in chains of ``_CHAIN`` literals, in rising order: rows that begin alike
        have gates in common. A row without literals is true.
        """
        if len(rows) < MIN_LITERALS_AT_ONCE:
            sets: list[set[int]] = [set() for _ in range(count)]
            for row, literal in zip(rows.tolist(), literals.tolist(), strict=True):
                sets[row].add(literal)
            return np.array(list(map(self._and_of, sets)), dtype=np.int64)
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

    def _and_of(self, literals: set[int]) -> int:
        """Conjoin the literals of one row."""
        if len({literal >> 1 for literal in literals}) < len(literals):
            return FALSE  # Some literal is there together with its complement.
        return reduce(self.and2, sorted(literals), TRUE)

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

    def cone(self, literals: Iterable[int], following: Sequence[int] = ()) -> Integers:
        """Find the nodes that literals depend on, inputs included: int64 (nodes,), rising.

        The first inputs depend on the ``following`` literals in turn, one for each.
        """
        needed = np.zeros(self._size, dtype=np.bool_)
        following_nodes = np.array(following, dtype=np.int64) >> 1
        cycles = list(map(_feedback_nodes, self.cycles))
        stack = np.empty(1 + self._size, dtype=np.int64)
        nodes = distinct(np.array([*literals], dtype=np.int64) >> 1)
        while len(nodes):
            needed[nodes] = True
            stack[0], stack[1 : 1 + len(nodes)] = len(nodes), nodes
            mark_what_is_read(self.left, self.right, needed, stack)
            found = [following_nodes[needed[1 : 1 + len(following)]]]
            found += [own for own in cycles if needed[own[::2]].any()]
            nodes = distinct(np.concatenate(found))
            nodes = nodes[~needed[nodes]]
        return np.flatnonzero(needed)


def _feedback_nodes(cycle: Cycle) -> Integers:
    """The nodes of a cycle's feedback: each that is read early, and the one that defines it."""
    return np.array(
        [n for node, definition in cycle.feedback for n in (node, definition >> 1)], dtype=np.int64
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
