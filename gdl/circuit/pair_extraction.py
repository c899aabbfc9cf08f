"""Pairs of literals that many conjunctions hold, replaced by one literal each.

The pair that most conjunctions hold is replaced first, again and again. Pairs that do not get in
each other's way are replaced in one round: a pair is, where it is the best pair of both of its
literals in all conjunctions that hold it. What comes out is what replacing one pair after the other
would give. Of pairs that are in equally many conjunctions, the first is better.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from gdl.circuit.arrays import (
    Integers,
    first_of_rows,
    grouped,
    pack,
    ranges,
    rising,
    sorting_order,
    unpack,
)

MAX_LITERALS = 60
"""Pairs are not looked for in conjunctions of more literals, of which there are few."""

MAX_PAIRS = 2_000_000
"""So many pairs are counted to begin with; where there are more, in shorter conjunctions only."""

MIN_ENTRIES_AT_ONCE = 5_000
"""With fewer literals in all conjunctions, pairs are replaced one by one."""

MAX_LONG_ENTRIES = 100_000
"""With more literals in longer conjunctions, no pair is replaced in these one by one.

Measured on the largest games, that leaves at most two gates in a hundred more.
"""

Pair: TypeAlias = tuple[int, int]

_BUCKETS = 2**21
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def extract_pairs(first: int, cube: Integers, literal: Integers) -> tuple[int, Integers, Integers]:
    """Replace pairs of literals in conjunctions: int64 (n,) cubes and literals, sorted.

    Pairs become cubes with numbers from ``first`` on. Return one over the last number, and the
    cubes and literals of all, sorted.
    """
    lengths = np.bincount(cube, minlength=first)
    limit = _limit(lengths)
    is_short = lengths[cube] <= limit
    entries = pack(cube, literal)
    short, long = entries[is_short], entries[~is_short]
    done = []
    while len(short) > MIN_ENTRIES_AT_ONCE:
        cube, literal = unpack(short)
        left, right = _pairs_of_entries(cube)
        pair, index = _repeated(literal, left, right)
        left, right, index = left[index >= 0], right[index >= 0], index[index >= 0]
        number = _choose(pair, left, right, index, len(cube), first)
        is_made = number >= 0
        done += [pack(number[is_made], each) for each in unpack(pair[is_made])]
        first += int(np.count_nonzero(is_made))
        long = _replace_in_long(long, pair[is_made], number[is_made])
        is_concerned = np.zeros(len(cube), dtype=np.bool_)
        is_concerned[left] = is_concerned[right] = True
        done.append(short[~is_concerned])
        of = number[index] >= 0
        literal[left[of]] = 2 * number[index[of]]
        is_concerned[right[of]] = False
        short = rising(pack(cube, literal)[is_concerned])
    if len(long) > MAX_LONG_ENTRIES:
        done.append(long)
        long = long[:0]
    rest, pairs = _replace_one_by_one(np.concatenate([short, long]), first, limit)
    return first + pairs, *unpack(rising(np.concatenate([*done, rest])))


def _replace_in_long(entries: Integers, pair: Integers, number: Integers) -> Integers:
    """Replace pairs in conjunctions that were not searched, the first of those that overlap."""
    cube, literal = unpack(entries)
    order = sorting_order(literal)
    left, right = unpack(pair)
    begins = np.searchsorted(literal[order], left)
    lengths = np.searchsorted(literal[order], left, side="right") - begins
    if lengths.sum() > MAX_PAIRS:
        return entries
    of = np.repeat(np.arange(len(pair)), lengths)
    one = order[ranges(begins, lengths)]
    wanted = pack(cube[one], right[of])
    other = np.minimum(np.searchsorted(entries, wanted), max(0, len(entries) - 1))
    is_there = entries[other] == wanted
    of, one, other = of[is_there], one[is_there], other[is_there]
    user = np.full(len(entries), len(pair))
    np.minimum.at(user, one, of)
    np.minimum.at(user, other, of)
    is_first = (user[one] == of) & (user[other] == of)
    literal[one[is_first]] = 2 * number[of[is_first]]
    is_kept = np.ones(len(entries), dtype=np.bool_)
    is_kept[other[is_first]] = False
    return rising(pack(cube, literal)[is_kept])


def _replace_one_by_one(entries: Integers, first: int, limit: int) -> tuple[Integers, int]:
    """Replace the rest of the pairs; return all entries, and the number of pairs."""
    cube, literal = unpack(entries)
    order = sorting_order(cube)
    groups = grouped(cube[order])
    cubes, starts = groups.value, groups.first
    sets = [set(own.tolist()) for own in np.split(literal[order], starts)[1:]]
    pairs = _PairReplacer(sets, limit).run()
    number = np.repeat(first + np.arange(len(pairs)), 2)
    lengths = np.array([len(own) for own in sets], dtype=np.int64)
    found = np.array([one for literals in (*pairs, *sets) for one in literals], dtype=np.int64)
    found = np.where(found < 0, 2 * (first - 1 - found), found)
    rows = np.concatenate([number, np.repeat(cubes, lengths)])
    return pack(rows, found), len(pairs)


class _PairReplacer:
    """Replaces pairs in sets of literals, which it changes, one after the other.

    Pairs are called -1, -2 and so on. They are looked for in sets of up to ``limit`` literals.
    """

    def __init__(self, sets: Sequence[set[int]], limit: int) -> None:
        self._sets = sets
        self._limit = limit
        self._where: dict[int, set[int]] = defaultdict(set)
        self._counts: Counter[Pair] = Counter()
        for number, literals in enumerate(sets):
            for literal in literals:
                self._where[literal].add(number)
            if len(literals) <= self._limit:
                self._counts.update(combinations(sorted(literals), 2))
        self._queue = [(-count, pair) for pair, count in self._counts.items() if count > 1]
        heapq.heapify(self._queue)

    def run(self) -> list[Pair]:
        """Replace pairs until none is in two sets; return the pairs by their names."""
        made: list[Pair] = []
        while self._queue:
            count, pair = heapq.heappop(self._queue)
            now = self._counts[pair]
            if now < -count and now > 1:
                heapq.heappush(self._queue, (-now, pair))
            elif now == -count:
                made.append(pair)
                self._replace(pair, -len(made))
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


def _limit(lengths: Integers) -> int:
    """The longest conjunction in which pairs are looked for."""
    limit = MAX_LITERALS
    while (lengths * (lengths - 1) // 2)[lengths <= limit].sum() > MAX_PAIRS:
        limit //= 2
    return limit


def _pairs_of_entries(cube: Integers) -> tuple[Integers, Integers]:
    """All pairs of entries of a cube, the indices of the first and of the second."""
    end = first_of_rows(cube, 0)[cube + 1]
    entry = np.arange(len(cube))
    later = end - entry - 1
    return np.repeat(entry, later), ranges(entry + 1, later)


def _repeated(literal: Integers, left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """The pairs of literals that occur repeatedly, and which of them each pair of entries is.

    The latter is -1 where a pair occurs once.
    """
    keys = pack(literal[left], literal[right])
    bucket = ((keys.view(np.uint64) * _FACTOR) >> np.uint64(43)).view(np.int64)
    may_repeat = np.flatnonzero((np.bincount(bucket, minlength=_BUCKETS) > 1)[bucket])
    groups = grouped(keys[may_repeat])
    pair, index, counts = groups.value, groups.index, groups.count
    number = np.where(counts > 1, np.cumsum(counts > 1) - 1, -1)
    result = np.full(len(keys), -1)
    result[may_repeat] = number[index]
    return pair[counts > 1], result


def _choose(
    pair: Integers, left: Integers, right: Integers, index: Integers, entries: int, first: int
) -> Integers:
    """Number the pairs that can be replaced now, from ``first`` on; -1 for the others."""
    counts = np.bincount(index, minlength=len(pair))
    rank = np.empty(len(pair), dtype=np.int64)
    rank[np.lexsort((-pair, counts))] = np.arange(len(pair))
    best = np.full(entries, -1)
    np.maximum.at(best, left, rank[index])
    np.maximum.at(best, right, rank[index])
    is_best = (best[left] == rank[index]) & (best[right] == rank[index])
    is_chosen = np.bincount(index[is_best], minlength=len(pair)) == counts
    return np.where(is_chosen, first - 1 + np.cumsum(is_chosen), -1)
