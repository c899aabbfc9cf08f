"""Sets of moves: rules that differ only in the move they need become one rule for all the moves.

A role makes exactly one move. Products that are equal but for a move of the same role, or a set of
its moves, are therefore merged into one, with the union of the sets, for many sums at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from itertools import product as product_of
from typing import TypeAlias

import numpy as np

from gdl.circuit.aig import TRUE, AndInverterGraph
from gdl.circuit.arrays import (
    Integers,
    Mask,
    distinct,
    extended,
    first_of_rows,
    grouped,
    pack,
    raised,
    sorting_order,
    unpack,
)
from gdl.circuit.native.kernels import CombinedSets, SetGroups, combine_sets
from gdl.circuit.products import Products, concatenated, possible_products

Product: TypeAlias = frozenset[int]
"""The literals of a conjunction."""

MAX_SET_GROUPS = 4
"""A set of moves with exceptions is expanded where it is used if it has at most so many groups."""

_NO_SET, _GROUPS = -1, -2

MAX_PRODUCT_GROUPS = 16
"""A product is expanded to at most so many groups."""

MAX_WAITING = 8_000_000
"""Gates for sets are made once the sets have so many moves, to bound the memory."""

MAX_MEMBERS = 1_000_000
"""Sets are united in batches of so many moves, to bound the memory."""


class MoveSets:
    """The literals that are known to be sets of moves, and what they are made of.

    A literal is a *plain set* where it is just one role's move being one of a set. Otherwise it is
    a disjunction of a few groups.
    """

    def __init__(self, graph: AndInverterGraph, roles: Sequence[range]) -> None:
        """``roles`` holds the literals of each role's moves."""
        self._graph = graph
        self._roles = [np.array(own, dtype=np.int64) for own in roles]
        self._move_count = np.array(list(map(len, roles)), dtype=np.int64)
        # By literal: the role of a plain set, and where its members are, or the other moves of the
        # role where it has most of them.
        self._role = np.full(2 * len(graph), _NO_SET)
        self._is_most = np.zeros(2 * len(graph), dtype=np.bool_)
        self._begin = np.zeros(2 * len(graph), dtype=np.int64)
        self._length = np.zeros(2 * len(graph), dtype=np.int64)
        self._members = np.zeros(0, dtype=np.int32)
        self._member_count = 0
        # Of a literal that is no plain set: literals of plain sets, each with other literals.
        self._parts: dict[int, list[tuple[int, Product]]] = {}
        for role, own in enumerate(self._roles):
            one, none = np.ones(len(own), dtype=np.int64), np.zeros(len(own), dtype=np.bool_)
            self._add_sets(own, np.full(len(own), role), one, own, none)

    def are_in(self, products: Products) -> bool:
        """Whether any product holds a set of moves."""
        self._reserve()
        return bool((self._role[products.literal] != _NO_SET).any())

    def need_expansion(self, products: Products) -> Mask:
        """Mark the products that hold a set of moves which is not plain: bool (products,)."""
        found = np.zeros(len(products), dtype=np.bool_)
        found[products.product[self._role[products.literal] == _GROUPS]] = True
        return found

    def expanded(self, product: Product) -> list[Product]:
        """Expand a product to products of plain sets, up to ``MAX_PRODUCT_GROUPS`` of them."""
        compound = sorted((len(self._parts[one]), one) for one in product & self._parts.keys())
        found = [product - {one for _, one in compound}]
        for count, literal in compound:
            if len(found) * count > MAX_PRODUCT_GROUPS and len(found) > 1:
                found = [one | {literal} for one in found]
            else:
                pairs = product_of(found, self._parts[literal])
                found = [one | rest | {of} for one, (of, rest) in pairs]
        return found

    def merge(self, products: Products, is_used: Mask) -> MergedProducts:
        """Merge the products of sums that differ in one plain set alone.

        Where a product holds sets of several roles, the first is merged. Unions are remembered
        where they are of sums that are used: bool (sums,).
        """
        products = self._intersect(products)
        has_set = np.zeros(len(is_used), dtype=np.bool_)
        has_set[products.owner[products.product[self._role[products.literal] >= 0]]] = True
        others = products.chosen(~has_set[products.owner])
        products = products.chosen(has_set[products.owner])
        sets = np.flatnonzero(self._role[products.literal] >= 0)
        sets = sets[np.diff(products.product[sets], prepend=-1) > 0]
        is_set = np.zeros(len(products.literal), dtype=np.bool_)
        is_set[sets] = True
        rest = products.without(is_set)
        product, literal = products.product[sets], products.literal[sets]
        owner = products.owner[product]
        key = grouped(pack(owner, rest.numbers()[product])).index
        groups = grouped(pack(key, self._role[literal]))
        first, group = groups.first, groups.index
        united = self._unite(group, literal, is_used[owner[first]])
        # Of the products of a group, the first stands for all.
        is_kept = np.ones(len(products), dtype=np.bool_)
        is_kept[product] = False
        is_kept[product[first]] = True
        rest = rest.chosen(is_kept)
        of_group = (np.cumsum(is_kept) - 1)[product[first]]
        with_sets = possible_products(
            rest.owner,
            np.concatenate([rest.product, of_group]),
            np.concatenate([rest.literal, united]),
        )
        return MergedProducts(concatenated([others, with_sets]), rest, of_group, united)

    def _unite(self, group: Integers, literal: Integers, is_used: Mask) -> Integers:
        """Unite the plain sets of each group: int64 (sets,) twice in, int64 (groups,) out."""
        group, literal = unpack(distinct(pack(group, literal)))
        result = np.zeros(len(is_used), dtype=np.int64)
        result[group] = literal
        is_open = np.bincount(group, minlength=len(is_used))[group] > 1
        groups = grouped(group[is_open])
        group, number = groups.value, groups.index
        result[group] = self._combine(number, literal[is_open], is_used[group], is_union=True)
        return result

    def _intersect(self, products: Products) -> Products:
        """Replace several plain sets of one role in a product by their intersection."""
        role = self._role[products.literal]
        sets = np.flatnonzero(role >= 0)
        groups = grouped(pack(products.product[sets], role[sets]))
        key, group, is_several = groups.value, groups.index, groups.count > 1
        if not is_several.any():
            return products
        sets, group = sets[is_several[group]], (np.cumsum(is_several) - 1)[group[is_several[group]]]
        order = sorting_order(group)
        sets, group = sets[order], group[order]
        is_kept = np.ones(np.count_nonzero(is_several), dtype=np.bool_)
        common = self._combine(group, products.literal[sets], is_kept, is_union=False)
        is_replaced = np.zeros(len(products.literal), dtype=np.bool_)
        is_replaced[sets] = True
        rest = products.without(is_replaced)
        owner, _ = unpack(key[is_several])
        return possible_products(
            products.owner,
            np.concatenate([rest.product, owner]),
            np.concatenate([rest.literal, common]),
        )

    def _combine(
        self, group: Integers, literal: Integers, is_kept: Mask, *, is_union: bool
    ) -> Integers:
        """Make one set of the plain sets of each group, by union or intersection.

        ``group``, which rises, and ``literal`` are int64 (sets,). Sets that are to be ``is_kept``,
        bool (groups,), are remembered. Return the literals of all: int64 (groups,).
        """
        result = np.zeros(len(is_kept), dtype=np.int64)
        waiting: list[_Sets] = []
        for first, own, sets in self._batches(group, literal):
            waiting.append(self._combined(first, own, sets, is_union))
            if sum(len(each.chosen) for each in waiting) > MAX_WAITING:
                self._make(waiting, result, is_kept)
                waiting.clear()
        self._make(waiting, result, is_kept)
        return result

    def _batches(
        self, group: Integers, literal: Integers
    ) -> Iterator[tuple[int, Integers, Integers]]:
        """Divide groups of plain sets into batches of up to ``MAX_MEMBERS`` moves.

        Each is the number of its first group, the groups counted from that one, and the sets.
        """
        total = np.cumsum(self._sizes(literal))
        batch = total[first_of_rows(group, 0)[group + 1] - 1] // MAX_MEMBERS
        begins = np.flatnonzero(np.diff(batch, prepend=-1))
        for begin, end in pairwise([*begins.tolist(), len(batch)]):
            first = int(group[begin])
            yield first, group[begin:end] - first, literal[begin:end]

    def _sizes(self, literal: Integers) -> Integers:
        """The number of moves in each plain set."""
        length = self._length[literal]
        others = self._move_count[self._role[literal]] - length
        return np.where(self._is_most[literal], others, length)

    def _combined(self, of: int, group: Integers, literal: Integers, is_union: bool) -> _Sets:
        """Unite or intersect the plain sets of each group of a batch, counted from ``of``."""
        end = np.flatnonzero(np.diff(group, append=len(group))) + 1
        role = self._role[literal[end - 1]]
        first = np.array([own[0] if len(own) else 0 for own in self._roles], dtype=np.int64)
        begin, length = self._begin[literal], self._length[literal]
        given = SetGroups(
            *(begin, length, self._is_most[literal], self._members),
            *(end, first[role], self._move_count[role]),
        )
        out = CombinedSets(
            np.empty(length.sum(), dtype=np.int64),
            np.empty(len(end), dtype=np.bool_),
            np.zeros(1, dtype=np.int64),
        )
        bits = np.zeros((2, (int(self._move_count.max()) + 63) // 64), dtype=np.uint64)
        combine_sets(given, is_union, bits, out)
        return _Sets(of, role, out.chosen[: out.size[0]].copy(), out.is_most)

    def _make(self, batches: Sequence[_Sets], result: Integers, is_kept: Mask) -> None:
        """Make the sets of some batches literals of ``result``; remember those ``is_kept``.

        Many at once: conjunctions are made of one literal after the other, for all sets together.
        """
        if not batches:
            return
        sets = _Sets.concatenated(batches)
        rows, moves = unpack(sets.chosen)
        made = self._graph.and_all(rows, moves ^ 1, len(sets.role)) ^ 1 ^ sets.is_most
        own = slice(sets.first, sets.first + len(made))
        result[own] = made
        self._add_some(made, sets, is_kept[own] & (made > TRUE))

    def _add_some(self, literals: Integers, sets: _Sets, is_chosen: Mask) -> None:
        """Remember those of some plain sets that are chosen and not known yet."""
        self._reserve()
        is_chosen = is_chosen & (self._role[literals] == _NO_SET)
        of, moves = unpack(sets.chosen)
        lengths = np.bincount(of, minlength=len(literals))[is_chosen]
        self._add_sets(
            *(literals[is_chosen], sets.role[is_chosen], lengths),
            *(moves[is_chosen[of]], sets.is_most[is_chosen]),
        )

    def remember(self, merged: MergedProducts, values: Integers, is_used: Mask) -> None:
        """Remember the sums that are sets of moves with a few exceptions.

        ``values``, int64 (sums,), are their literals; ``is_used`` marks those worth it. Those that
        are plain sets are remembered already.
        """
        self._reserve()
        owner = merged.rest.owner[merged.product]
        length = merged.rest.lengths()[merged.product]
        count = np.bincount(owner, minlength=len(values))
        least, most = np.full(len(values), 2), np.zeros(len(values), dtype=np.int64)
        np.minimum.at(least, owner, length)
        np.maximum.at(most, owner, length)
        is_all_sets = count == np.bincount(merged.rest.owner, minlength=len(values))
        is_almost = (most == 0) | ((count <= MAX_SET_GROUPS) & (least == 0) & (most == 1))
        wanted = is_used & (count > 1) & is_all_sets & is_almost
        wanted[owner[merged.literal <= TRUE]] = False
        found = defaultdict(list)
        first = first_of_rows(merged.rest.product, len(merged.rest))
        for group in np.flatnonzero(wanted[owner]).tolist():
            product = merged.product[group]
            rest = merged.rest.literal[first[product] : first[product + 1]]
            part = int(merged.literal[group]), frozenset(rest.tolist())
            found[int(owner[group])].append(part)
        for of, parts in found.items():
            literal = int(values[of])
            self._parts[literal], self._role[literal] = parts, _GROUPS

    def _reserve(self) -> None:
        """Make room for the literals of all nodes."""
        missing = 2 * len(self._graph) - len(self._role)
        if missing > 0:
            size = len(self._role) + max(missing, len(self._role))
            self._role = extended(self._role, size, _NO_SET)
            self._is_most = extended(self._is_most, size)
            self._begin, self._length = extended(self._begin, size), extended(self._length, size)

    def _add_sets(
        self,
        literals: Integers,
        roles: Integers,
        lengths: Integers,
        members: Integers,
        is_most: Mask,
    ) -> None:
        """Remember plain sets: the members of one stand after those of another.

        Where ``is_most`` is true they are the other moves of the role.
        """
        self._role[literals] = roles
        self._is_most[literals] = is_most
        end = self._member_count + len(members)
        if end > len(self._members):
            self._members = extended(self._members, len(self._members) + end)
        self._members[self._member_count : end] = members
        self._begin[literals] = self._member_count + np.cumsum(lengths) - lengths
        self._length[literals] = lengths
        self._member_count = end


@dataclass(frozen=True, slots=True)
class _Sets:
    """Sets of moves that are to be made, numbered from ``first`` on.

    ``role`` is int64 (sets,). ``chosen`` are the moves that a set is made of, or that its negation
    is made of where ``is_most`` is true: numbers of sets, from 0 on, packed with moves, rising.
    """

    first: int
    role: Integers
    chosen: Integers
    is_most: Mask

    @staticmethod
    def concatenated(batches: Sequence[_Sets]) -> _Sets:
        """All sets of batches, each of which begins where the one before it ends."""
        first = batches[0].first
        return _Sets(
            first,
            np.concatenate([each.role for each in batches]),
            np.concatenate([raised(each.chosen, each.first - first) for each in batches]),
            np.concatenate([each.is_most for each in batches]),
        )


@dataclass(frozen=True, slots=True)
class MergedProducts:
    """Products in which sets of moves are merged to groups, and what each group consists of.

    ``rest`` are the products that were merged, without their sets. Of each group, ``product`` is
    the index of its product among these, and ``literal`` its set: int64 (groups,).
    """

    products: Products
    rest: Products
    product: Integers
    literal: Integers
