"""Packing: rows of lanes turned into states of bits, and back.

A *packed state* is what :class:`gdl.engine.machine.PropnetState` holds: one bit per fluent, eight
to a byte, the first fluent in the lowest bit. Packed states are uint8 (states, bytes).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Packed: TypeAlias = NDArray[np.uint8]
"""uint8 (n, bytes): for each of n states or sets, its bits, eight to a byte, lowest first."""

Rows: TypeAlias = NDArray[np.uint64]
"""uint64 (rows, words): bit ``i % 64`` of word ``i // 64`` of each row belongs to lane ``i``."""

_STEPS = (
    (np.uint64(7), np.uint64(0x00AA00AA00AA00AA)),
    (np.uint64(14), np.uint64(0x0000CCCC0000CCCC)),
    (np.uint64(28), np.uint64(0x00000000F0F0F0F0)),
)
"""How to transpose 8 x 8 bits in a word: bits to exchange and how far apart they are.

Source: H. Warren, Hacker's Delight (2013), section 7-3.
"""


def as_words(states: Packed) -> Rows:
    """Return packed states as words: uint64 (n, words), the first fluent in the lowest bit."""
    padded = np.zeros((len(states), 8 * -(-states.shape[1] // 8)), dtype=np.uint8)
    padded[:, : states.shape[1]] = states
    return padded.view("<u8").astype(np.uint64, copy=False)


def packed_from_rows(rows: Rows) -> Packed:
    """Return the lanes' bits, uint8 (64 * words, bytes), of rows, uint64 (rows, words)."""
    count, lane_bytes = len(rows), 8 * rows.shape[1]
    size = -(-count // 8)
    padded = np.zeros((8 * size, lane_bytes), dtype=np.uint8)
    padded[:count] = rows.astype("<u8", copy=False).view(np.uint8)
    blocks = padded.reshape(size, 8, lane_bytes).transpose(0, 2, 1)
    turned = _transposed(np.ascontiguousarray(blocks))
    return np.ascontiguousarray(turned.reshape(size, 8 * lane_bytes).T)


def rows_from_packed(states: Packed, count: int, words: int) -> Rows:
    """Return ``count`` rows, uint64 (count, words), of at most ``64 * words`` lanes' bits.

    The bits of the lanes beyond are 0.
    """
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
