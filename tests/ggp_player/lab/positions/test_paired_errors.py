"""Errors of two searches on the same positions."""

from __future__ import annotations

from itertools import product
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.lab.positions.forked_searches import Setting
from ggp_player.lab.positions.position_test import PairedErrors, SetResult, paired


def test_p_values_are_those_of_the_binomial_test() -> None:
    assert PairedErrors(0, 0).p_value == 1
    assert PairedErrors(1, 9).p_value == pytest.approx(22 / 1024)
    assert PairedErrors(0, 5).p_value == pytest.approx(2 / 32)
    assert PairedErrors(5, 5).p_value == 1
    assert 0 <= PairedErrors(400, 1600).p_value < 1e-100


@given(st.integers(0, 8), st.integers(0, 8))
def test_p_values_count_outcomes_as_extreme(first: int, second: int) -> None:
    tosses = first + second
    outcomes = [abs(2 * sum(toss) - tosses) for toss in product((0, 1), repeat=tosses)]
    extreme = sum(outcome >= abs(first - second) for outcome in outcomes)
    assert PairedErrors(first, second).p_value == pytest.approx(extreme / 2**tosses)
    assert PairedErrors(second, first).p_value == PairedErrors(first, second).p_value


def test_verdicts_name_who_errs_less_often() -> None:
    assert PairedErrors(20, 2).verdict == "the second errs less often"
    assert PairedErrors(2, 20).verdict == "the first errs less often"
    assert PairedErrors(11, 9).verdict == "no difference that chance could not make"


def test_pairs_are_counted_position_by_position() -> None:
    found = paired([True, True, False, False, True], [True, False, True, False, False])
    assert found == PairedErrors(only_first=2, only_second=1)
    with pytest.raises(ValueError, match="is shorter than argument 1"):
        paired([True], [])


def test_shares_have_standard_errors() -> None:
    setting = Setting("mcts", 0.1)
    result = SetResult(setting, "nim", (), [True] * 20 + [False] * 80)
    assert result.share == 0.2
    assert result.standard_error == pytest.approx(sqrt(0.2 * 0.8 / 100))
    nothing = SetResult(setting, "nim", (), ())
    assert nothing.share == nothing.standard_error == 0
