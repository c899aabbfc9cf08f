"""Pairs of literals that many conjunctions hold, replaced by one literal each.

The pair that most conjunctions hold is replaced first, again and again. Pairs that do not get in
each other's way are replaced in one round: a pair is, where it is the best pair of both of its
literals in all conjunctions that hold it. What comes out is what replacing one pair after the other
would give. Of pairs that are in equally many conjunctions, those of the newest literals are better.
"""

from __future__ import annotations

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

MIN_PAIRS_HASHED = 200_000
"""Fewer pairs are counted without leaving out those that are alone in their bucket of a hash."""

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
    done, first_new = [], 2 * first
    while len(short):
        cube, literal = unpack(short)
        left, right = _pairs_of_entries(cube)
        pair, index = _repeated(literal, left, right)
        left, right, index = left[index >= 0], right[index >= 0], index[index >= 0]
        number = _choose(_ordered(pair, first_new), left, right, index, len(cube), first)
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
        cube_of_long = unpack(long)[0]
        is_short = np.bincount(cube_of_long)[cube_of_long] <= limit  # by now
        left_over = pack(cube, literal)[is_concerned]
        short, long = rising(np.concatenate([left_over, long[is_short]])), long[~is_short]
    return first, *unpack(rising(np.concatenate([*done, long])))


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
    may_repeat = np.arange(len(keys))
    if len(keys) > MIN_PAIRS_HASHED:
        bucket = ((keys.view(np.uint64) * _FACTOR) >> np.uint64(43)).view(np.int64)
        may_repeat = np.flatnonzero((np.bincount(bucket, minlength=_BUCKETS) > 1)[bucket])
    groups = grouped(keys[may_repeat])
    pair, index, counts = groups.value, groups.index, groups.count
    number = np.where(counts > 1, np.cumsum(counts > 1) - 1, -1)
    result = np.full(len(keys), -1)
    result[may_repeat] = number[index]
    return pair[counts > 1], result


def _ordered(pair: Integers, first_new: int) -> Integers:
    """In which order pairs in equally many conjunctions are replaced, the newest literals first."""
    sides = [np.where(side < first_new, side, -side) for side in unpack(pair)]
    order = np.empty(len(pair), dtype=np.int64)
    order[np.lexsort((np.maximum(*sides), np.minimum(*sides)))] = np.arange(len(pair))
    return order


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
