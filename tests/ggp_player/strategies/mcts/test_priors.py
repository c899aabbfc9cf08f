"""Priors: what patterns say of the states behind moves, and a search that is guided by it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import exp, inf, log

import numpy as np
import pytest

from gdl.engine.machine import PropnetStateMachine
from gdl.state_machine import State
from ggp_player.inspect.pattern_report import report_patterns
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.mcts.arrays import (
    MINIMAX_SHARE,
    NODES,
    PARTS,
    Settings,
)
from ggp_player.strategies.mcts.memory import (
    WAITING_NODES,
)
from ggp_player.strategies.mcts.pools import live_child
from ggp_player.strategies.mcts.priors import EXPANDED, UNIFORM
from ggp_player.strategies.mcts.tree_search import TreeSearch
from ggp_player.strategies.patterns.pattern_tables import CERTAIN, NO_TABLES
from tests.support.compiled_games import machine_of
from tests.support.learned_games import GAME, learned, numbered_evaluation
from tests.support.search_trees import searched, states_of
from tests.support.small_games import compiled, connect_four

SETTINGS = Settings()
PART = 2 / PARTS

STRIDE = 12
"""One in so many nodes is compared with what is found in another way, which takes long."""


def guided(
    machine: PropnetStateMachine,
    evaluation: LearnedEvaluation,
    steps: int,
    memory: int = 2**24,
    minimax_share: float = MINIMAX_SHARE,
) -> TreeSearch:
    search = TreeSearch(machine, SETTINGS, seed=1, memory=memory)
    search.guide(evaluation.tables, evaluation.weights, minimax_share)
    search.set_root(machine.initial_state())
    for _ in range(0, steps, 10):
        search.run(10)
    return search


def logit_of(
    machine: PropnetStateMachine, evaluation: LearnedEvaluation, state: State, role: int
) -> float:
    """What a state is worth to a role, found in another way than by the kernels."""
    share = report_patterns(machine, evaluation, state, role).value / 100
    if machine.is_terminal(state):
        share = (machine.goal(state, machine.roles[role]) or 0) / 100
    logit = inf if share == 1 else -inf if share == 0 else log(share / (1 - share))
    return min(CERTAIN, max(-CERTAIN, logit))


def nodes_with_priors(search: TreeSearch) -> Iterator[tuple[int, int, State]]:
    """The nodes whose moves have priors, with who moves and their states."""
    tree = search.memory.tree
    for node, state in enumerate(states_of(search)):
        mover = int(tree.nodes[node]["mover"])
        is_expanded = tree.nodes[node]["is_expanded"] == EXPANDED
        if is_expanded and tree.roles[node, mover]["choices"] > 1:
            yield node, mover, state


@pytest.mark.parametrize(
    ("rules", "evaluate"),
    [(GAME, learned), (connect_four(4, 4), numbered_evaluation)],
    ids=["breakthrough", "connectFour"],
)
def test_priors_and_values_say_what_patterns_say(rules: str, evaluate: object) -> None:
    machine = compiled(rules)
    assert callable(evaluate)
    evaluation = evaluate(machine)
    search = guided(machine, evaluation, 200, minimax_share=0.0)
    tree, checked = search.memory.tree, 0
    for node, mover, state in islice(nodes_with_priors(search), None, None, STRIDE):
        own = tree.roles[node, mover]
        edges = tree.edges[own["first_edge"] :][: own["choices"]]
        logits = []
        for edge in edges:
            moves = [machine.legal_moves(state, role)[0] for role in machine.roles]
            moves[mover] = machine.moves[mover][edge["move"]]
            following = machine.next_state(state, tuple(moves))
            logits.append(logit_of(machine, evaluation, following, mover))
        likely = np.exp((np.array(logits) - max(logits)) / SETTINGS.temperature)
        shares = [1 / (1 + exp(-logit)) for logit in logits]
        expected = (1 - UNIFORM) * likely / likely.sum() + UNIFORM / len(edges)
        assert edges["prior"] / PARTS == pytest.approx(expected, abs=2e-4)
        assert edges["judged"] / PARTS == pytest.approx(shares, abs=2e-4)
        checked += 1
    assert checked > 7


def judged_nodes(search: TreeSearch) -> Iterator[tuple[int, int, range]]:
    """The nodes whose moves have priors, each worth as much as its best move, and their edges."""
    tree = search.memory.tree
    for node, mover, _ in nodes_with_priors(search):
        own = tree.roles[node, mover]
        edges = range(own["first_edge"], own["first_edge"] + own["choices"])
        assert own["judged"] == tree.edges["judged"][edges].max()
        yield node, mover, edges


@pytest.mark.parametrize("rules", [GAME, connect_four(4, 4)], ids=["breakthrough", "connectFour"])
def test_what_patterns_say_is_backed_up_by_minimax(rules: str) -> None:
    machine = compiled(rules)
    search = guided(machine, learned(machine), 400)
    tree, backed_up, stale = search.memory.tree, 0, 0
    for node, mover, edges in judged_nodes(search):
        own = tree.roles[node, mover]
        assert tree.roles[node, 1 - mover]["judged"] == PARTS + 1 - int(own["judged"])
        for edge in edges:
            child = live_child(tree, edge)
            if child >= 0 and tree.roles[child, mover]["judged"]:
                backed_up += 1
                stale += tree.edges[edge]["judged"] != tree.roles[child, mover]["judged"]
    assert backed_up > 50
    assert stale < 0.3 * backed_up  # of nodes that no descent has left since


def test_what_patterns_say_to_three_roles_is_backed_up_by_max_n() -> None:
    machine = machine_of("trefoil")
    search = guided(machine, learned(machine), 1200)
    tree, copied, others = search.memory.tree, 0, 0
    for node, mover, edges in judged_nodes(search):
        own = tree.roles[node, mover]
        best = edges[int(tree.edges["judged"][edges].argmax())]
        child = live_child(tree, best)
        if child >= 0 and tree.roles[child, mover]["judged"] == own["judged"]:
            others += 1
            copied += (tree.roles[node]["judged"] == tree.roles[child]["judged"]).all()
    assert others > 50
    assert copied > 0.7 * others  # of nodes that a descent has left since


def test_no_node_waits_for_long() -> None:
    machine = compiled(GAME)
    search = guided(machine, learned(machine), 200)
    tree, priors = search.memory.tree, search.memory.priors
    search.set_root(
        machine.next_state(machine.initial_state(), search.line(0, search.moves(0)[0].index)[0])
    )
    assert priors.counts[WAITING_NODES] == 0
    assert not priors.block.rows[priors.block.moves :][: priors.block.move_offsets[-1]].any()
    used = tree.nodes[: search.memory.counts[NODES]]
    assert set(used["is_expanded"]) == {0, EXPANDED}
    edges = [
        int(tree.roles[node, mover]["first_edge"]) for node, mover, _ in nodes_with_priors(search)
    ]
    assert len(edges) > 50
    assert tree.edges["prior"][edges].all()


def test_nodes_are_recycled_while_others_wait() -> None:
    machine = compiled(connect_four(5, 5))
    evaluation = learned(machine)
    first, second = (guided(machine, evaluation, 3000, memory=2**18) for _ in range(2))
    assert first.nodes > 2 * len(first.memory.tree.nodes)
    assert first.moves(0) == second.moves(0)


def test_what_is_proved_does_not_depend_on_guidance() -> None:
    machine = machine_of("ticTacToe")
    plain = searched(machine, 6000)
    search = guided(machine, numbered_evaluation(machine), 6000)
    assert plain.is_proved
    assert search.is_proved
    assert search.bounds(0) == plain.bounds(0)


def test_another_minimax_share_leaves_the_tree_as_it_is_and_other_weights_do_not() -> None:
    machine = compiled(GAME)
    evaluation = learned(machine)
    search = guided(machine, evaluation, 100)
    nodes, before = search.nodes, search.moves(0)
    search.guide(evaluation.tables, evaluation.weights, 0.5)
    assert (search.nodes, search.moves(0)) == (nodes, before)
    assert search.settings.minimax_share == 0.5
    for other in (replace(evaluation, weights=-evaluation.weights), numbered_evaluation(machine)):
        search.guide(other.tables, other.weights)
        assert search.moves(0) == []
        search.run(100)
        assert search.moves(0)
        assert search.memory.priors.weights is other.weights


def test_without_patterns_no_move_has_a_prior() -> None:
    machine = compiled(GAME)
    search = searched(machine, 100)
    assert search.memory.priors.tables is NO_TABLES
    assert not search.memory.tree.edges["prior"].any()


def test_a_tree_that_is_not_guided_goes_on_where_it_still_is_not() -> None:
    search = searched(compiled(GAME), 100)
    before = search.moves(0)
    search.guide(NO_TABLES, np.zeros((1, 0), np.float32), 0.0)
    assert search.moves(0) == before != []
