"""Subgames of a game of one role are planned one by one; the plans are those of the whole game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gdl
from gdl.analysis import Decomposition, analyse
from gdl.engine.machine import PropnetStateMachine
from gdl.engine.successors import packed_state
from ggp_player.strategies.planner.heuristics import Heuristics
from ggp_player.strategies.planner.plan_portfolio import relaxation_of_best_goal
from ggp_player.strategies.planner.planner import Planner
from ggp_player.strategies.planner.state_space import FoundPlan, StateSpace
from ggp_player.strategies.planner.subgame_search import (
    SubgameBounds,
    SubgameSearch,
    search_subgames,
)
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning
from tests.support.compiled_games import machine_of
from tests.support.part_games import IN_SERIES, Dials, towers
from tests.support.planner_games import Measurement, measured, slices, tabulated
from tests.support.small_games import compiled
from tests.support.tree_games import last_choice, position

dials = st.builds(
    Dials,
    places=st.lists(st.integers(4, 6), min_size=2, max_size=3).map(tuple),
    wanted=st.integers(1, 3),
    counting=st.integers(1, 2),
    steps=st.integers(3, 6),
    eager=st.booleans(),
)
"""Games in which plans may have to wait, and in which what is idle may come to its end."""


def decomposed(machine: PropnetStateMachine) -> StateSpace:
    return StateSpace(machine, decomposition=analyse(machine).decomposition)


def undecomposed() -> Planner:
    return Planner(decomposition=Decomposition())


def plans(space: StateSpace) -> list[FoundPlan]:
    """Return all plans that the search of the subgames finds."""
    root = packed_state(space.machine, space.machine.initial_state())
    heuristics = Heuristics(space, relaxation_of_best_goal(space, root), np.random.default_rng(1))
    return [found for found in search_subgames(space, root, 20_000, heuristics) if found]


def assert_runs(machine: PropnetStateMachine, found: FoundPlan) -> None:
    """The plan's moves are legal one after the other and lead to an end of its value."""
    (role,) = machine.roles
    state = machine.initial_state()
    for move in (machine.moves[0][index] for index in found.moves):
        assert not machine.is_terminal(state)
        assert move in machine.legal_moves(state, role)
        state = machine.next_state(state, (move,))
    assert machine.is_terminal(state)
    assert machine.goal(state, role) == found.value


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(towers(3, 4, 50), id="side by side", marks=pytest.mark.thorough),
        pytest.param(towers(5, 4, 20, counting=1), id="one that counts"),
    ],
)
def test_what_is_too_much_together_is_solved_apart(rules: str) -> None:
    machine = compiled(rules)
    apart, together = (slices(each, position(machine), 200) for each in (Planner(), undecomposed()))
    assert (apart[-1].value, apart[-1].proved) == (100, True)
    assert together[-1].value in (None, 0)


@pytest.fixture(scope="module")
def measurements() -> Iterator[list[Measurement]]:
    yield from tabulated("games in parts, planned apart and together")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("3 towers of 4", towers(3, 4, 50)),
        ("3 towers of 5", towers(3, 5, 100)),
        ("4 towers of 5", towers(4, 5, 130)),
        ("5 towers of 4, 1 counts", towers(5, 4, 20, counting=1)),
    ],
)
def test_parts_of_many_states(game: str, rules: str, measurements: list[Measurement]) -> None:
    machine = compiled(rules)
    apart = measured(game, machine, 6000)
    together = measured(f"{game}, whole", machine, 6000, undecomposed())
    measurements.extend([apart, together])
    assert apart.best.proved
    assert apart.states < together.states


def test_few_states_stand_for_all_and_the_shortest_plans_are_joined() -> None:
    machine = compiled(towers(3, 3, 30))
    best = plans(decomposed(machine))[-1]
    assert (best.value, len(best.moves)) == (100, 3 * 7)
    assert_runs(machine, best)


def test_machine_code_makes_no_difference_in_series() -> None:
    machine = gdl.compile(gdl.parse(IN_SERIES))
    before = plans(decomposed(machine))
    assert before[-1].value == 100
    assert_runs(machine, before[-1])
    machine.warm_up()
    assert plans(decomposed(machine)) == before


def test_the_interface_of_a_subgame_is_whether_it_is_solved() -> None:
    space = decomposed(compiled(towers(3, 3, 30)))
    assert [len(subgame.interface) for subgame in space.decomposition.subgames] == [1, 1, 1]
    assert not space.decomposition.in_series
    assert decomposed(compiled(IN_SERIES)).decomposition.in_series


def test_the_end_is_waited_for() -> None:
    rules = Dials((6, 6, 6, 6), wanted=3, counting=3, steps=11, eager=False)
    machine = compiled(str(rules))
    best = plans(decomposed(machine))[-1]
    assert (best.value, len(best.moves)) == (99, 11)
    assert_runs(machine, best)


def test_there_may_be_more_outcomes_than_lanes() -> None:
    rules = Dials((4,) * 10, wanted=1, counting=10, steps=10, eager=False)
    machine = compiled(str(rules))
    assert len(decomposed(machine).decomposition.subgames) == 10
    best = plans(decomposed(machine))[-1]
    assert (best.value, len(best.moves)) == (100, 10)


def test_a_series_that_cannot_be_gone_on_with_ends_the_search() -> None:
    machine = compiled(IN_SERIES)
    space, root = decomposed(machine), packed_state(machine, machine.initial_state())
    heuristics = Heuristics(space, relaxation_of_best_goal(space, root), np.random.default_rng(1))
    assert [
        found
        for found in SubgameSearch(space, root, heuristics, SubgameBounds(10, 8)).run()
        if found
    ] == []


def test_of_idle_moves_one_is_tried() -> None:
    machine = compiled(towers(3, 2, 20, counting=1))
    space = decomposed(machine)
    root = packed_state(machine, machine.initial_state())
    (some,), (every,) = space.successors(root), space.successors(root, whole=True)
    assert (len(some.moves), len(every.moves)) == (3, 6)
    assert len(set(space.keys(every.states, ignore_counters=True).tolist())) == 3
    assert len(set(space.keys(every.states, ignore_counters=True, whole=True).tolist())) == 6


@pytest.mark.thorough
@settings(max_examples=20, deadline=None)
@given(dials)
def test_every_plan_runs_to_its_value(rules: Dials) -> None:
    machine = gdl.compile(gdl.parse(str(rules)))
    space = decomposed(machine)
    assume(space.decomposition.subgames)
    for found in plans(space):
        assert_runs(machine, found)


@pytest.mark.thorough
@settings(max_examples=20, deadline=None)
@given(dials)
def test_the_best_is_found_and_no_more_is_proved(rules: Dials) -> None:
    exact = last_choice(SequentialPlanning(), position(gdl.interpret(gdl.parse(str(rules)))))
    choice = last_choice(Planner(), position(gdl.compile(gdl.parse(str(rules)))))
    assert (choice.value, choice.proved) == (exact.value, True)


def test_games_that_are_not_decomposed_are_searched_as_before() -> None:
    machine = machine_of("keyMaze")
    assert decomposed(machine).decomposition.subgames == ()
    apart, whole = (slices(each, position(machine), 30) for each in (Planner(), undecomposed()))
    assert apart == whole
