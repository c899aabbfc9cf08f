"""What the tree search proves follows the solution concept, in every kind of game with turns."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl import StateMachine
from gdl.language import moves_by_chance
from ggp_player.strategies.mcts.arrays import (
    RECYCLED,
    Settings,
)
from ggp_player.strategies.mcts.monte_carlo import MonteCarlo
from ggp_player.strategies.mcts.tree_search import TreeSearch
from tests.support.concept_oracle import Oracle
from tests.support.search_trees import states_of
from tests.support.small_games import compiled, compiled_tree, dots_and_boxes, vectors
from tests.support.tree_games import Tree, last_choice, position, trees, turns


def exhausted(machine: StateMachine) -> TreeSearch:
    """Search from the initial state until the root is proved, or nothing more can be proved."""
    assert isinstance(machine, gdl.engine.PropnetStateMachine)
    search = TreeSearch(machine, Settings(), seed=1, memory=2**20)
    search.set_root(machine.initial_state())
    for _ in range(400):
        search.run(10)
        if search.is_proved:
            break
    return search


def root_bounds(search: TreeSearch) -> list[tuple[int, int]]:
    return [search.bounds(role) for role in range(len(search.machine.roles))]


def check_nodes(search: TreeSearch, oracle: Oracle) -> None:
    """Check the bounds of all nodes against the oracle's values."""
    tree, roles = search.memory.tree, search.machine.roles
    has_chance = any(map(moves_by_chance, roles))
    for node, state in enumerate(states_of(search)):
        if tree.nodes[node]["last_descent"] < 0:
            continue
        for own, value in zip(tree.roles[node], oracle.values(state), strict=True):
            assert int(own["low"]) <= value <= int(own["high"])
            if tree.nodes[node]["is_proved"] and not has_chance:
                assert own["low"] == own["high"]


def check(tree: Tree, roles: Sequence[str]) -> None:
    """Check that the tree is exhausted, and the bounds of all nodes against the oracle's values."""
    machine = compiled_tree(turns(tree, roles))
    search, oracle = exhausted(machine), Oracle(machine)
    assert search.is_proved
    check_nodes(search, oracle)


# ---------------------------------------------------------------------- kinds of games


@pytest.mark.thorough
@settings(max_examples=15, deadline=None)
@given(trees)
def test_two_rivals_for_a_constant_sum(tree: Tree) -> None:
    check(tree, ("left", "right"))


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(vectors(2))
def test_two_rivals_without_a_constant_sum(tree: Tree) -> None:
    check(tree, ("left", "right"))


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(vectors(3))
def test_three_roles(tree: Tree) -> None:
    check(tree, ("one", "two", "three"))


def with_team(tree: Tree) -> Tree:
    """The tree with a third role, which gets what the first one gets."""
    if isinstance(tree, tuple):
        return tuple(with_team(below) for below in tree)
    assert isinstance(tree, list)
    return [*tree, tree[0]]


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(vectors(2).map(with_team))
def test_a_team_of_two_against_one(tree: Tree) -> None:
    check(tree, ("anna", "thief", "bert"))


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(trees, st.permutations(("left", "right", "random")))
def test_chance_between_two_rivals_for_a_constant_sum(tree: Tree, roles: Sequence[str]) -> None:
    check(with_chance(tree, roles.index("random")), roles)


def with_chance(tree: Tree, chance: int) -> Tree:
    """The tree of two rivals with a third role that moves by chance and gets nothing."""
    if isinstance(tree, tuple):
        return tuple(with_chance(below, chance) for below in tree)
    assert isinstance(tree, int)
    values = [tree, 100 - tree]
    return [*values[:chance], 0, *values[chance:]]


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(vectors(3), st.permutations(("left", "right", "random")))
def test_chance_without_a_constant_sum(tree: Tree, roles: Sequence[str]) -> None:
    check(tree, roles)


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(vectors(4))
def test_chance_between_three_roles(tree: Tree) -> None:
    check(tree, ("one", "random", "two", "three"))


# ---------------------------------------------------------------------- examples


def test_a_rival_that_cannot_gain_is_not_expected_to_help() -> None:
    # After our first move the rival gets nothing anyway, and may leave us 100.
    machine = compiled_tree(turns((([100, 0], [0, 0]), ([30, 0], [30, 0]))))
    search = exhausted(machine)
    assert root_bounds(search) == [(30, 30), (0, 0)]
    choice = last_choice(MonteCarlo(playouts=2000), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 30, True)


def test_of_moves_as_good_for_us_the_one_worst_for_the_rival_is_made() -> None:
    machine = compiled_tree(turns(([50, 50], [50, 20], [50, 70], [0, 0])))
    assert root_bounds(exhausted(machine)) == [(50, 50), (20, 20)]
    choice = last_choice(MonteCarlo(playouts=2000), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 50, True)


def test_the_first_of_moves_that_are_as_good_for_all_is_taken() -> None:
    machine = compiled_tree(turns(([50, 10, 30], [50, 30, 10], [50, 20, 20]), ("a", "b", "c")))
    assert root_bounds(exhausted(machine)) == [(50, 50), (10, 10), (30, 30)]


def test_a_move_is_not_explored_where_another_gives_the_rival_nothing() -> None:
    # A win at once that leaves nothing for the rival settles the value, whatever the rest holds.
    rest = ((([20, 50], [100, 70]),), (([100, 20], [0, 70]),))
    search = exhausted(compiled_tree(turns((rest, [100, 0]))))
    assert root_bounds(search) == [(100, 100), (0, 0)]
    unexplored, winning = search.moves(0)
    assert (unexplored.low, unexplored.high) == (0, 100)
    assert (winning.low, winning.high, winning.others) == (100, 100, 0)


def test_proofs_of_two_rivals_outlive_the_nodes_that_are_recycled() -> None:
    machine = compiled(dots_and_boxes(3, 2))
    state, random = machine.initial_state(), Random(0)
    for _ in range(8):
        joint_move = [random.choice(machine.legal_moves(state, role)) for role in machine.roles]
        state = machine.next_state(state, joint_move)
    oracle, search = Oracle(machine), TreeSearch(machine, Settings(), seed=1, memory=0)
    search.set_root(state)
    for _ in range(20_000):
        search.run(10)
        if search.is_proved:
            break
    assert search.is_proved
    assert search.memory.counts[RECYCLED] > 0
    check_nodes(search, oracle)


def test_an_exhausted_game_without_a_constant_sum_is_reported_as_solved() -> None:
    machine = compiled(dots_and_boxes(3, 1))
    search, oracle = exhausted(machine), Oracle(machine)
    assert search.is_proved
    values = oracle.values(machine.initial_state())
    assert root_bounds(search) == [(int(value), int(value)) for value in values]
    last = last_choice(MonteCarlo(playouts=200_000), position(machine))
    assert (last.value, last.proved) == (float(values[0]), True)
