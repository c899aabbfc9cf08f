"""States and moves in the lanes of a block: single lanes written and read by kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl.engine.jit import kernel

Words = NDArray[np.uint64]
Values = NDArray[np.uint8]

ONE = np.uint64(1)
ZERO = np.uint64(0)


@kernel
def get_state(rows: Words, first: int, count: int, lane: int, state: Words) -> None:
    """Read a lane's state into a packed one, uint64 (S,)."""
    word, bit = lane >> 6, np.uint64(lane & 63)
    for place in range(state.shape[0]):
        state[place] = ZERO
    for fluent in range(count):
        value = (rows[first + fluent, word] >> bit) & ONE
        state[fluent >> 6] |= value << np.uint64(fluent & 63)


@kernel
def is_set(rows: Words, row: int, lane: int) -> bool:
    """Tell whether a row is true in a lane."""
    return bool(((rows[row, lane >> 6] >> np.uint64(lane & 63)) & ONE) == ONE)


@kernel
def first_lane(mask: Words) -> int:
    """Return the first lane of a mask, uint64 (W,), that is not empty."""
    for word in range(mask.shape[0]):
        if mask[word] != ZERO:
            return word * 64 + lowest(mask[word])
    return -1


@kernel
def lowest(bits: np.uint64) -> int:
    """Return the number of the lowest bit that is set; at least one is."""
    return population((bits & (ZERO - bits)) - ONE)


@kernel
def population(bits: np.uint64) -> int:
    """Return how many bits are set.

    Source: H. Warren, Hacker's Delight (2013), section 5-1.
    """
    bits -= (bits >> ONE) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + (
        (bits >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def hash_of(state: Words) -> np.uint64:
    """Return the hash of a packed state, uint64 (S,)."""
    value = ZERO
    for word in range(state.shape[0]):
        value = mixed(value ^ state[word])
    return value


@kernel
def mixed(value: np.uint64) -> np.uint64:
    """Mix the bits of a word; different words stay different.

    Source: G. Steele, D. Lea and C. Flood, Fast splittable pseudorandom number generators (2014).
    """
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@kernel
def goal_values(rows: Words, first: int, goal_table: np.ndarray, lane: int, values: Values) -> None:
    """Read each role's goal value in a lane into uint8 (R,): the lowest that holds, or 0."""
    for role in range(values.shape[0]):
        values[role] = 0
    last = -1
    for goal in range(goal_table.shape[0]):
        role = goal_table[goal, 0]
        if role != last and is_set(rows, first + goal, lane):
            values[role] = goal_table[goal, 1]
            last = role
