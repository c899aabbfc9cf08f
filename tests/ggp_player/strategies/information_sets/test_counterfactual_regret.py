"""Regret minimisation finds equilibria of games whose equilibria are known."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import gdl
from ggp_player.belief import StepObservation
from ggp_player.strategies.information_sets.counterfactual_regret import (
    Profile,
    RegretMinimisation,
    node_values,
    reach_probabilities,
)
from ggp_player.strategies.information_sets.extensive_form import (
    ExtensiveForm,
    ExtensiveFormBuilder,
    estimated_leaves,
)
from ggp_player.strategies.information_sets.game_graph import GameGraph
from tests.support.compiled_games import machine_of
from tests.support.hidden_games import coin
from tests.support.learned_games import finished


def form_of(machine: gdl.StateMachine, max_nodes: int = 10_000) -> ExtensiveForm | None:
    return finished(ExtensiveFormBuilder(GameGraph(machine), max_nodes).build())


def equilibrium(form: ExtensiveForm, iterations: int) -> Profile:
    minimisation = RegretMinimisation(form)
    for _ in range(iterations):
        minimisation.iterate()
    return minimisation.average()


def best_response(form: ExtensiveForm, profile: Profile, player: int) -> tuple[float, Profile]:
    """The value of a player's best response to the others' strategies, and the response.

    What it gains says how near the strategies are to an equilibrium.
    """
    response = profile.copy()
    others = reach_probabilities(form, profile, player)[1]
    for level in reversed(form.levels):
        values = node_values(form, response)[:, player]
        edges = level.players[level.parents] == player
        actions, nodes = level.actions[edges], level.nodes[level.parents[edges]]
        totals = np.zeros(len(profile))
        np.add.at(totals, actions, others[nodes] * values[level.children[edges]])
        for number in np.unique(form.set_of_action[actions]).tolist():
            found = list(form.sets.values())[number]
            response[found.actions] = 0.0
            response[found.first + int(np.argmax(totals[found.actions]))] = 1.0
    return float(node_values(form, response)[0, player]), response


def test_kuhn_poker() -> None:
    form = form_of(machine_of("kuhnPoker"))
    assert form is not None
    assert len([found for found in form.sets.values() if len(found.moves) > 1]) == 12
    profile = equilibrium(form, 500)
    values = node_values(form, profile)[0]
    # The first player loses 1/18 of an ante; an ante is 25 goal points.
    assert values[:2] == pytest.approx([50 - 25 / 18, 50 + 25 / 18], abs=0.02)
    for player in form.players:
        value, response = best_response(form, profile, player)
        assert value - values[player] < 0.05
        assert node_values(form, response)[0][player] == pytest.approx(value)


def test_a_guess_is_no_better_than_to_pass() -> None:
    form = form_of(gdl.compile(coin("rival")))
    assert form is not None
    profile = equilibrium(form, 500)
    guessing = form.find(1, [StepObservation(gdl.parse_term("noop"), frozenset())])
    assert guessing is not None
    chosen = dict(zip(map(str, guessing.moves), profile[guessing.actions], strict=True))
    assert chosen["pass"] > 0.95
    assert best_response(form, profile, 1)[0] == pytest.approx(60, abs=0.5)


def test_what_was_not_told_is_in_no_information_set() -> None:
    form = form_of(machine_of("kuhnPoker"))
    assert form is not None
    assert form.find(0, [StepObservation(None, None)]) is None
    assert form.find(0, [StepObservation(gdl.parse_term("noop"), frozenset())]) is None


def test_a_game_may_be_too_large() -> None:
    machine = machine_of("phantomTicTacToe")
    assert form_of(machine, 1000) is None
    assert estimated_leaves(GameGraph(machine), Random(0)) > 1000


def test_the_size_of_a_tree_is_estimated_without_bias() -> None:
    graph, random = GameGraph(machine_of("kuhnPoker")), Random(0)
    leaves = [estimated_leaves(graph, random) for _ in range(2000)]
    assert sum(leaves) / len(leaves) == pytest.approx(30, rel=0.1)
