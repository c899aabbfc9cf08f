"""Kernels that the solvers share: moves and goals in single lanes, sets of bits, hashes.

Here a *packed state* is uint64 (words,): fluent ``i`` is bit ``i % 64`` of word ``i // 64``. They
see a block as a :class:`gdl.engine.BlockView`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.engine.kernel_library import (
    BlockView,
    is_set,
    kernel,
    mixed,
    next_bit,
)

Words: TypeAlias = NDArray[np.uint64]


@kernel
def clear_moves(block: BlockView) -> None:
    """Clear the moves of all roles in all lanes."""
    block.rows[block.moves : block.moves + block.move_offsets[-1]] = 0


@kernel
def set_move(block: BlockView, lane: int, move: int) -> None:
    """Set a move, by its index among the moves of all roles, in one lane."""
    bit = np.uint64(1) << np.uint64(lane & 63)
    block.rows[block.moves + move, lane >> 6] |= bit


@kernel
def goal_of(block: BlockView, role: int, lane: int) -> int:
    """Return a role's lowest goal value in a lane, 0 if none holds."""
    for i in range(len(block.goal_table)):
        if block.goal_table[i, 0] == role and is_set(block.rows, block.goals + i, lane):
            return int(block.goal_table[i, 1])
    return 0


@kernel
def bits_between(bits: Words, lane: int, first: int, last: int, found: NDArray[np.int32]) -> int:
    """List the bits of a lane that are set from ``first`` up to ``last``, counted from ``first``.

    ``bits`` uint64 (lanes, words). They are written to the lane's line of ``found``, int32 (lanes,
    bits), from column ``first`` on. Returns their number.
    """
    count = 0
    bit = next_bit(bits, lane, first, last)
    while bit < last:
        found[lane, first + count] = bit - first
        count += 1
        bit = next_bit(bits, lane, bit + 1, last)
    return count


@kernel
def hash_of(states: Words, index: int, seed: int) -> np.uint64:
    """Return a 64-bit hash of one of the packed states uint64 (any, words)."""
    value = np.uint64(seed)
    for word in range(states.shape[1]):
        value = mixed(value ^ states[index, word])
    return value
