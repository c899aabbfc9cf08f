"""Factoring: many sums of products at once, with common literals taken out.

A sum is divided by the literal that most of its products hold, then the quotient and the rest in
the same way. Divisions that do not depend on each other are made in one round: a sum is divided by
a literal where no product that holds it holds one of more products. What comes out is what
divisions one after the other would give.

Source: R. Brayton, Factoring logic functions (1987), there called quick factoring.
"""

from __future__ import annotations

import numpy as np

from gdl.circuit.aig import AndInverterGraph
from gdl.circuit.arrays import Integers, grouped, pack, unpack
from gdl.circuit.products import Products, concatenated


def sums_of_products(graph: AndInverterGraph, products: Products, count: int) -> Integers:
    """Make gates for sums, and return the literal of each: int64 (count,)."""
    division = _Division(count)
    if graph.passes.factoring:
        rest = products.distinct()
        while len(rest):
            rest = division.divide(rest)
    else:
        division.kept.append(products)
    return division.build(graph)


class _Division:
    """What sums have been divided into: products that are kept whole, and quotients.

    A quotient is a sum too; those of a round are numbered after all sums before it. ``quotients``
    has of each round owner, literal and quotient, int64 (n,) each: terms that are a literal times
    another sum. ``depth`` is int64 (sums,), 0 for the sums that are asked for.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.depth = np.zeros(count, dtype=np.int64)
        self.kept = [Products.none()]
        self.quotients: list[tuple[Integers, Integers, Integers]] = []

    def divide(self, products: Products) -> Products:
        """Make one round of divisions; return the products that later rounds have to divide."""
        is_always = products.lengths() == 0
        self.kept.append(products.chosen(is_always))
        true_sums = products.owner[is_always]
        products = products.chosen(~np.isin(products.owner, true_sums))
        if not len(products):
            return products
        keys = pack(products.owner[products.product], products.literal)
        groups = grouped(keys)
        keys, index, counts = groups.value, groups.index, groups.count
        priority = pack(counts[index], products.literal.max() - products.literal)
        lengths = products.lengths()
        best = np.maximum.reduceat(priority, np.cumsum(lengths) - lengths)
        is_kept = unpack(best)[0] < 2
        self.kept.append(products.chosen(is_kept))
        is_best = (priority == best[products.product]) & ~is_kept[products.product]
        is_divisor = np.bincount(index[is_best], minlength=len(keys)) == counts
        quotient = len(self.depth) - 1 + np.cumsum(is_divisor)
        self._add(keys[is_divisor], quotient[is_divisor])
        is_divided = is_best & is_divisor[index]
        owner = products.owner.copy()
        owner[products.product[is_divided]] = quotient[index[is_divided]]
        divided = Products(owner, products.product, products.literal)
        return divided.without(is_divided).chosen(~is_kept)

    def _add(self, keys: Integers, quotient: Integers) -> None:
        owner, literal = unpack(keys)
        self.quotients.append((owner, literal, quotient))
        self.depth = np.concatenate([self.depth, self.depth[owner] + 1])

    def build(self, graph: AndInverterGraph) -> Integers:
        """Make gates, for the deepest sums first."""
        kept = concatenated(self.kept)
        terms = graph.and_all(kept.product, kept.literal, len(kept))
        value = np.zeros(len(self.depth), dtype=np.int64)
        for depth in range(self.depth.max(initial=0), -1, -1):
            is_here = self.depth == depth
            number = np.cumsum(is_here) - 1
            owners, literals = [kept.owner], [terms]
            for owner, literal, quotient in self.quotients:
                of = is_here[owner]
                owners.append(owner[of])
                literals.append(graph.and2_all(literal[of], value[quotient[of]]))
            owner, literal = np.concatenate(owners), np.concatenate(literals)
            of = is_here[owner]
            value[is_here] = (
                graph.and_all(number[owner[of]], literal[of] ^ 1, int(np.count_nonzero(is_here)))
                ^ 1
            )
        return value[: self.count]
