"""Features lie between 0 and 100 and say what they mean."""

from __future__ import annotations

from random import Random
from typing import get_args

import pytest

import gdl
from ggp_player.strategies.textbook.evaluation import (
    HIGHEST,
    LOWEST,
    NEUTRAL,
    EvaluationName,
    Evaluator,
    Feature,
    Focus,
    GoalProximity,
    Mobility,
    MonteCarloProbe,
    Weighted,
    features_of,
)
from tests.support.paths import GAMES
from tests.support.tree_games import constants, turns

RACE = """
; Each of two runners walks or rests; who is first on field 3 wins.
(role near) (role far) (init (on near 2)) (init (on far 0)) (init (clock 0))
(after 0 1) (after 1 2) (after 2 3) (after 3 4)
(legal near walk) (legal near rest) (legal far walk)
(<= (next (on ?r ?m)) (does ?r walk) (true (on ?r ?n)) (after ?n ?m))
(<= (next (on ?r ?n)) (does ?r rest) (true (on ?r ?n)))
(<= (next (clock ?m)) (true (clock ?n)) (after ?n ?m))
(<= won (true (on ?r 3))) (<= terminal won) (<= terminal (true (clock 4)))
(<= (goal ?r 100) (true (on ?r 3)))
(<= (goal ?r 0) (role ?r) (not (true (on ?r 3))))
"""


def race() -> tuple[gdl.StateMachine, gdl.State, gdl.Constant, gdl.Constant]:
    machine = gdl.interpret(gdl.parse(RACE))
    near, far = machine.roles
    return machine, machine.initial_state(), near, far


def test_mobility_is_relative_to_the_most_moves_seen() -> None:
    machine = turns((1, 2, (3, 4, 5, 6), 7))
    start, (role, other) = machine.initial_state(), machine.roles
    after = machine.next_state(start, constants("a3", "noop"))
    mobility = Mobility()
    assert mobility(machine, start, role) == 100
    assert mobility(machine, after, role) == 25
    assert mobility(machine, start, other) == 100
    assert mobility(machine, after, other) == 100
    assert mobility(machine, start, other) == 25


def test_focus_is_the_opponents_lack_of_moves() -> None:
    machine, state, _, far = race()
    assert Focus()(machine, state, far) == 0
    alone = turns((1, 2), ("solver",))
    assert Focus()(alone, alone.initial_state(), alone.roles[0]) == NEUTRAL


def test_goal_proximity_is_higher_for_whoever_is_nearer() -> None:
    machine = gdl.interpret(gdl.load(GAMES / "ticTacToe.kif"))
    state = machine.initial_state()
    for square in ("a1", "c3", "a2", "b1"):
        legal = [machine.legal_moves(state, role) for role in machine.roles]
        state = machine.next_state(
            state, [next((m for m in moves if square in str(m)), moves[0]) for moves in legal]
        )
    # Cross has two in a row, nought has not.
    proximity = GoalProximity(Random(1))
    for _ in range(20):
        cross, nought = (proximity(machine, state, role) for role in machine.roles)
    assert cross > NEUTRAL > nought
    assert cross + nought == 100


def test_goal_proximity_learns_for_a_bounded_number_of_steps() -> None:
    machine, state, near, _ = race()
    random = Random(1)
    proximity = GoalProximity(random, steps=10)
    for _ in range(10):
        proximity(machine, state, near)
    before = random.getstate()
    proximity(machine, state, near)
    assert random.getstate() == before


def test_monte_carlo_probes_are_means_of_playouts() -> None:
    machine, state, near, far = race()
    random = Random(1)
    probes = MonteCarloProbe(random, probes=40)
    assert probes(machine, state, near) > 70
    before = random.getstate()
    assert probes(machine, state, far) < 40
    assert random.getstate() == before, "the same playouts serve both roles"


def test_a_playout_that_does_not_end_says_nothing() -> None:
    rules = "(role you) (init here) (legal you stay) (<= (next here) (does you stay))"
    machine = gdl.interpret(gdl.parse(rules + "(<= terminal (true there)) (goal you 100)"))
    assert MonteCarloProbe(Random(1))(machine, machine.initial_state(), machine.roles[0]) == NEUTRAL


def test_a_playout_ends_where_a_role_cannot_move() -> None:
    rules = "(role a) (role b) (init here) (legal a go) (<= (legal b go) (true here))"
    rules += "(<= (next there) (true here) (does a go)) (<= terminal (true end)) (goal a 0)"
    machine = gdl.interpret(gdl.parse(rules + "(goal b 0)"))
    assert MonteCarloProbe(Random(1))(machine, machine.initial_state(), machine.roles[0]) == NEUTRAL


def test_an_evaluation_is_a_weighted_mean_strictly_between_the_extremes() -> None:
    machine, state, near, _ = race()

    def constant(value: float) -> Feature:
        return lambda machine, state, role: value

    def value_of(*pairs: tuple[float, float]) -> float:
        features = [Weighted(weight, constant(value)) for weight, value in pairs]
        return Evaluator(machine, features).value(state, near)

    assert value_of((1, 20), (3, 60)) == 50
    assert value_of((2, 100)) == HIGHEST < 100
    assert value_of((2, 0)) == LOWEST > 0
    assert value_of() == value_of((0, 90)) == NEUTRAL


@pytest.mark.parametrize("name", get_args(EvaluationName))
def test_every_mixture_that_has_a_name_evaluates(name: EvaluationName) -> None:
    machine, state, near, far = race()
    features = features_of(name, Random(1))
    for role in (near, far):
        assert LOWEST <= Evaluator(machine, features).value(state, role) <= HIGHEST
