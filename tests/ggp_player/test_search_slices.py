"""How long searches go on before their next choice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

import gdl
from ggp_player.search_slices import (
    NORMAL_SECONDS,
    set_slice_seconds,
    slice_seconds,
    slice_share,
)
from ggp_player.strategies import Position
from ggp_player.strategies.selection import create


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    set_slice_seconds(NORMAL_SECONDS)


def test_slices_are_those_of_a_match_unless_set() -> None:
    assert slice_seconds() == NORMAL_SECONDS
    assert slice_share() == 1
    set_slice_seconds(NORMAL_SECONDS / 4)
    assert slice_share() == 0.25


def test_slices_without_time_are_refused() -> None:
    with pytest.raises(ValueError, match="expected a positive number of seconds; found 0"):
        set_slice_seconds(0)


@pytest.mark.parametrize("spec", ["mcts:playouts=1000000", "proof:megabytes=1"])
def test_searches_do_less_between_two_choices(spec: str) -> None:
    machine = gdl.compile(gdl.load("connectFour"))
    position = Position(machine, machine.initial_state(), machine.roles[0])

    def work() -> int:
        *_, last = islice(create(spec).search(position), 16)
        return last.counts.playouts or last.counts.nodes or 0

    normal = work()
    set_slice_seconds(NORMAL_SECONDS / 10)
    assert work() < normal / 3
