"""The rows of a relation with their atoms, as arrays: there can be hundreds of thousands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Row: TypeAlias = tuple[int, ...]
"""The ids of an atom's arguments."""

NO_ATOM = -1
"""Stands for the atom of a row that there is not."""


class GroundRows(Mapping[Row, int]):
    """A mapping from rows to atoms; atom 0 always holds.

    ``arguments`` is int32 (rows, arity), ``atoms`` int32 (rows,). The dictionary that look-ups of
    single rows need is made with the first of them.
    """

    def __init__(self, arguments: NDArray[np.int32], atoms: NDArray[np.int32]) -> None:
        self.arguments = arguments
        self.atoms = atoms

    def __len__(self) -> int:
        return len(self.atoms)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._by_row)

    def __getitem__(self, row: Row) -> int:
        return self._by_row[row]

    @cached_property
    def _by_row(self) -> dict[Row, int]:
        return dict(zip(map(tuple, self.arguments.tolist()), self.atoms.tolist(), strict=True))

    def atoms_of(self, arguments: NDArray[np.int32]) -> NDArray[np.int64]:
        """Look up many rows, int32 (n, arity): int64 (n,), ``NO_ATOM`` where there is none."""
        base = 1 + max(int(each.max(initial=0)) for each in (arguments, self.arguments))
        if base ** self.arguments.shape[1] >= 2**63:
            found = [self.get(tuple(row), NO_ATOM) for row in arguments.tolist()]
            return np.array(found, dtype=np.int64)
        known, wanted = _as_numbers(self.arguments, base), _as_numbers(arguments, base)
        order = np.argsort(known)
        index = np.searchsorted(known, wanted, sorter=order)
        result = np.full(len(arguments), NO_ATOM, dtype=np.int64)
        is_known = index < len(known)
        candidate = order[index[is_known]]
        is_equal = known[candidate] == wanted[is_known]
        result[np.flatnonzero(is_known)[is_equal]] = self.atoms[candidate[is_equal]]
        return result


def _as_numbers(rows: NDArray[np.int32], base: int) -> NDArray[np.int64]:
    """Make one number of each row, whose arguments are its digits."""
    numbers = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        numbers = numbers * base + column
    return numbers
