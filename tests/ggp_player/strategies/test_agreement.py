"""All searches find the same values: the fast ones are tested by the textbook's."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from ggp_player.strategies.base import Choice
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta, AlphaBetaTree, bestmove
from ggp_player.strategies.textbook.bounded_minimax import BoundedMinimax
from ggp_player.strategies.textbook.deliberation import Deliberation
from ggp_player.strategies.textbook.depth_limited import DepthLimitedTree
from ggp_player.strategies.textbook.evaluation import Evaluator
from ggp_player.strategies.textbook.max_n import MaxN
from ggp_player.strategies.textbook.minimax import Minimax
from ggp_player.strategies.textbook.negamax import NegamaxTree
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning
from tests.support.tree_games import (
    Counting,
    Tree,
    last_choice,
    matrices,
    position,
    together,
    trees,
    turns,
    utilities,
)

DEEPER_THAN_ANY = 20


def value_and_leaves(form: type[DepthLimitedTree], machine: gdl.StateMachine) -> tuple[float, int]:
    """Return what one search to the end of the tree finds, and how many leaves it looks at."""
    counting = Counting(machine)
    role, state = machine.roles[0], machine.initial_state()
    tree = form(counting, role, Evaluator(counting, ()), ordering=False)
    no_choice = Choice(machine.legal_moves(state, role)[0])
    *_, last = bestmove(tree, state, DEEPER_THAN_ANY, no_choice)
    assert last.proved
    assert last.value is not None
    return last.value, counting.leaves


@settings(max_examples=40, deadline=None)
@given(trees)
def test_moves_in_turn(tree: Tree) -> None:
    machine = turns(tree)
    counting = Counting(machine)
    exact = last_choice(Minimax(), position(counting))
    assert exact.proved
    bounded = Counting(machine)
    assert last_choice(BoundedMinimax(), position(bounded)) == exact
    assert bounded.leaves <= counting.leaves
    value, leaves = value_and_leaves(AlphaBetaTree, machine)
    assert value == exact.value
    assert leaves <= bounded.leaves
    assert value_and_leaves(NegamaxTree, machine) == (value, leaves)
    for role in (0, 1):
        value = last_choice(Minimax(), position(machine, role)).value
        assert last_choice(AlphaBeta(), position(machine, role)).value == value
        assert last_choice(MaxN(), position(machine, role)).value == value


@settings(max_examples=30, deadline=None)
@given(matrices(st.recursive(utilities, matrices, max_leaves=10)))
def test_moves_at_the_same_time(tree: Tree) -> None:
    machine = together(tree)
    for role in (0, 1):
        exact = last_choice(Minimax(), position(machine, role))
        assert last_choice(BoundedMinimax(), position(machine, role)) == exact
        assert last_choice(AlphaBeta(), position(machine, role)).value == exact.value
        assert last_choice(MaxN(), position(machine, role)).value == exact.value


@settings(max_examples=25, deadline=None)
@given(trees)
def test_three_roles(tree: Tree) -> None:
    machine = turns(tree, ("one", "two", "three"))
    for role in (0, 2):
        exact = last_choice(Minimax(), position(machine, role))
        assert last_choice(BoundedMinimax(), position(machine, role)) == exact
        assert last_choice(AlphaBeta(), position(machine, role)).value == exact.value


@settings(max_examples=20, deadline=None)
@given(trees)
def test_chance(tree: Tree) -> None:
    machine = turns(tree, ("max", "min", "random"))
    for role in (0, 1):
        mean = last_choice(AlphaBeta(), position(machine, role)).value
        assert last_choice(MaxN(), position(machine, role)).value == pytest.approx(mean)


@settings(max_examples=30, deadline=None)
@given(trees)
def test_one_role(tree: Tree) -> None:
    machine = turns(tree, ("solver",))
    exact = last_choice(Minimax(), position(machine))
    for strategy in (BoundedMinimax(), AlphaBeta(), Deliberation(), SequentialPlanning()):
        choice = last_choice(strategy, position(machine))
        assert (choice.value, choice.proved) == (exact.value, True)


@settings(max_examples=20, deadline=None)
@given(trees)
def test_choices_only_improve(tree: Tree) -> None:
    machine = turns(tree)
    values = [c.value for c in Minimax().search(position(machine)) if c.value is not None]
    assert values == sorted(values)
