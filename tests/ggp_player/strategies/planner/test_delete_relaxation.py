"""The relaxed distance is zero at the goal, and right where it says unreachable."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl import State, StateMachine
from gdl.engine.bits import Packed
from gdl.engine.machine import PropnetStateMachine
from gdl.engine.successors import packed_state
from gdl.playouts import play_out
from ggp_player.strategies.planner.delete_relaxation import UNREACHABLE
from ggp_player.strategies.planner.state_space import StateSpace, bits_of
from tests.support.compiled_games import machine_of
from tests.support.planner_games import QUICK_PUZZLES, relaxation_of
from tests.support.small_games import compiled

ONE_WAY = """
(role walker) (init (at a))
(after a b) (after b c) (after a x) (after x y)
(<= (legal walker (go ?to)) (true (at ?from)) (after ?from ?to))
(<= (legal walker wait) (true (at ?from)))
(<= (next (at ?to)) (does walker (go ?to)))
(<= (next (at ?here)) (true (at ?here)) (does walker wait))
(<= terminal (true (at c)))
(<= (goal walker 100) (true (at c)))
(<= (goal walker 0) (not (true (at c))))
"""


def packed(machine: PropnetStateMachine, states: list[State]) -> Packed:
    return np.concatenate([packed_state(machine, state) for state in states])


def states_of_a_playout(machine: StateMachine, seed: int) -> list[State]:
    return [step.state for step in play_out(machine, Random(seed))]


@pytest.mark.parametrize(
    ("moves", "cost"), [("", 2), ("b", 1), ("bc", 0), ("x", UNREACHABLE), ("xy", UNREACHABLE)]
)
def test_what_is_out_of_reach_is_unreachable(moves: str, cost: int) -> None:
    machine = compiled(ONE_WAY)
    state = machine.initial_state()
    for to in moves:
        state = machine.next_state(state, (gdl.parse_term(f"(go {to})"),))
    assert relaxation_of(machine).costs(packed(machine, [state])).tolist() == [cost]


def test_conditions_are_what_the_goal_is_a_conjunction_of() -> None:
    machine = machine_of("eightPuzzle")
    relaxation = relaxation_of(machine)
    states = packed(machine, states_of_a_playout(machine, 5))
    home = [machine.facts.index(gdl.parse_term(f"(lies {tile} {tile})")) for tile in range(1, 9)]
    expected = bits_of(states, len(machine.facts))[:, home].sum(axis=1)
    assert (relaxation.fulfilled(states).sum(axis=1) == expected).all()


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(QUICK_PUZZLES), st.integers(0, 1000))
def test_lanes_do_not_matter(game: str, seed: int) -> None:
    machine = machine_of(game)
    states = packed(machine, states_of_a_playout(machine, seed))
    relaxation = relaxation_of(machine)
    together = relaxation.costs(states)
    order = np.random.default_rng(seed).permutation(len(states))
    assert (relaxation.costs(states[order]) == together[order]).all()
    alone = [relaxation.costs(state[None, :])[0] for state in states[:5]]
    assert alone == together[:5].tolist()


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(QUICK_PUZZLES), st.integers(0, 1000))
def test_the_cost_is_zero_where_the_goal_holds_and_without_counters_nowhere_else(
    game: str, seed: int
) -> None:
    machine = machine_of(game)
    states = states_of_a_playout(machine, seed)
    free = relaxation_of(machine).costs(packed(machine, states)) == 0
    won = np.array([machine.goal(state, machine.roles[0]) == 100 for state in states])
    assert free[won].all()
    if not StateSpace(machine).counters.any():
        assert not free[~won].any()


@pytest.mark.parametrize(
    ("game", "count", "name"),
    [("eightPuzzle", 41, "steps"), ("pegSolitaire", 14, "jumps"), ("knightsTour", 24, "count")],
)
def test_step_counters_are_found(game: str, count: int, name: str) -> None:
    machine = machine_of(game)
    space = StateSpace(machine)
    counters = np.flatnonzero(bits_of(space.counters[None, :], len(machine.facts))[0])
    names = [str(machine.facts[index]) for index in counters]
    assert len(names) <= count
    assert len(names) >= 10
    assert all(fact.startswith(f"({name} ") for fact in names)
    assert all(f"({name} {step})" in names for step in range(2, 8))


def test_what_changes_back_is_no_step_counter() -> None:
    rules = """
    (role one) (init even) (legal one go)
    (init (step 1)) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
    (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
    (<= (next even) (not (true even)))
    (<= terminal (true (step 5))) (goal one 50)
    """
    machine = compiled(rules)
    counted = dict(zip(map(str, machine.facts), StateSpace(machine).counted.tolist(), strict=True))
    assert counted["even"] == -1
    assert [counted[f"(step {n})"] for n in range(1, 6)] == [0, 1, 2, 3, 4]
