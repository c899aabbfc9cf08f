"""Arrays of numbers: what NumPy has not, or not fast enough."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

_BITS = 32


def pack(high: Integers, low: Integers) -> Integers:
    """Make one number of two, each below 2 ** 31, in whose order the first counts more."""
    packed: Integers = high << _BITS | low
    return packed


def unpack(packed: Integers) -> tuple[Integers, Integers]:
    """Return the two numbers that were packed into one."""
    return packed >> _BITS, packed & (1 << _BITS) - 1


def raised(packed: Integers, by: int) -> Integers:
    """Add a number to the first of the numbers that were packed into one."""
    return packed + (by << _BITS)


def distinct(values: Integers) -> Integers:
    """Sort values and leave out repetitions.

    On large arrays this is much faster than ``np.unique``, which also imports all of ``np.ma``.
    """
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def ranges(begins: Integers, lengths: Integers) -> Integers:
    """Concatenate ranges of indices, such as those of some rows of a ragged array."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(begins - before, lengths) + np.arange(lengths.sum())


def ends_of_rows(lengths: Integers) -> Integers:
    """Where rows of some lengths begin, and where the last ends: int64 (rows + 1,)."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
