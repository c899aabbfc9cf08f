"""Tables of gates by the literals that they read, for structural hashing of many gates at once."""

from __future__ import annotations

import numpy as np

from gdl.circuit.arrays import Integers
from gdl.circuit.native import kernels
from gdl.circuit.native.kernels import EMPTY, UNKNOWN, Pairs

_FIRST_CAPACITY = 2**12
_WORD = 2**64 - 1


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
        """Return the value of a key, None where there is none."""
        slot = self._slot(key)
        return None if self._key_view[slot] == EMPTY else self._value_view[slot]

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
