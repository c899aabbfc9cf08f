"""Supports of cells, and the digits of cells that have some."""

from __future__ import annotations

import numpy as np
import pytest

from ggp_player.strategies.patterns.cells import Cell
from ggp_player.strategies.patterns.pattern_tables import find_indices, lay_out_tables
from ggp_player.strategies.patterns.supports import (
    FEWEST_STATES,
    MOST_SUPPORTS,
    find_supports,
    with_supports,
)

COLUMN = [Cell((0, 1)), Cell((2, 3)), Cell((4, 5))]
"""Three places one above the other, each for discs of two colours."""


def columns_of_discs(count: int) -> np.ndarray:
    """Sample states of the column, of as many discs as it can have."""
    random, states = np.random.default_rng(7), np.zeros((count, 6), np.uint8)
    for number in range(count):
        for level in range(number % 4):
            states[number, 2 * level + random.integers(2)] = 1
    return states


def test_a_disc_rests_on_the_place_below() -> None:
    assert find_supports(COLUMN, columns_of_discs(800)) == [(), (0,), (1,)]


def test_few_states_say_nothing() -> None:
    assert find_supports(COLUMN, columns_of_discs(FEWEST_STATES)) == [(), (), ()]
    assert find_supports([], np.zeros((0, 6), np.uint8)) == []


@pytest.mark.parametrize("sides", [2, MOST_SUPPORTS, MOST_SUPPORTS + 1])
def test_a_box_is_owned_with_all_its_sides(sides: int) -> None:
    random = np.random.default_rng(3)
    states = (random.random((4_000, sides + 1)) < 0.8).astype(np.uint8)
    states[:, sides] = states[:, :sides].all(axis=1)
    cells = [Cell((number,)) for number in range(sides + 1)]
    found = tuple(range(sides)) if sides <= MOST_SUPPORTS else ()
    assert find_supports(cells, states) == [()] * sides + [found]


def test_what_is_filled_soon_supports_nothing() -> None:
    states = columns_of_discs(800)
    begun = np.ones((800, 1), np.uint8)
    begun[::40] = 0
    begun[states.any(axis=1)] = 1
    cells = [*COLUMN, Cell((6,))]
    assert find_supports(cells, np.hstack([states, begun])) == [(), (0,), (1,), ()]


def test_the_digit_counts_supports_and_then_says_what_fills_the_cell() -> None:
    cells = with_supports(COLUMN, [(), (0,), (0, 1)])
    assert [cell.radix for cell in cells] == [3, 4, 5]
    tables = lay_out_tables(cells, [(0,), (1,), (2,)], [], 6)
    for fluents, digits in [
        ([], (0, 0, 0)),
        ([1], (2, 1, 1)),
        ([0, 2], (1, 2, 2)),
        ([0, 3, 4], (1, 3, 3)),
        ([1, 2, 5], (2, 2, 4)),
    ]:
        state = np.array([[sum(1 << fluent for fluent in fluents)]], np.uint64)
        indices = np.zeros((1, 3), np.uint16)
        find_indices(tables, state, 0, indices, 0)
        assert tuple(indices[0]) == digits
