"""Supports of cells: what is always filled where they are, as the square below a disc is.

A cell is filled where one of its fluents holds. Of how many supports an empty cell has, its digit
can tell: in connect four an empty square can be filled now where the one below is, and in dots and
boxes a box without an owner has so many sides. Supports are found in sampled states, as cells are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ggp_player.strategies.patterns.cell_graph import MAX_CELLS
from ggp_player.strategies.patterns.cells import Cell

FEWEST_STATES = 50
"""Sampled states in which a cell must be filled, and empty, and in which it must be empty and a
support filled."""

LACKING = 0.2
"""A support is empty in this part of the states at least in which the cell is: what is filled soon
after the beginning is none."""

MOST_SUPPORTS = 4
"""A cell with more has none."""


def find_supports(cells: Sequence[Cell], states: NDArray[np.uint8]) -> list[tuple[int, ...]]:
    """Find each cell's supports, by index, in sampled states, uint8 (n, fluents).

    Supports of supports are left out. Where cells are very many, none has any.
    """
    if len(cells) > MAX_CELLS:
        return [()] * len(cells)
    columns = [states[:, list(cell.fluents)].any(axis=1) for cell in cells]
    filled = np.array(columns, np.float32).reshape(len(cells), len(states))
    empty = 1 - filled
    fills, lacks = filled.sum(axis=1), empty.sum(axis=1)
    is_lacking = empty @ empty.T >= LACKING * lacks[:, None]
    is_support = (filled @ empty.T == 0) & is_lacking & (empty @ filled.T >= FEWEST_STATES)
    is_support[np.minimum(fills, lacks) < FEWEST_STATES] = False
    further = is_support.astype(np.float32) @ is_support.astype(np.float32) > 0
    found = [tuple(np.flatnonzero(row).tolist()) for row in is_support & ~further]
    return [own if len(own) <= MOST_SUPPORTS else () for own in found]


def with_supports(cells: Sequence[Cell], supports: Sequence[tuple[int, ...]]) -> list[Cell]:
    """Make cells whose digit says how many of their supports, by index, are filled.

    What fills a cell comes after that, as all of its supports are filled then.
    """
    found = []
    for cell, own in zip(cells, supports, strict=True):
        below = tuple(fluent for other in own for fluent in cells[other].fluents)
        digits = cell.digits + (1,) * len(below)
        fluents = cell.fluents + below
        found.append(replace(cell, fluents=fluents, digits=digits, supports=len(own)))
    return found
