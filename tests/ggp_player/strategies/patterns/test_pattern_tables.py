"""Indices are the digits of cells, and moves change what they change."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from gdl.engine import as_words, packed_state
from ggp_player.strategies.patterns.cells import Cell
from ggp_player.strategies.patterns.pattern_tables import (
    PatternTables,
    add_up,
    find_entries,
    find_indices,
    find_phases,
    follow_moves,
    lay_out_tables,
    new_scratch,
)
from tests.support.compiled_games import machine_of
from tests.support.small_games import sampled

CELLS = [Cell((0, 1)), Cell((2,), (3,)), Cell((4, 5, 6))]
TABLES = lay_out_tables(CELLS, [(0,), (0, 1), (1, 2)], (3, 2), 7)


def indices_of(tables: PatternTables, states: np.ndarray) -> np.ndarray:
    found = np.zeros((len(states), len(tables.sizes)), np.uint16)
    for row in range(len(states)):
        find_indices(tables, states, row, found, row)
    return found


def test_an_index_has_a_digit_for_each_cell() -> None:
    assert TABLES.sizes.tolist() == [3, 6, 8]
    assert TABLES.firsts.tolist() == [0, 3, 9]
    assert (TABLES.entries, TABLES.phase_count) == (17, 2)
    states = np.array([[0b0001000], [0b0000001], [0b1000110], [0b0100000]], np.uint64)
    assert indices_of(TABLES, states).tolist() == [[0, 0, 0], [1, 1, 0], [2, 5, 7], [0, 0, 4]]
    phases = np.zeros(3, np.int32)
    find_phases(TABLES, states, 0, phases)
    assert phases.tolist() == [0, 0, 1]


def test_weights_are_added_up_and_indices_beyond_the_end_are_harmless() -> None:
    weights = np.arange(36, dtype=np.float32).reshape(18, 2)
    indices, entries = np.array([[2, 5, 65535]], np.uint16), np.zeros(3, np.uint32)
    find_entries(TABLES, indices, 0, entries)
    assert entries.tolist() == [2, 3 + 5, 9 + 7]
    for column in range(2):
        expected = weights[[*entries, 17], column].sum()
        assert add_up(weights, entries, np.uint32(column)) == expected


def test_following_moves_is_adding_up() -> None:
    machine, random = machine_of("kalah"), Random(3)
    fluents = len(machine.facts)
    cells = [Cell((fluent,)) for fluent in range(fluents)]
    tuples = [tuple(random.sample(range(fluents), 4)) for _ in range(60)]
    tables = lay_out_tables(cells, tuples, (), fluents)
    weights = np.random.default_rng(1).normal(0, 1, (tables.entries + 1, 3)).astype(np.float32)
    states = np.concatenate(
        [as_words(packed_state(machine, state)) for state in sampled(machine, 40, random)]
    )
    indices, entries = indices_of(tables, states), np.zeros(len(tables.sizes), np.uint32)
    parents = np.array([random.randrange(20) for _ in range(40)])
    phases, found = np.arange(40, dtype=np.int32) % 3, np.zeros((40, 1), np.float32)
    follow_moves(
        tables,
        weights,
        (states, indices),
        parents,
        parents,
        (states, phases),
        0,
        found,
        new_scratch(tables, weights),
    )
    for row in range(40):
        find_entries(tables, indices, row, entries)
        expected = add_up(weights, entries, np.uint32(phases[row]))
        assert found[row, 0] == pytest.approx(expected, abs=1e-4)


def test_images_of_a_tuple_share_its_weights() -> None:
    cells = [Cell((0, 1)), Cell((2, 3)), Cell((4,))]
    images = np.array([[0, 1, 2, 3, 4], [2, 3, 0, 1, 4]], np.int32)
    tables = lay_out_tables(cells, [(0,), (1,), (0, 2)], (), 5, images)
    assert tables.sizes.tolist() == [3, 3, 6, 6]
    assert tables.firsts.tolist() == [0, 0, 3, 3]
    assert tables.entries == 9
    states = np.array([[0b10010], [0b11000]], np.uint64)
    assert indices_of(tables, states).tolist() == [[2, 0, 5, 3], [0, 2, 3, 5]]


def test_an_image_that_tells_the_same_apart_is_no_table() -> None:
    images = np.array([[0, 1, 2, 3], [2, 3, 0, 1], [1, 0, 3, 2]], np.int32)
    tables = lay_out_tables([Cell((0, 1)), Cell((2, 3))], [(0,), (0, 1)], (), 4, images)
    assert tables.sizes.tolist() == [3, 3, 9]
    assert tables.firsts.tolist() == [0, 0, 3]


def test_symmetries_that_change_the_phase_are_left_out() -> None:
    images = np.array([[0, 1, 2, 3], [1, 0, 3, 2]], np.int32)
    tables = lay_out_tables([Cell((0,)), Cell((1,))], [(0,), (1,)], (2, 3), 4, images)
    assert tables.firsts.tolist() == [0, 2]


def test_tables_that_tell_other_digits_apart_are_not_the_same() -> None:
    """In quarto a line has a table for each way in which its pieces can be alike."""
    cells = [Cell((0, 1, 2)), Cell((0, 1, 2), digits=(1, 1, 2)), Cell((0, 1, 2), digits=(1, 2, 2))]
    again = Cell((2, 1, 0), digits=(2, 1, 1))
    tables = lay_out_tables([*cells, again], [(0,), (1,), (2,), (3,)], (), 3)
    assert tables.sizes.tolist() == [4, 3, 3]


def test_tables_of_tuples_that_are_alike_count_digits_and_share_weights() -> None:
    cells = [Cell((0, 1)), Cell((2, 3)), Cell((4, 5))]
    images = np.array([[0, 1, 2, 3, 4, 5], [4, 5, 2, 3, 0, 1]], np.int32)
    tables = lay_out_tables(cells, [(0,)], (), 6, images, alike=[[(0, 1), (1, 2)]])
    assert tables.sizes.tolist() == [3, 3, 9, 9]  # an image of a tuple that is alike is there once
    assert tables.firsts.tolist() == [0, 0, 3, 3]
    states = np.array([[0b000101], [0b100110], [0b001001]], np.uint64)
    # How many have digit 1, and thrice how many have digit 2.
    assert indices_of(tables, states)[:, 2:].tolist() == [[2, 1], [1 + 3, 1 + 3], [1 + 3, 3]]
