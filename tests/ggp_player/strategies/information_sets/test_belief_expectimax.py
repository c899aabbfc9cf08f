"""Expectimax over beliefs: the known values of small games, and what fewer moves give."""

from __future__ import annotations

from random import Random

import pytest

import gdl
from gdl.engine.machine import PropnetStateMachine
from ggp_player.belief import Belief
from ggp_player.strategies.information_sets import belief_expectimax
from ggp_player.strategies.information_sets.belief_expectimax import (
    BeliefExpectimax,
    Solved,
    TooDeepError,
)
from ggp_player.strategies.information_sets.game_graph import GameGraph
from tests.support.compiled_games import machine_of
from tests.support.hidden_games import coin, three_doors
from tests.support.hidden_matches import told_steps


def solved(
    machine: PropnetStateMachine, belief: Belief, width: int = 4096
) -> tuple[Solved, BeliefExpectimax]:
    graph = GameGraph(machine)
    expectimax = BeliefExpectimax(graph, machine.roles.index(belief.role))
    expectimax.widen(width)
    weights = {graph.number(state): p for state, p in belief.probabilities.items()}
    search = expectimax.solve(weights)
    while True:
        try:
            next(search)
        except StopIteration as end:
            return end.value, expectimax


@pytest.mark.parametrize(
    ("machine", "value"),
    [
        (gdl.compile(three_doors()), 200 / 3),
        (gdl.compile(coin("random")), 60),
        (machine_of("fourCups"), 75),
    ],
)
def test_known_values(machine: PropnetStateMachine, value: float) -> None:
    role = next(role for role in machine.roles if role.name != "random")
    found, expectimax = solved(machine, Belief(machine, role))
    assert found.value == pytest.approx(value)
    assert expectimax.is_exact


@pytest.mark.thorough
def test_few_moves_reach_the_best_value_of_a_guessing_game() -> None:
    # 81.25 is what the search of all moves finds in some minutes.
    machine = machine_of("codeBreaker")
    belief = Belief(machine, machine.roles[0])
    told = next(told_steps(machine, machine.roles[0], Random(0)))
    belief.observe(told.move, told.percepts)
    assert len(belief.states) == 64
    values = [solved(machine, belief, width)[0].value for width in (1, 2)]
    assert values == pytest.approx([80.78125, 81.25])


def test_a_width_is_no_proof() -> None:
    machine = gdl.compile(three_doors())
    found, expectimax = solved(machine, Belief(machine, machine.roles[1]), width=1)
    assert not expectimax.is_exact
    assert found.value <= 200 / 3 + 1e-9


def test_a_line_of_play_may_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(belief_expectimax, "MAX_LINE_STEPS", 2)
    machine = gdl.compile(three_doors())
    with pytest.raises(TooDeepError):
        solved(machine, Belief(machine, machine.roles[1]))
