"""Many sums of products at once, as arrays: conjunctions of literals, each of which is in a sum.

The literals of all products stand one after the other: an *entry* is one literal of one product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from gdl.circuit.aig import FALSE, TRUE
from gdl.circuit.arrays import Integers, Mask, distinct, grouped, pack, unpack


@dataclass(frozen=True, slots=True)
class Products:
    """Products of literals in sums.

    ``owner``, int64 (products,), is the index of each product's sum. ``product`` and ``literal``,
    int64 (entries,), are sorted by product, then by literal; no product holds a literal twice.
    """

    owner: Integers
    product: Integers
    literal: Integers

    @staticmethod
    def none() -> Products:
        """No products."""
        nothing = np.zeros(0, dtype=np.int64)
        return Products(nothing, nothing, nothing)

    def __len__(self) -> int:
        return len(self.owner)

    def chosen(self, is_chosen: Mask) -> Products:
        """Select products: bool (products,)."""
        index = np.cumsum(is_chosen) - 1
        entries = is_chosen[self.product]
        return Products(self.owner[is_chosen], index[self.product[entries]], self.literal[entries])

    def without(self, is_left_out: Mask) -> Products:
        """Leave out entries: bool (entries,)."""
        kept = ~is_left_out
        return Products(self.owner, self.product[kept], self.literal[kept])

    def lengths(self) -> Integers:
        """The number of literals of each product: int64 (products,)."""
        return np.bincount(self.product, minlength=len(self))

    def listed(self) -> Iterator[tuple[int, frozenset[int]]]:
        """Yield the sum and the literals of each product."""
        ends = np.cumsum(self.lengths())
        literals = (frozenset(own.tolist()) for own in np.split(self.literal, ends)[:-1])
        return zip(self.owner.tolist(), literals, strict=True)

    def numbers(self) -> Integers:
        """Number the sets of literals: int64 (products,), equal where the literals are."""
        lengths = self.lengths()
        begins = np.cumsum(lengths) - lengths
        number = np.zeros(len(self), dtype=np.int64)
        active = np.arange(len(self))
        given = 1
        for index in range(lengths.max(initial=0)):
            active = active[lengths[active] > index]
            prefix = pack(number[active], self.literal[begins[active] + index])
            groups = grouped(prefix)
            number[active] = given + groups.index
            given += len(groups.value)
        return number

    def distinct(self) -> Products:
        """Leave out the products that a sum holds already."""
        is_first = np.zeros(len(self), dtype=np.bool_)
        is_first[grouped(pack(self.owner, self.numbers())).first] = True
        return self.chosen(is_first)


def possible_products(owner: Integers, product: Integers, literal: Integers) -> Products:
    """Make products of entries in any order; those that cannot hold are left out."""
    entries = distinct(pack(product, literal)[literal != TRUE])
    product, literal = unpack(entries)
    can_hold = np.ones(len(owner), dtype=np.bool_)
    can_hold[product[literal == FALSE]] = False
    is_clash = (np.diff(entries) == 1) & (literal[:-1] & 1 == 0)
    can_hold[product[:-1][is_clash]] = False
    return Products(owner, product, literal).chosen(can_hold)


def concatenated(parts: Sequence[Products]) -> Products:
    """All products of some, one part after the other."""
    offsets = accumulate(map(len, parts), initial=0)
    return Products(
        np.concatenate([part.owner for part in parts]),
        np.concatenate(
            [offset + part.product for offset, part in zip(offsets, parts, strict=False)]
        ),
        np.concatenate([part.literal for part in parts]),
    )
