"""Tuples of cells, over each of which a table has a weight for every combination of digits.

Source: W. Bledsoe and I. Browning, Pattern recognition and reading by machine (1959), for
n-tuples; S. Lucas, Learning to play Othello with n-tuple systems (2008), for random walks.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from ggp_player.strategies.patterns.cells import Cell

MAX_CELLS = 8
"""Cells of a tuple at most."""

MAX_ENTRIES, LARGE_ENTRIES = 8_192, 65_536
"""Combinations of digits of a tuple at most: usually, and where cells have supports."""

ATTEMPTS = 4
"""How often a tuple that is there already is drawn anew."""

STEPS = 100
"""Steps of a random walk at most."""

Tuple = tuple[int, ...]
"""Cells by index, rising."""


def draw_tuples(
    cells: Sequence[Cell],
    joined: NDArray[np.float32],
    count: int,
    random: Random,
    most_entries: int = MAX_ENTRIES,
) -> list[Tuple]:
    """Draw tuples by random walks over cells that are joined: each cell begins as many.

    ``joined`` float32 (n, n), of the first n cells. There can be fewer tuples than asked for; each
    has at most so many entries.
    """
    totals = np.cumsum(joined, axis=1, dtype=np.float64)
    starts = [number for number in range(len(joined)) if totals[number, -1] > 0]
    random.shuffle(starts)
    found: dict[Tuple, None] = {}
    if not starts:
        return []
    for number in range(count):
        for _ in range(ATTEMPTS):
            start = starts[number % len(starts)]
            drawn = _walk(cells, totals, start, random, most_entries)
            if len(drawn) > 1 and drawn not in found:
                found[drawn] = None
                break
    return list(found)


def _walk(
    cells: Sequence[Cell],
    totals: NDArray[np.float64],
    start: int,
    random: Random,
    most_entries: int,
) -> Tuple:
    """Walk from a cell until the tuple has as many cells, or entries, as it may have."""
    chosen, entries, place = {start}, cells[start].radix, start
    for _ in range(STEPS):
        place = int(np.searchsorted(totals[place], random.random() * totals[place, -1], "right"))
        if place in chosen:
            continue
        entries *= cells[place].radix
        if entries > most_entries:
            break
        chosen.add(place)
        if len(chosen) == MAX_CELLS:
            break
    return tuple(sorted(chosen))
