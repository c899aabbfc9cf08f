"""Kernels for circuits of many gates: what loops over gates one by one, as native code.

Each does what a method on arrays elsewhere in this package does too, with the same result; those
are used where a circuit is small, or where there is no native code. A hash table of gates is open
addressing with linear probing: ``keys`` are int64 (capacity,), ``EMPTY`` where nothing is, and the
capacity is a power of two.

Source: D. Knuth, The Art of Computer Programming, volume 3 (1998), algorithm 6.4 L.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.array_kernels import kernel

EMPTY = -1
"""Stands for no key in a table."""

UNKNOWN = -1
"""Stands for a literal that is not known yet."""

FACTOR = -7046029254386353131
"""2 ** 64 divided by the golden ratio, as a number with a sign."""

ZERO, ONE = np.uint64(0), np.uint64(1)

Integers: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]


# ---------------------------------------------------------------------- sorting

DIGITS, DIGIT_BITS = 6, 11
"""Numbers below 2 ** 63 are sorted by so many digits, from the lowest on."""


@kernel
def sort_numbers(values: Integers, scratch: Integers, counts: NDArray[np.int64]) -> None:
    """Sort numbers that are not negative: int64 (n,) twice, the second for intermediate results.

    ``counts`` is int64 (``DIGITS``, 2 ** ``DIGIT_BITS``).
    """
    if _count_digits(values, counts):
        return
    is_swapped = False
    for digit in range(DIGITS):
        if not _make_offsets(counts[digit], len(values)):
            continue
        from_, to = (scratch, values) if is_swapped else (values, scratch)
        for i in range(len(values)):
            bucket = (from_[i] >> (DIGIT_BITS * digit)) & ((1 << DIGIT_BITS) - 1)
            to[counts[digit, bucket]] = from_[i]
            counts[digit, bucket] += 1
        is_swapped = not is_swapped
    if is_swapped:
        for i in range(len(values)):
            values[i] = scratch[i]


@kernel
def order_numbers(
    values: Integers, order: Integers, scratch: Integers, counts: NDArray[np.int64]
) -> None:
    """Find the order in which numbers that are not negative rise; equal ones keep theirs.

    ``order`` and ``scratch`` are int64 (n,), ``counts`` as for :func:`sort_numbers`.
    """
    for i in range(len(values)):
        order[i] = i
    if _count_digits(values, counts):
        return
    is_swapped = False
    for digit in range(DIGITS):
        if not _make_offsets(counts[digit], len(values)):
            continue
        from_, to = (scratch, order) if is_swapped else (order, scratch)
        for i in range(len(values)):
            value = values[from_[i]]
            bucket = (value >> (DIGIT_BITS * digit)) & ((1 << DIGIT_BITS) - 1)
            to[counts[digit, bucket]] = from_[i]
            counts[digit, bucket] += 1
        is_swapped = not is_swapped
    if is_swapped:
        for i in range(len(order)):
            order[i] = scratch[i]


@kernel
def _count_digits(values: Integers, counts: NDArray[np.int64]) -> bool:
    """Count how often each digit occurs in each place; return True if the numbers rise already."""
    counts[:] = 0
    is_rising = True
    before = -1
    for i in range(len(values)):
        value = values[i]
        is_rising &= before <= value
        before = value
        for digit in range(DIGITS):
            counts[digit, (value >> (DIGIT_BITS * digit)) & ((1 << DIGIT_BITS) - 1)] += 1
    return is_rising


@kernel
def _make_offsets(counts: Integers, total: int) -> bool:
    """Make counts the index of the first of each; return False if all numbers are the same."""
    before = 0
    for i in range(len(counts)):
        if counts[i] == total:
            return False
        count = counts[i]
        counts[i] = before
        before += count
    return True


# ---------------------------------------------------------------------- order


@kernel
def order_depth_first(
    left: Integers, right: Integers, waiting: Bytes, roots: Integers, found: Integers
) -> int:
    """Order the ``waiting`` nodes so that each comes soon before the first that reads it.

    ``left`` and ``right`` are the literals that each node reads. ``found``, int64, has room for
    all nodes and for a stack that grows down from its end. Return how many nodes were found.
    """
    count = 0
    room = len(found)
    for i in range(len(roots)):
        node = roots[i] if waiting[roots[i]] else 0
        top = room
        while node:
            read = left[node] >> 1
            if not waiting[read]:
                read = right[node] >> 1
            if waiting[read]:
                top -= 1
                found[top] = node
                node = read
            else:
                waiting[node] = 0
                found[count] = node
                count += 1
                node = 0
                if top < room:
                    node = found[top]
                    top += 1
    return count


@kernel
def mark_what_is_read(left: Integers, right: Integers, is_marked: Mask, stack: Integers) -> None:
    """Mark the nodes that the first of a stack reads, and those that these read: bool (nodes,).

    ``left`` and ``right`` are the literals that each node reads. ``stack``, int64, has room for all
    nodes; it begins with their number, and with nodes that are marked.
    """
    count = stack[0]
    while count:
        node = stack[count]
        count -= 1
        for read in (left[node] >> 1, right[node] >> 1):
            if not is_marked[read]:
                is_marked[read] = True
                count += 1
                stack[count] = read


# ---------------------------------------------------------------------- gates


@kernel
def _slot(keys: Integers, key: int) -> int:
    """Find the slot of a key, or the empty one where it belongs."""
    mask = len(keys) - 1
    mixed = key * FACTOR
    slot = (mixed ^ (mixed >> 32)) & mask
    while keys[slot] not in (key, EMPTY):
        slot = (slot + 1) & mask
    return slot


class Pairs(NamedTuple):
    """Pairs of literals that are conjoined: int64 (n,) each.

    ``out`` is for their conjunctions, and ``new`` for the keys of those that there are not yet.
    """

    left: Integers
    right: Integers
    out: Integers
    new: Integers


@kernel
def find_gates(keys: Integers, values: Integers, pairs: Pairs, mark: int) -> int:
    """Conjoin pairs of literals as far as that needs no new gate.

    ``pairs.out`` is ``UNKNOWN`` where it does; the keys of these pairs, each once, are written to
    ``pairs.new``, and put into the table with the value ``mark``, a negative number that no call
    before had. Return how many they are.
    """
    count = 0
    for i in range(len(pairs.left)):
        low, high = min(pairs.left[i], pairs.right[i]), max(pairs.left[i], pairs.right[i])
        if low == 0 or low == high ^ 1:
            pairs.out[i] = 0
        elif low in (1, high):
            pairs.out[i] = high
        else:
            key = low << 32 | high
            slot = _slot(keys, key)
            if keys[slot] == EMPTY or (values[slot] < 0 and values[slot] != mark):
                keys[slot] = key
                values[slot] = mark
                pairs.new[count] = key
                count += 1
            pairs.out[i] = max(values[slot], UNKNOWN)
    return count


@kernel
def fill_gates(
    keys: Integers, values: Integers, left: Integers, right: Integers, out: Integers
) -> None:
    """Look up the pairs whose results are ``UNKNOWN``: int64 (n,) each."""
    for i in range(len(left)):
        if out[i] == UNKNOWN:
            key = min(left[i], right[i]) << 32 | max(left[i], right[i])
            out[i] = values[_slot(keys, key)]


@kernel
def look_up(keys: Integers, values: Integers, wanted: Integers, out: Integers) -> None:
    """Look up the values of keys: ``UNKNOWN`` where the table has none."""
    for i in range(len(wanted)):
        slot = _slot(keys, wanted[i])
        out[i] = max(values[slot], UNKNOWN) if keys[slot] != EMPTY else UNKNOWN


@kernel
def store(keys: Integers, values: Integers, given: Integers, of: Integers) -> int:
    """Put values ``of`` ``given`` keys into the table; return how many keys were new."""
    count = 0
    for i in range(len(given)):
        if given[i] != EMPTY:
            slot = _slot(keys, given[i])
            count += keys[slot] == EMPTY
            keys[slot] = given[i]
            values[slot] = of[i]
    return count


@kernel
def rewrite_gates(
    sides: NDArray[np.int64], keys: Integers, is_swapped: bool, out: Integers, rest: Integers
) -> int:
    """Fill in unknown conjunctions of which one literal is a gate that reads the other.

    ``sides``, int64 (2, room), are the literals that nodes read. The indices of pairs whose value
    is another conjunction are written to ``rest``; return their number.
    """
    count = 0
    for i in range(len(keys)):
        if out[i] != UNKNOWN:
            continue
        one, other = keys[i] >> 32, keys[i] & 0xFFFFFFFF
        if is_swapped:
            one, other = other, one
        first, second = sides[0, other >> 1], sides[1, other >> 1]
        if one in (first, second):
            if other & 1:
                rest[count] = i
                count += 1
            else:
                out[i] = other
        elif one ^ 1 in (first, second):
            out[i] = one if other & 1 else 0
    return count


# ---------------------------------------------------------------------- sets of moves


class SetGroups(NamedTuple):
    """Groups of sets of moves: the sets of a group stand one after the other.

    ``begin`` and ``length``, int64 (sets,), say where the moves of each set are in ``members``,
    int32, in which they rise; where ``is_most``, bool (sets,), is true, they are the other moves of
    the role. ``end``, int64 (groups,), is one over the last set of each group; ``first`` and
    ``moves`` are the first literal and the number of all moves of its role.
    """

    begin: Integers
    length: Integers
    is_most: Mask
    members: NDArray[np.int32]
    end: Integers
    first: Integers
    moves: Integers


class CombinedSets(NamedTuple):
    """What comes out of groups.

    ``chosen``, int64, are groups packed with their moves, rising, or with the other moves of the
    role where ``is_most``, bool (groups,), is true, which are fewer then. ``size``, int64 (1,), is
    how many.
    """

    chosen: Integers
    is_most: Mask
    size: Integers


@kernel
def combine_sets(given: SetGroups, is_union: bool, bits: Words, out: CombinedSets) -> None:
    """Unite or intersect the sets of each group.

    ``bits``, uint64 (2, words), has twice a bit for each move of any role, all of them clear.
    """
    out.size[0] = 0
    for group in range(len(given.end)):
        low, high = _span(given, group)
        size = _combine_group(given, group, is_union, bits)
        moves = given.moves[group]
        out.is_most[group] = 2 * size > moves
        if out.is_most[group]:
            low, high = 0, (moves + 63) >> 6
            _invert(bits[0], moves)
        where = group, given.first[group], out.size[0]
        out.size[0] = _write_moves(bits[0], (low, high), where, out.chosen)
        for word in range(low, high):
            bits[0, word] = ZERO


@kernel
def _begin_of(given: SetGroups, group: int) -> int:
    """The first set of a group."""
    return given.end[group - 1] if group else 0


@kernel
def _span(given: SetGroups, group: int) -> tuple[int, int]:
    """The words in which all moves of a group's sets are."""
    low, high = 2 * given.moves[group], 0
    for index in range(_begin_of(given, group), given.end[group]):
        if given.is_most[index]:
            low, high = 0, 2 * given.moves[group]
        elif given.length[index]:
            begin = given.begin[index]
            low = min(low, given.members[begin] - given.first[group])
            last = given.members[begin + given.length[index] - 1]
            high = max(high, last - given.first[group] + 2)
    return low >> 7, (high + 127) >> 7


@kernel
def _combine_group(given: SetGroups, group: int, is_union: bool, bits: Words) -> int:
    """Mark the moves of a group in the first bits; return their number."""
    low, high = _span(given, group)
    begin = _begin_of(given, group)
    for index in range(begin, given.end[group]):
        is_added = is_union or index == begin
        own = 0 if is_added and not given.is_most[index] else 1
        for i in range(given.begin[index], given.begin[index] + given.length[index]):
            move = (given.members[i] - given.first[group]) >> 1
            bits[own, move >> 6] |= ONE << np.uint64(move & 63)
        if own:
            if given.is_most[index]:
                _invert(bits[1], given.moves[group])
            for word in range(low, high):
                if is_added:
                    bits[0, word] |= bits[1, word]
                else:
                    bits[0, word] &= bits[1, word]
                bits[1, word] = ZERO
    size = 0
    for word in range(low, high):
        size += _population(bits[0, word])
    return size


@kernel
def _invert(bits: NDArray[np.uint64], moves: int) -> None:
    """Invert the bits of so many moves."""
    for word in range((moves + 63) >> 6):
        bits[word] = ~bits[word]
    if moves & 63:
        bits[moves >> 6] &= (ONE << np.uint64(moves & 63)) - ONE


@kernel
def _write_moves(
    bits: Words, words: tuple[int, int], where: tuple[int, int, int], out: Integers
) -> int:
    """Write a group packed with the moves that are marked; return the next index.

    ``where`` is the group, the first literal of the moves and the first index; the marks are in a
    range of ``words``.
    """
    group, first, index = where
    for word in range(words[0], words[1]):
        held = bits[word]
        while held:
            move = (word << 6) + _population((held & (ZERO - held)) - ONE)
            held &= held - ONE
            out[index] = group << 32 | (first + 2 * move)
            index += 1
    return index


@kernel
def _population(bits: np.uint64) -> int:
    """Count the bits that are set.

    Source: H. Warren, Hacker's Delight (2013), section 5-1.
    """
    bits -= (bits >> ONE) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + (
        (bits >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56)))
