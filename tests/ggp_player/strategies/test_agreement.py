"""All searches find the same values: the fast ones are tested against minimax."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl.engine.machine import PropnetStateMachine
from ggp_player.strategies.base import Choice
from ggp_player.strategies.mcts.arrays import (
    Settings,
)
from ggp_player.strategies.mcts.tree_search import TreeSearch
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta, AlphaBetaTree, bestmove
from ggp_player.strategies.textbook.bounded_minimax import BoundedMinimax
from ggp_player.strategies.textbook.deliberation import Deliberation
from ggp_player.strategies.textbook.depth_limited import DepthLimitedTree
from ggp_player.strategies.textbook.evaluation import Evaluator
from ggp_player.strategies.textbook.max_n import MaxN, MaxNTree
from ggp_player.strategies.textbook.minimax import Minimax, MinimaxSearch
from ggp_player.strategies.textbook.negamax import NegamaxTree
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning
from tests.support.compiled_games import machine_of
from tests.support.small_games import (
    breakthrough,
    compiled,
    dots_and_boxes,
    game,
    hex_board,
    nim,
    sampled,
)
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

TURNS_FOR_A_CONSTANT_SUM = [
    pytest.param(game("ticTacToe"), id="ticTacToe"),
    pytest.param(game("nim"), id="nim"),
    pytest.param(game("countThenLine"), id="countThenLine"),
    pytest.param(nim((2, 3, 4)), id="nim234"),
    pytest.param(hex_board(3), id="hex3"),
    pytest.param(dots_and_boxes(2, 2), id="dotsAndBoxes2x2"),
    pytest.param(breakthrough(3, 4), id="breakthrough3x4", marks=pytest.mark.slow),
]
"""Games of two rivals that the tree search exhausts in a second."""


def value_and_leaves(form: type[DepthLimitedTree], machine: gdl.StateMachine) -> tuple[float, int]:
    """The value that one search of the whole tree finds, and the number of leaves it visits."""
    counting = Counting(machine)
    role, state = machine.roles[0], machine.initial_state()
    tree = form(counting, role, Evaluator(counting, ()), ordering=False)
    no_choice = Choice(machine.legal_moves(state, role)[0])
    *_, last = bestmove(tree, state, DEEPER_THAN_ANY, no_choice)
    assert last.proved
    assert last.value is not None
    return last.value, counting.leaves


@settings(max_examples=15, deadline=None)
@given(trees)
def test_moves_in_turn(tree: Tree) -> None:
    machine = turns(tree)
    counting = Counting(machine)
    *before, exact = Minimax().search(position(counting))
    values = [choice.value for choice in (*before, exact) if choice.value is not None]
    assert values == sorted(values)
    assert exact.proved
    bounded = Counting(machine)
    assert last_choice(BoundedMinimax(), position(bounded)) == exact
    assert bounded.leaves <= counting.leaves
    value, leaves = value_and_leaves(AlphaBetaTree, machine)
    assert value == exact.value
    assert leaves <= bounded.leaves
    assert value_and_leaves(NegamaxTree, machine) == (value, leaves)
    for role in (0, 1):
        own = last_choice(Minimax(), position(machine, role)).value
        assert last_choice(AlphaBeta(), position(machine, role)).value == own
        assert last_choice(MaxN(), position(machine, role)).value == own


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(matrices(st.recursive(utilities, matrices, max_leaves=10)))
def test_moves_at_the_same_time(tree: Tree) -> None:
    machine = together(tree)
    for role in (0, 1):
        exact = last_choice(Minimax(), position(machine, role))
        assert last_choice(BoundedMinimax(), position(machine, role)) == exact
        choice = last_choice(AlphaBeta(), position(machine, role))
        assert (choice.value, choice.proved) == (exact.value, exact.proved)
        assert last_choice(MaxN(), position(machine, role)).value == exact.value


@settings(max_examples=10, deadline=None)
@given(trees)
def test_three_roles(tree: Tree) -> None:
    machine = turns(tree, ("one", "two", "three"))
    for role in (0, 2):
        exact = last_choice(Minimax(), position(machine, role))
        assert last_choice(BoundedMinimax(), position(machine, role)) == exact
        choice = last_choice(AlphaBeta(), position(machine, role))
        assert (choice.value, choice.proved) == (exact.value, exact.proved)


@settings(max_examples=10, deadline=None)
@given(trees)
def test_chance(tree: Tree) -> None:
    machine = turns(tree, ("max", "min", "random"))
    for role in (0, 1):
        mean = last_choice(AlphaBeta(), position(machine, role)).value
        assert last_choice(MaxN(), position(machine, role)).value == pytest.approx(mean)


@settings(max_examples=12, deadline=None)
@given(trees)
def test_one_role(tree: Tree) -> None:
    machine = turns(tree, ("solver",))
    exact = last_choice(Minimax(), position(machine))
    for strategy in (BoundedMinimax(), AlphaBeta(), Deliberation(), SequentialPlanning()):
        choice = last_choice(strategy, position(machine))
        assert (choice.value, choice.proved) == (exact.value, True)


# ---------------------------------------------------------------------- the tree search


def proved_bounds(machine: PropnetStateMachine, state: gdl.State) -> list[tuple[int, int]]:
    """The bounds of a state's value for each role, by a tree search that goes on to its end."""
    search = TreeSearch(machine, Settings(), seed=1, memory=2**25)
    search.set_root(state)
    for _ in range(1000):
        search.run(20)
        if search.is_proved:
            break
    assert search.is_proved
    return [search.bounds(role) for role in range(len(machine.roles))]


def exactly(values: Sequence[float]) -> list[tuple[int, int]]:
    return [(int(value), int(value)) for value in values]


@pytest.mark.thorough
@pytest.mark.parametrize("text", TURNS_FOR_A_CONSTANT_SUM)
def test_the_tree_search_proves_the_values_of_minimax(text: str) -> None:
    machine = compiled(text)
    state = machine.initial_state()
    values = [MinimaxSearch(machine, role).maxscore(state) for role in machine.roles]
    assert proved_bounds(machine, state) == exactly(values)


def values_of_max_n(machine: PropnetStateMachine, state: gdl.State) -> list[tuple[int, int]]:
    tree = MaxNTree(machine, machine.roles[0], Evaluator(machine, ()))
    values = tree.utilities(state, 200)
    assert not tree.horizons
    return exactly(values)


def test_the_tree_search_proves_the_values_of_max_n_for_two_rivals() -> None:
    machine = compiled(dots_and_boxes(3, 1))
    state = machine.initial_state()
    assert proved_bounds(machine, state) == values_of_max_n(machine, state)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_search_proves_the_values_of_max_n_for_three_roles(seed: int) -> None:
    machine, random = machine_of("trefoil"), Random(seed)
    state = machine.initial_state()
    endgames = [later for later in sampled(machine, 400, random) if len(later) > 17]
    assert endgames
    for state in endgames[:5]:
        assert proved_bounds(machine, state) == values_of_max_n(machine, state)


@pytest.mark.parametrize("name", ["fourCups", "codeBreaker"])
def test_the_tree_search_proves_the_mean_of_one_role_against_chance(name: str) -> None:
    machine = machine_of(name)
    (low, high), _ = proved_bounds(machine, machine.initial_state())
    mean = last_choice(AlphaBeta(), position(machine)).value
    assert mean is not None
    assert low <= mean <= high < low + 2
