"""The moves at the root of a tree: which visits decide, and which move is made."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from ggp_player.lab.positions.turns import replayed
from ggp_player.strategies.mcts import Settings, TreeSearch
from ggp_player.strategies.mcts.root_moves import (
    LATEST,
    MAX_SNAPSHOTS,
    LatestVisits,
    MoveStatistics,
    best_move,
    equally_good,
)
from tests.support.compiled_games import machine_of


@pytest.mark.parametrize(
    ("moves", "assured", "best"),
    [
        ([(40, 10, 0, 100), (60, 30, 0, 100)], 0, 1),
        ([(40, 90, 0, 100), (60, 30, 0, 100)], 0, 0),
        ([(90, 50, 0, 0), (20, 30, 0, 100)], 0, 1),
        ([(30, 90, 0, 100), (50, 1, 50, 50)], 50, 1),
        ([(70, 90, 0, 100), (50, 1, 50, 50)], 50, 0),
        ([(99, 90, 0, 100), (100, 1, 100, 100)], 100, 1),
        ([(0, 9, 0, 0), (0, 10, 0, 0)], 0, 1),
    ],
)
def test_the_move_to_make(
    moves: list[tuple[float, int, int, int]], assured: int, best: int
) -> None:
    known = [MoveStatistics(index, *numbers) for index, numbers in enumerate(moves)]
    assert best_move(known, assured).index == best


@pytest.mark.parametrize(("draw", "best"), [(0.0, 1), (0.24, 1), (0.26, 2), (0.999, 2)])
def test_the_move_to_make_at_a_simultaneous_move_node_is_drawn(draw: float, best: int) -> None:
    known = [
        MoveStatistics(0, 90, 50, 0, 20, 0.2),  # cannot be better than what is assured
        MoveStatistics(1, 40, 10, 0, 100, 0.2),
        MoveStatistics(2, 30, 10, 20, 100, 0.6),
    ]
    assert best_move(known, 20, draw).index == best


def test_moves_of_equal_proved_value() -> None:
    known = [
        MoveStatistics(0, 20, 9, 20, 20, others=80),
        MoveStatistics(1, 50, 9, 50, 50, others=50),
        MoveStatistics(2, 50, 9, 50, 50, others=20),
        MoveStatistics(3, 50, 1, 50, 50, others=20),
    ]
    assert [move.index for move in equally_good(known)] == [2, 3]
    assert best_move(known, 50).index == 2


def test_the_move_that_is_visited_now_is_made_though_another_has_more_visits() -> None:
    known = [
        MoveStatistics(0, 49, 900, 0, 100, latest=10),
        MoveStatistics(1, 52, 700, 0, 100, latest=200),
    ]
    assert best_move(known, 0).index == 1


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=3 * MAX_SNAPSHOTS))
def test_latest_visits_are_about_a_quarter_of_those_since_the_root_was_set(
    gained: list[tuple[int, int]],
) -> None:
    latest, visits = LatestVisits(), np.array([7, 3])
    latest.note(visits)
    for more in gained:
        visits = visits + np.array(more)
        latest.note(visits)
    found, all_new = latest.of(visits), int(visits.sum()) - 10
    assert ((found >= 0) & (found <= visits)).all()
    # The window begins at a snapshot, and as many as there are between two of those that are kept.
    spacing = 100 * (1 + len(gained) // (MAX_SNAPSHOTS // 2))
    assert LATEST * all_new <= found.sum() <= LATEST * all_new + spacing


def test_without_anything_noted_all_visits_count() -> None:
    assert LatestVisits().of(np.array([2, 5])).tolist() == [2, 5]


def test_latest_visits_of_a_search_begin_anew_with_the_root() -> None:
    machine = machine_of("connectFour")
    search = TreeSearch(machine, Settings(), 1, 2**24)
    search.set_root(machine.initial_state())
    for _ in range(8):
        search.run(200)
    known = search.moves(0)
    assert 0 < sum(move.latest for move in known) < sum(move.visits for move in known) / 2
    search.set_root(replayed(machine, [gdl.parse_term("(drop 4)")]))
    assert sum(move.visits for move in search.moves(1)) > 0
    assert not any(move.latest for move in search.moves(1))
    search.run(200)
    assert any(move.latest for move in search.moves(1))
