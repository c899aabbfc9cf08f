"""Bits of states and of rows: transposed, counted, hashed; for NumPy and inside kernels.

A *packed state* has one bit per fluent, the first fluent in the lowest bit: uint8 (bytes,) where it
is kept, as in :class:`gdl.engine.machine.PropnetState`, and uint64 (S,) in kernels. A *row* is
uint64 (words,): bit ``i % 64`` of word ``i // 64`` belongs to lane ``i``. States become rows, and
rows states, by transposing squares of 64 x 64 bits.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.array_kernels import kernel

Packed: TypeAlias = NDArray[np.uint8]
"""uint8 (n, bytes): for each of n states or sets, its bits, eight to a byte, lowest first."""

Rows: TypeAlias = NDArray[np.uint64]
"""uint64 (rows, words): bit ``i % 64`` of word ``i // 64`` of each row belongs to lane ``i``."""

Words: TypeAlias = NDArray[np.uint64]
Values: TypeAlias = NDArray[np.uint8]

ONE = np.uint64(1)
ZERO = np.uint64(0)

_STEPS = (
    (np.uint64(7), np.uint64(0x00AA00AA00AA00AA)),
    (np.uint64(14), np.uint64(0x0000CCCC0000CCCC)),
    (np.uint64(28), np.uint64(0x00000000F0F0F0F0)),
)
"""How to transpose 8 x 8 bits in a word: bits to exchange and how far they move.

Source: H. Warren, Hacker's Delight (2013), section 7-3.
"""

# ---------------------------------------------------------------------- states and rows


def as_words(states: Packed) -> Words:
    """Return packed states as words: uint64 (n, S)."""
    padded = np.zeros((len(states), 8 * -(-states.shape[1] // 8)), dtype=np.uint8)
    padded[:, : states.shape[1]] = states
    return padded.view("<u8").astype(np.uint64, copy=False)


def packed_from_rows(rows: Rows) -> Packed:
    """Return the packed states of all lanes, uint8 (64 * words, bytes), of their rows."""
    count, lane_bytes = len(rows), 8 * rows.shape[1]
    size = -(-count // 8)
    padded = np.zeros((8 * size, lane_bytes), dtype=np.uint8)
    padded[:count] = rows.astype("<u8", copy=False).view(np.uint8)
    blocks = padded.reshape(size, 8, lane_bytes).transpose(0, 2, 1)
    turned = _transposed(np.ascontiguousarray(blocks))
    return np.ascontiguousarray(turned.reshape(size, 8 * lane_bytes).T)


def rows_from_packed(states: Packed, count: int, words: int) -> Rows:
    """Return ``count`` rows, uint64 (count, words), of at most ``64 * words`` packed states.

    The bits of the lanes beyond are 0.
    """
    if len(states) > 64 * words:
        raise ValueError(f"{len(states)} states do not fit into {64 * words} lanes")
    size, lane_bytes = -(-count // 8), 8 * words
    padded = np.zeros((size, 8 * lane_bytes), dtype=np.uint8)
    padded[:, : len(states)] = states.T
    turned = _transposed(padded.reshape(size, lane_bytes, 8))
    rows = np.ascontiguousarray(turned.transpose(0, 2, 1)).reshape(8 * size, lane_bytes)
    return rows[:count].view("<u8").astype(np.uint64, copy=False)


def _transposed(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Transpose the 8 x 8 bits in the last axis' bytes: uint8 (n, m, 8)."""
    value = blocks.view("<u8")
    for shift, mask in _STEPS:
        change = (value ^ (value >> shift)) & mask
        value = value ^ change ^ (change << shift)
    return value.view(np.uint8)


@kernel
def read_lanes(rows: Rows, first: int, count: int, states: Words) -> None:
    """Read ``count`` rows from ``first`` on, lane by lane, into ``states``, uint64 (lanes, S)."""
    square, spare = np.empty(64, np.uint64), np.empty(64, np.uint64)
    for lane in range(0, len(states), 64):
        used = min(64, len(states) - lane)
        for word in range(states.shape[1]):
            present = min(64, count - 64 * word)
            for i in range(present):
                square[i] = rows[first + 64 * word + i, lane >> 6]
            square[present:] = 0
            transpose(square, spare)
            for i in range(used):
                states[lane + i, word] = square[i]


@kernel
def write_lanes(
    rows: Rows, first: int, count: int, states: Words, chosen: NDArray[np.int64]
) -> None:
    """Write states into ``count`` rows from ``first`` on.

    ``states`` uint64 (any, S); ``chosen`` int64 (lanes used,): which of them, lane by lane. The
    lanes beyond, up to the next multiple of 64, become 0.
    """
    square, spare = np.empty(64, np.uint64), np.empty(64, np.uint64)
    for lane in range(0, len(chosen), 64):
        used = min(64, len(chosen) - lane)
        for word in range(states.shape[1]):
            for i in range(used):
                square[i] = states[chosen[lane + i], word]
            square[used:] = 0
            transpose(square, spare)
            for i in range(min(64, count - 64 * word)):
                rows[first + 64 * word + i, lane >> 6] = square[i]


@kernel
def transpose(square: Words, spare: Words) -> None:
    """Transpose 64 x 64 bits in place: uint64 (64,), with another one to work in.

    Each of six stages exchanges bits between the two halves of the square and shuffles their
    words together, which vectorises well.
    """
    _exchange(square, spare, 32, 0x00000000FFFFFFFF)
    _exchange(spare, square, 16, 0x0000FFFF0000FFFF)
    _exchange(square, spare, 8, 0x00FF00FF00FF00FF)
    _exchange(spare, square, 4, 0x0F0F0F0F0F0F0F0F)
    _exchange(square, spare, 2, 0x3333333333333333)
    _exchange(spare, square, 1, 0x5555555555555555)


@kernel
def _exchange(source: Words, target: Words, width: int, mask: int) -> None:
    shift, low_bits = np.uint64(width), np.uint64(mask)
    for i in range(32):
        low, high = source[i], source[i + 32]
        change = ((low >> shift) ^ high) & low_bits
        target[2 * i] = low ^ (change << shift)
        target[2 * i + 1] = high ^ change


# ---------------------------------------------------------------------- hashes


def hash_states(
    states: Packed, seed: int = 0, mask: NDArray[np.uint8] | None = None
) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each packed state: uint64 (n,).

    It is the same in every process and on every machine. Different states of at most 64 fluents
    have different hashes. ``seed``, 0 to 2**64 - 1, picks one of many functions. Only the bits of
    ``mask``, a packed set of fluents, count if there is one: uint8 (bytes,).
    """
    if mask is not None:
        states = states & mask
    value = np.full(len(states), seed, dtype=np.uint64)
    for column in as_words(states).T:
        value = _mix(value ^ column)
    return value


def _mix(value: Any) -> Any:  # noqa: ANN401 one word in a kernel, an array in NumPy
    """Mix the bits of a word, or of each word of an array; different words stay different.

    Source: G. Steele, D. Lea and C. Flood, Fast splittable pseudorandom number generators (2014).
    """
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


mixed = kernel(_mix)
"""Mix the bits of a word, in a kernel; different words stay different."""


@kernel
def hash_of(state: Words) -> np.uint64:
    """Hash a packed state, uint64 (S,), as :func:`hash_states` does with seed 0."""
    value = ZERO
    for word in range(state.shape[0]):
        value = mixed(value ^ state[word])
    return value


# ---------------------------------------------------------------------- single bits and lanes


@kernel
def get_state(rows: Rows, first: int, count: int, lane: int, state: Words) -> None:
    """Read one lane's state into a packed one, uint64 (S,)."""
    word, bit = lane >> 6, np.uint64(lane & 63)
    for index in range(state.shape[0]):
        state[index] = ZERO
    for fluent in range(count):
        value = (rows[first + fluent, word] >> bit) & ONE
        state[fluent >> 6] |= value << np.uint64(fluent & 63)


@kernel
def is_set(rows: Rows, row: int, lane: int) -> bool:
    """Check whether a row is true in a lane."""
    return bool(((rows[row, lane >> 6] >> np.uint64(lane & 63)) & ONE) == ONE)


@kernel
def first_lane(mask: Words) -> int:
    """Find the first lane of a mask, uint64 (W,); -1 where it is empty."""
    for word in range(mask.shape[0]):
        if mask[word] != ZERO:
            return word * 64 + lowest(mask[word])
    return -1


@kernel
def next_bit(bits: Words, lane: int, first: int, last: int) -> int:
    """Return the first bit of a lane that is set from ``first`` on, else ``last``."""
    bit = first
    while bit < last:
        rest = bits[lane, bit >> 6] >> np.uint64(bit & 63)
        if rest != 0:
            return min(bit + lowest(rest), last)
        bit = (bit | 63) + 1
    return last


@kernel
def count_bits(bits: Words, lane: int, first: int, last: int) -> int:
    """Count the bits of a lane that are set from ``first`` on and below ``last``."""
    count = 0
    for word in range(first >> 6, (last + 63) >> 6):
        value = bits[lane, word]
        if first > 64 * word:
            value &= ~np.uint64(0) << np.uint64(first - 64 * word)
        if last < 64 * word + 64:
            value &= (np.uint64(1) << np.uint64(last - 64 * word)) - np.uint64(1)
        count += population(value)
    return count


@kernel
def lowest(bits: np.uint64) -> int:
    """Find the lowest bit that is set; at least one is."""
    return population((bits & (ZERO - bits)) - ONE)


@kernel
def population(bits: np.uint64) -> int:
    """Count the bits that are set.

    Source: H. Warren, Hacker's Delight (2013), section 5-1.
    """
    bits -= (bits >> ONE) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + (
        (bits >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56)))


@kernel
def goal_values(rows: Rows, first: int, goal_table: np.ndarray, lane: int, values: Values) -> None:
    """Read each role's goal value in a lane into uint8 (R,): the lowest that holds, or 0."""
    for role in range(values.shape[0]):
        values[role] = 0
    last = -1
    for goal in range(goal_table.shape[0]):
        role = goal_table[goal, 0]
        if role != last and is_set(rows, first + goal, lane):
            values[role] = goal_table[goal, 1]
            last = role
