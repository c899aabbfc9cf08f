"""Hashes of packed states, the same in every process and on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl.engine.packing import Packed, as_words

_MULTIPLIERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


def hash_states(
    states: Packed, seed: int = 0, mask: NDArray[np.uint8] | None = None
) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each packed state: uint64 (n,).

    Different states of at most 64 fluents have different hashes. ``seed``, 0 to 2**64 - 1, picks
    one of many functions. Only the bits of ``mask``, a packed set of fluents, count if there is
    one: uint8 (bytes,).
    """
    if mask is not None:
        states = states & mask
    value = np.full(len(states), seed, dtype=np.uint64)
    for column in as_words(states).T:
        value = _mixed(value ^ column)
    return value


def _mixed(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of words; different words stay different.

    Source: G. Steele, D. Lea and C. Flood, Fast splittable pseudorandom number generators (2014).
    """
    value = (value ^ (value >> _SHIFTS[0])) * _MULTIPLIERS[0]
    value = (value ^ (value >> _SHIFTS[1])) * _MULTIPLIERS[1]
    return value ^ (value >> _SHIFTS[2])
