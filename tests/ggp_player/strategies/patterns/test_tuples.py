"""Tuples are of close cells, each once, and within bounds."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp_player.strategies.patterns.cells import Cell
from ggp_player.strategies.patterns.tuples import MAX_CELLS, MAX_ENTRIES, draw_tuples


def ring(count: int, radix: int) -> tuple[list[Cell], np.ndarray]:
    """Cells in a ring, each joined to the next."""
    cells = [Cell(tuple(range(radix * i, radix * i + radix - 1))) for i in range(count)]
    joined = np.zeros((count, count), np.float32)
    for i in range(count):
        joined[i, (i + 1) % count] = joined[(i + 1) % count, i] = 1
    return cells, joined


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 20), st.integers(2, 100), st.integers(0, 40), st.integers(0, 5))
def test_tuples_are_distinct_and_bounded(count: int, radix: int, wanted: int, seed: int) -> None:
    cells, joined = ring(count, radix)
    tuples = draw_tuples(cells, joined, wanted, Random(seed))
    assert len(tuples) == len(set(tuples)) <= wanted
    for members in tuples:
        assert list(members) == sorted(set(members))
        assert 2 <= len(members) <= MAX_CELLS
        assert radix ** len(members) <= MAX_ENTRIES
    assert tuples == draw_tuples(cells, joined, wanted, Random(seed))


def test_tuples_are_walks() -> None:
    cells, joined = ring(20, 3)
    for members in draw_tuples(cells, joined, 50, Random(1)):
        gaps = np.diff([*members, members[0] + 20])
        assert sorted(gaps)[:-1] == [1] * (len(members) - 1)


def test_cells_that_nothing_joins_are_in_no_tuple() -> None:
    cells, joined = ring(5, 3)
    joined[:, 0] = joined[0, :] = 0
    assert not any(0 in members for members in draw_tuples(cells, joined, 20, Random(1)))
    assert draw_tuples(cells, 0 * joined, 20, Random(1)) == []
