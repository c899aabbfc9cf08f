"""Images of packed states under symmetries, and which of them stands for all.

Kernels here take arrays only. A packed state is uint64 (S,): fluent ``i`` is bit ``i % 64`` of word
``i // 64``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import Layout
from gdl.engine.jit import kernel
from gdl.engine.lane_bits import ONE, ZERO, lowest

Words = NDArray[np.uint64]
Places = NDArray[np.int32]

MAX_ELEMENTS = 64
"""Elements of a group at most: a set of them is a word."""


class SymmetryGroup(NamedTuple):
    """A group of symmetries that keep every role in its place, the one that changes nothing first.

    ``facts`` int32 (elements, fluents) and ``moves`` int32 (elements, moves): what each becomes, by
    its place; moves are counted role after role. ``sources`` int32 (elements, moved): what becomes
    each fluent that is not always its own image; the first line are these themselves.
    """

    facts: Places
    moves: Places
    sources: Places


def group_of_permutations(facts: Places, moves: Places) -> SymmetryGroup:
    """Return a group from what its elements make of facts and moves."""
    moved = np.flatnonzero((facts != facts[0]).any(axis=0))
    sources = np.ascontiguousarray(np.argsort(facts, axis=1)[:, moved], np.int32)
    return SymmetryGroup(facts, moves, sources)


def trivial_group(layout: Layout) -> SymmetryGroup:
    """Return the group that changes nothing."""
    fluents = np.arange(layout.fluent_count, dtype=np.int32)
    moves = np.arange(sum(layout.move_counts), dtype=np.int32)
    return group_of_permutations(fluents[None, :], moves[None, :])


@kernel
def make_canonical(images: SymmetryGroup, state: Words, spare: Words) -> int:
    """Turn a state into the least of its images; return which element does so.

    The least is false in the first fluent in which it differs from another. ``spare`` uint64 (S,).
    """
    least = 0
    for element in range(1, images.sources.shape[0]):
        if _is_less(images.sources[element], images.sources[least], state):
            least = element
    if least:
        _permute(images.facts[least], state, spare)
    return least


@kernel
def make_all_canonical(
    images: SymmetryGroup, states: Words, spare: Words, elements: Places
) -> None:
    """Turn states, uint64 (any, S), into the least of their images; note which elements do so."""
    for number in range(states.shape[0]):
        elements[number] = make_canonical(images, states[number], spare)


@kernel
def _is_less(sources: Places, others: Places, state: Words) -> bool:
    for place in range(sources.shape[0]):
        other = _bit(state, others[place])
        if _bit(state, sources[place]) != other:
            return other
    return False


@kernel
def _bit(bits: Words, place: int) -> bool:
    return bool(((bits[place >> 6] >> np.uint64(place & 63)) & ONE) == ONE)


@kernel
def _permute(becomes: Places, bits: Words, spare: Words) -> None:
    """Move bits, uint64 (any,), to the places that they become, int32 (bits,)."""
    for word in range(bits.shape[0]):
        spare[word] = bits[word]
        bits[word] = ZERO
    for word in range(bits.shape[0]):
        left = spare[word]
        while left != ZERO:
            target = becomes[64 * word + lowest(left)]
            left &= left - ONE
            bits[target >> 6] |= ONE << np.uint64(target & 63)


@kernel
def elements_fixing(images: SymmetryGroup, state: Words) -> np.uint64:
    """Return the elements that leave a state as it is, each a bit, but for the first."""
    found = ZERO
    for element in range(1, images.sources.shape[0]):
        if _is_fixed(images.sources[element], images.sources[0], state):
            found |= ONE << np.uint64(element)
    return found


@kernel
def _is_fixed(sources: Places, moved: Places, state: Words) -> bool:
    for place in range(sources.shape[0]):
        if _bit(state, sources[place]) != _bit(state, moved[place]):
            return False
    return True


@kernel
def is_canonical(images: SymmetryGroup, elements: np.uint64, move: int) -> bool:
    """Tell whether none of some elements, each a bit, makes an earlier move of a move."""
    while elements != ZERO:
        if images.moves[lowest(elements), move] < move:
            return False
        elements &= elements - ONE
    return True
