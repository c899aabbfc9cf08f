"""A pool of arrays: those that nobody holds any more are handed out again.

For large arrays the system hands out fresh pages, and clears them, at each allocation: that takes
several times as long as filling them does. Whoever takes an array may keep it, or views of it, as
long as wanted: it is then not handed out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_ARRAYS = 8
"""As many are remembered; others are left to the system."""


class ArrayPool:
    """Arrays of one shape and type. For one thread."""

    def __init__(self, shape: tuple[int, ...], dtype: type[np.generic] = np.uint8) -> None:
        self._shape, self._dtype = shape, dtype
        self._arrays: list[NDArray[Any]] = []

    def zeros(self) -> NDArray[Any]:
        """Return zeros that nobody else has."""
        array = self.take()
        array.fill(0)
        return array

    def take(self) -> NDArray[Any]:
        """Return an array, with anything in it, that nobody else has."""
        for index in range(len(self._arrays)):
            if _references(self._arrays, index) == _UNUSED:
                return self._arrays[index]
        array = np.empty(self._shape, dtype=self._dtype)
        if len(self._arrays) < MOST_ARRAYS:
            self._arrays.append(array)
        return array


def _references(arrays: Sequence[Any], index: int) -> int:
    return sys.getrefcount(arrays[index])


_UNUSED = _references([np.empty(1)], 0)
"""What is counted for an array that only a list has; it depends on the version of Python."""
