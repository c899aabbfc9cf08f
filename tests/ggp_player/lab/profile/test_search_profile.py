"""One search is measured component by component, and ends in time."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import gdl
from ggp_player.lab.profile.search_profile import CpuClocks, SearchProfile, SearchProfiler
from ggp_player.strategies import (
    Choice,
    Component,
    Position,
    Strategy,
    Usage,
    component,
    tally,
)
from tests.support.clocks import FakeCpuClock

MACHINE = gdl.interpret(gdl.load("ticTacToe"))


class Scripted(Strategy):
    """Spends CPU time as told: each turn the tree search 3 s, the proof 1 s, itself 0.5 s."""

    name = "scripted"

    def __init__(self, clock: FakeCpuClock, turns: int = 1000) -> None:
        self._clock = clock
        self._turns = turns
        self._learning: Iterator[None] | None = None

    def search(self, position: Position) -> Iterator[Choice]:
        move = position.legal_moves[0]
        searches = self._tree_search(), self._proof()
        self._learning = learning = self._learning or self._learn()
        for number in range(1, self._turns + 1):
            self._clock.spend(0.5)
            next(learning, None)
            for search in searches:
                next(search)
            yield Choice(move, 50, proved=number == self._turns)

    @component(Component.TREE_SEARCH)
    def _tree_search(self) -> Iterator[None]:
        while True:
            self._clock.spend(3)
            tally(playouts=100)
            yield

    @component(Component.PROOF)
    def _proof(self) -> Iterator[None]:
        for depth in range(1, 1000):
            self._clock.spend(1)
            tally(nodes=7, depth=depth)
            yield

    @component(Component.DUELS)
    def _learn(self) -> Iterator[None]:
        for _ in range(2):
            self._clock.spend(10)
            yield


class Endless(Strategy):
    """Never comes to a second choice."""

    name = "endless"

    def __init__(self, clock: FakeCpuClock) -> None:
        self._clock = clock

    def search(self, position: Position) -> Iterator[Choice]:
        yield Choice(position.legal_moves[0])
        while position.legal_moves:
            self._clock.spend(1)


@pytest.fixture
def clock() -> FakeCpuClock:
    return FakeCpuClock()


def profiler_of(strategy: Strategy, clock: FakeCpuClock) -> SearchProfiler:
    return SearchProfiler(strategy, MACHINE, CpuClocks(clock, clock))


def beginning(profiler: SearchProfiler) -> Position:
    machine = profiler.machine
    return Position(machine, machine.initial_state(), machine.roles[0], Random(0))


def test_components_have_their_shares(clock: FakeCpuClock) -> None:
    profiler = profiler_of(Scripted(clock), clock)
    profile = profiler.search(beginning(profiler), 0, seconds=42)
    # Two turns with 10 s of learning, and three without: 29 + 13.5 s.
    seconds = {which: usage.seconds for which, usage in profile.used.items()}
    assert seconds == {
        Component.OTHER: 2.5,
        Component.DUELS: 20,
        Component.TREE_SEARCH: 15,
        Component.PROOF: 5,
    }
    assert (profile.seconds, profile.elsewhere, profile.is_proved) == (42.5, 0, False)
    assert profile.searching == 22.5
    assert profile.share_of_searching(Component.PROOF) == pytest.approx(5 / 22.5)
    assert profile.share_of_searching(Component.SERIES) == 0
    assert profile.used[Component.TREE_SEARCH].counts == {"playouts": 500}
    assert (profile.used[Component.PROOF].counts["nodes"], profile.used[Component.PROOF].depth) == (
        35,
        5,
    )


def test_what_goes_on_from_position_to_position_is_measured_in_both(clock: FakeCpuClock) -> None:
    profiler = profiler_of(Scripted(clock), clock)
    first = profiler.search(beginning(profiler), 0, seconds=1)
    second = profiler.search(beginning(profiler), 4, seconds=1)
    third = profiler.search(beginning(profiler), 8, seconds=1)
    assert [p.seconds_of(Component.DUELS) for p in (first, second, third)] == [10, 10, 0]
    assert [p.plies for p in (first, second, third)] == [0, 4, 8]


def test_a_proof_ends_the_search(clock: FakeCpuClock) -> None:
    profiler = profiler_of(Scripted(clock, turns=2), clock)
    profile = profiler.search(beginning(profiler), 0, seconds=1000)
    assert (profile.is_proved, profile.seconds) == (True, 29)


def test_searches_on_interpreted_rules_are_interrupted(clock: FakeCpuClock) -> None:
    profiler = profiler_of(Endless(clock), clock)
    profile = profiler.search(beginning(profiler), 0, seconds=6)
    assert (profile.seconds, profile.is_proved) == (6, False)
    assert profile.used.keys() == {Component.OTHER}


def test_time_of_other_threads_belongs_to_no_component() -> None:
    profile = SearchProfile(0, 10.0, {Component.OTHER: Usage(1), Component.PROOF: Usage(3)})
    assert (profile.elsewhere, profile.searching) == (6, 4)
    assert SearchProfile(0, 1.0, {}).share_of_searching(Component.PROOF) == 0
