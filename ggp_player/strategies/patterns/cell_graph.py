"""Which cells belong together: how close the rules bring them, as gates of the circuit.

Every gate is given the cells that it speaks of, each with a share that halves with every gate on
the way. Where a gate joins two rows, the cells of one are joined to the cells of the other by the
product of their shares. So cells that are read in one conjunction of fluents are close, such as
those of a line or of a move, and so are neighbours of a path in recursive rules.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gdl.circuit import Layout
from gdl.engine.kernel_library import kernel
from ggp_player.strategies.patterns.cells import Cell

NEAREST = 8
"""The cells of which a gate is taken to speak, at most."""

FADING = 0.5
"""What is left of a cell's share after a gate."""

MAX_CELLS = 2_000
"""Cells beyond these are joined to none."""


def join_cells(layout: Layout, cells: Sequence[Cell]) -> NDArray[np.float32]:
    """How close any two cells are: float32 (cells, cells), symmetric, each scaled by its degree.

    There are ``MAX_CELLS`` rows and columns at most.
    """
    count = min(len(cells), MAX_CELLS)
    nearest = np.full((layout.rows, NEAREST), -1, np.int32)
    shares = np.zeros((layout.rows, NEAREST), np.float32)
    for number, cell in enumerate(cells[:count]):
        for fluent in cell.fluents:
            nearest[layout.fluents + fluent, 0] = number
            shares[layout.fluents + fluent, 0] = 1
    joined = np.zeros((count, count), np.float32)
    view = layout.view
    if len(view.feedback):  # Rows that are read before they are written.
        spread_over_gates(view.gates, nearest, shares, joined[:0])
        early, literals = view.feedback.T
        nearest[early], shares[early] = nearest[literals >> 1], shares[literals >> 1]
    spread_over_gates(view.gates, nearest, shares, joined)
    moves = sum(layout.move_counts)  # A move speaks of the cells that make it legal.
    nearest[layout.moves : layout.moves + moves] = nearest[layout.legal : layout.legal + moves]
    shares[layout.moves : layout.moves + moves] = shares[layout.legal : layout.legal + moves]
    spread_over_gates(layout.transition.gates, nearest, shares, joined)
    joined += joined.T
    degree = np.sqrt(joined.sum(axis=1) + 1e-9)
    result: NDArray[np.float32] = joined / (degree[:, None] * degree[None, :])
    return result


@kernel
def spread_over_gates(
    gates: NDArray[np.int32],
    nearest: NDArray[np.int32],
    shares: NDArray[np.float32],
    joined: NDArray[np.float32],
) -> None:
    """Spread the cells of rows over gates, and join cells, as the module says.

    ``gates`` int32 (n, 3): a row, and the two literals that it conjoins. ``nearest`` int32 and
    ``shares`` float32 (rows, NEAREST): the cells of a row, -1 for none. ``joined`` float32 (cells,
    cells) is added to, unless it is empty.
    """
    for gate in range(len(gates)):
        row, left, right = gates[gate, 0], gates[gate, 1] >> 1, gates[gate, 2] >> 1
        if left == 0 or right == 0:
            for i in range(NEAREST):
                nearest[row, i] = nearest[left + right, i]
                shares[row, i] = shares[left + right, i]
            continue
        count = _take_in_all(nearest, shares, row, 0, left)
        count = _take_in_all(nearest, shares, row, count, right)
        for i in range(count, NEAREST):
            nearest[row, i] = -1
        if len(joined):
            _join(nearest, shares, left, right, joined)


@kernel
def _join(
    nearest: NDArray[np.int32],
    shares: NDArray[np.float32],
    left: int,
    right: int,
    joined: NDArray[np.float32],
) -> None:
    """Join the cells of two rows."""
    for i in range(NEAREST):
        one = nearest[left, i]
        if one < 0:
            break
        for j in range(NEAREST):
            other = nearest[right, j]
            if other < 0:
                break
            if one != other:
                joined[one, other] += shares[left, i] * shares[right, j]


@kernel
def _take_in_all(
    nearest: NDArray[np.int32], shares: NDArray[np.float32], row: int, count: int, side: int
) -> int:
    """Add what is left of the cells of a side to those of a row; return their count."""
    for i in range(NEAREST):
        cell = nearest[side, i]
        if cell < 0:
            break
        count = _take_in(nearest, shares, row, count, cell, FADING * shares[side, i])
    return count


@kernel
def _take_in(
    nearest: NDArray[np.int32],
    shares: NDArray[np.float32],
    row: int,
    count: int,
    cell: int,
    share: float,
) -> int:
    """Add a cell's share to a row's, in place of the smallest if it is full; return the count."""
    smallest = 0
    for i in range(count):
        if nearest[row, i] == cell:
            shares[row, i] += share
            return count
        if shares[row, i] < shares[row, smallest]:
            smallest = i
    if count < NEAREST:
        nearest[row, count], shares[row, count] = cell, share
        return count + 1
    if share > shares[row, smallest]:
        nearest[row, smallest], shares[row, smallest] = cell, share
    return count
