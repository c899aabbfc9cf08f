"""Surveys count what playouts show."""

from __future__ import annotations

import statistics
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.analysis import NONE, Distribution, take_survey
from gdl.playouts import Ending

RACE = """
(role a) (role b)
(init (left 3))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal a one) (true (left ?n)) (succ ?m ?n))
(<= (legal a two) (true (left ?n)) (succ ?m ?n) (succ ?k ?m))
(legal b noop)
(<= (next (left ?m)) (does a one) (true (left ?n)) (succ ?m ?n))
(<= (next (left ?k)) (does a two) (true (left ?n)) (succ ?m ?n) (succ ?k ?m))
(<= terminal (true (left 0)))
(<= (goal a 100) (true (left 0)))
"""


@given(st.lists(st.integers(0, 9), min_size=1))
def test_a_distribution_is_described_as_its_values_are(values: list[int]) -> None:
    distribution = Distribution()
    for value in values:
        distribution.add(value)
    assert len(distribution) == len(values)
    assert (distribution.least, distribution.most) == (min(values), max(values))
    assert distribution.mean == pytest.approx(statistics.fmean(values))
    assert distribution.median == statistics.median_low(values)
    assert distribution.share_above(4) == sum(value > 4 for value in values) / len(values)


def test_a_survey_counts_lengths_moves_and_goals() -> None:
    machine = gdl.interpret(gdl.parse(RACE))
    seen = []
    result = take_survey(machine, 50, seed=2, on_playout=lambda: seen.append(1))
    assert len(seen) == 50
    assert result.endings == Counter({Ending.TERMINAL: 50})
    assert set(result.lengths.counts) == {2, 3}
    assert len(result.lengths) == 50
    moves_of_a, moves_of_b = result.moves
    assert moves_of_b.counts == Counter({1: len(result.joint_moves)})
    assert moves_of_a.counts == result.joint_moves.counts
    assert len(result.joint_moves) == sum(n * k for n, k in result.lengths.counts.items())
    assert result.utilities_of(0) == Counter({100: 50})
    assert result.utilities_of(1) == Counter({NONE: 50})


def test_playouts_without_an_end_are_distinguished() -> None:
    machine = gdl.interpret(gdl.parse(RACE))
    result = take_survey(machine, 5, max_steps=1)
    assert result.endings == Counter({Ending.STEP_LIMIT: 5})
    assert len(result.lengths) == 0
    stuck = gdl.interpret(gdl.parse("(role a) (<= (legal a go) (true x)) (<= terminal (true y))"))
    assert take_survey(stuck, 2).endings == Counter({Ending.NO_MOVE: 2})


def test_one_seed_gives_one_survey() -> None:
    machine = gdl.interpret(gdl.parse(RACE))
    assert take_survey(machine, 20, seed=1) == take_survey(machine, 20, seed=1)
    assert take_survey(machine, 20, seed=1) != take_survey(machine, 20, seed=2)
