"""The canonical state among those that a symmetry group turns into one another.

Kernels here take arrays only. A packed state is uint64 (S,): fluent ``i`` is bit ``i % 64`` of word
``i // 64``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl.array_kernels import kernel
from gdl.circuit import Layout
from gdl.engine.bits import ONE, ZERO, lowest

Words = NDArray[np.uint64]
Indices = NDArray[np.int32]

MAX_ELEMENTS = 64
"""The most elements of a group: a set of them is one word."""


class SymmetryGroup(NamedTuple):
    """A group of symmetries that map every role to itself; the identity comes first.

    ``facts`` int32 (elements, fluents) and ``moves`` int32 (elements, moves): the index that each
    is mapped to; moves are counted role after role. ``sources`` int32 (elements, moved): what is
    mapped to each fluent that some element moves; row 0 has these fluents themselves.
    """

    facts: Indices
    moves: Indices
    sources: Indices


def group_of_permutations(facts: Indices, moves: Indices) -> SymmetryGroup:
    """Make a group of what its elements make of facts and moves."""
    moved = np.flatnonzero((facts != facts[0]).any(axis=0))
    sources = np.ascontiguousarray(np.argsort(facts, axis=1)[:, moved], np.int32)
    return SymmetryGroup(facts, moves, sources)


def trivial_group(layout: Layout) -> SymmetryGroup:
    """Make the group of the identity alone."""
    fluents = np.arange(layout.fluent_count, dtype=np.int32)
    moves = np.arange(sum(layout.move_counts), dtype=np.int32)
    return group_of_permutations(fluents[None, :], moves[None, :])


@kernel
def make_canonical(symmetries: SymmetryGroup, state: Words, spare: Words) -> int:
    """Turn a state into its canonical state; return the element that does so.

    That is the least of the states that the group makes of it: the one that is false in the first
    fluent in which two differ. ``spare`` uint64 (S,).
    """
    least = 0
    for element in range(1, symmetries.sources.shape[0]):
        if _is_less(symmetries.sources[element], symmetries.sources[least], state):
            least = element
    if least:
        _permute(symmetries.facts[least], state, spare)
    return least


@kernel
def make_all_canonical(
    symmetries: SymmetryGroup, states: Words, spare: Words, elements: Indices
) -> None:
    """Turn states, uint64 (any, S), into their canonical states; note the elements that do so."""
    for number in range(states.shape[0]):
        elements[number] = make_canonical(symmetries, states[number], spare)


@kernel
def _is_less(sources: Indices, others: Indices, state: Words) -> bool:
    for index in range(sources.shape[0]):
        other = _bit(state, others[index])
        if _bit(state, sources[index]) != other:
            return other
    return False


@kernel
def _bit(bits: Words, index: int) -> bool:
    return bool(((bits[index >> 6] >> np.uint64(index & 63)) & ONE) == ONE)


@kernel
def _permute(becomes: Indices, bits: Words, spare: Words) -> None:
    """Move bits, uint64 (any,), each to the index that it becomes, int32 (bits,)."""
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
def elements_fixing(symmetries: SymmetryGroup, state: Words) -> np.uint64:
    """Return the elements that fix a state, each a bit, without the identity."""
    found = ZERO
    for element in range(1, symmetries.sources.shape[0]):
        if _is_fixed(symmetries.sources[element], symmetries.sources[0], state):
            found |= ONE << np.uint64(element)
    return found


@kernel
def _is_fixed(sources: Indices, moved: Indices, state: Words) -> bool:
    for index in range(sources.shape[0]):
        if _bit(state, sources[index]) != _bit(state, moved[index]):
            return False
    return True


@kernel
def is_canonical(symmetries: SymmetryGroup, elements: np.uint64, move: int) -> bool:
    """Check whether none of some elements, each a bit, turns a move into an earlier one."""
    while elements != ZERO:
        if symmetries.moves[lowest(elements), move] < move:
            return False
        elements &= elements - ONE
    return True
