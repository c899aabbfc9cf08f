"""Arrays of numbers: what NumPy has not, or not fast enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl.circuit.native.kernels import DIGIT_BITS, DIGITS, order_numbers, sort_numbers
from gdl.circuit.native.kernels import Integers as Integers
from gdl.circuit.native.kernels import Mask as Mask

_Number = TypeVar("_Number", bound=np.generic)

_BITS = 32

MIN_SORTED_NATIVELY = 3_000
"""Shorter arrays are sorted by NumPy."""


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


def extended(values: NDArray[_Number], size: int, missing: int = 0) -> NDArray[_Number]:
    """Make an array of a larger size, and fill the rest of it."""
    found = np.full(size, missing, values.dtype) if missing else np.zeros(size, values.dtype)
    found[: len(values)] = values
    return found


def rising(values: Integers) -> Integers:
    """Sort values, which are not negative."""
    if len(values) < MIN_SORTED_NATIVELY:
        return np.sort(values)
    found = values.copy()
    sort_numbers(found, np.empty_like(found), _counts())
    return found


def sorting_order(values: Integers) -> Integers:
    """The order in which values, which are not negative, rise; equal ones keep theirs."""
    if len(values) < MIN_SORTED_NATIVELY:
        return np.argsort(values, kind="stable")
    values = np.ascontiguousarray(values)
    order = np.empty_like(values)
    order_numbers(values, order, np.empty_like(values), _counts())
    return order


def _counts() -> Integers:
    return np.empty((DIGITS, 1 << DIGIT_BITS), dtype=np.int64)


def distinct(values: Integers) -> Integers:
    """Sort values, which are not negative, and leave out repetitions."""
    ordered = rising(values)
    return ordered[_is_first(ordered)]


def _is_first(ordered: Integers) -> Mask:
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return is_first


@dataclass(frozen=True, slots=True)
class Groups:
    """Equal values of an array, as ``np.unique`` finds them: int64 each.

    ``value`` rises; ``first`` is where each value comes first, and ``count`` how often it comes.
    ``index`` is the group of each value of the array.
    """

    value: Integers
    first: Integers
    count: Integers
    index: Integers


def grouped(values: Integers) -> Groups:
    """Group equal values, which are not negative."""
    order = sorting_order(values)
    ordered = values[order]
    is_first = _is_first(ordered)
    index = np.empty(len(values), dtype=np.int64)
    index[order] = np.cumsum(is_first) - 1
    begins = np.flatnonzero(is_first)
    count = np.diff(begins, append=len(values))
    return Groups(ordered[begins], order[begins], count, index)


def ranges(begins: Integers, lengths: Integers) -> Integers:
    """Concatenate ranges of indices, such as those of some rows of a ragged array."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(begins - before, lengths) + np.arange(lengths.sum())


def ends_of_rows(lengths: Integers) -> Integers:
    """Where rows of some lengths begin, and where the last ends: int64 (rows + 1,)."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])


def first_of_rows(rows: Integers, count: int) -> Integers:
    """Where each row begins among sorted row numbers, and where the last ends: int64 (rows + 1,).

    There are ``count`` rows, or as many as the numbers tell.
    """
    return ends_of_rows(np.bincount(rows, minlength=count))
