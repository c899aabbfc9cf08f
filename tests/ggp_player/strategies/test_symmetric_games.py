"""Searches that use symmetries find and prove the same values as without."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl import State
from gdl.analysis import analyse
from gdl.analysis.symmetry import find_symmetries, generated_group
from gdl.engine.canonical_state import SymmetryGroup
from gdl.engine.machine import PropnetStateMachine
from ggp_player.lab.positions.turns import after_choice
from ggp_player.strategies import Position, StrategyError
from ggp_player.strategies.mcts.arrays import (
    Settings,
)
from ggp_player.strategies.mcts.tree_search import TreeSearch
from ggp_player.strategies.selection.auto import choose_for_compiled
from ggp_player.strategies.selection.registry import create
from ggp_player.strategies.solver.enumeration import Enumeration
from ggp_player.strategies.solver.proof import Proof
from tests.support.search_trees import states_of
from tests.support.small_games import (
    assert_moves_keep_the_value,
    breakthrough,
    compiled,
    connect_four,
    dots_and_boxes,
    game,
    nim,
    sampled,
    solution_of,
)
from tests.support.textbook_solver import minimax_of
from tests.support.tree_games import last_choice, position

MEMORY = 2**22


@cache
def images_of(machine: PropnetStateMachine) -> SymmetryGroup:
    return generated_group(machine, find_symmetries(machine))


# ---------------------------------------------------------------------- random games


def taking_cells(cells: int, wins: Iterable[frozenset[int]], worth: int) -> str:
    """A game in which two roles take cells in turn.

    The first to own a whole winning set gets ``worth``, the other role the rest of 100.
    """
    rules = [
        "(role left) (role right) (opponent left right) (opponent right left) (init (turn left))",
        *(f"(cell {cell})" for cell in range(cells)),
        "(<= (legal ?r (take ?c)) (true (turn ?r)) (cell ?c) (not (taken ?c)))",
        "(<= (legal ?r noop) (opponent ?r ?s) (true (turn ?s)))",
        "(<= (taken ?c) (true (has ?r ?c)))",
        "(<= (next (has ?r ?c)) (does ?r (take ?c)))",
        "(<= (next (has ?r ?c)) (true (has ?r ?c)))",
        "(<= (next (turn ?s)) (true (turn ?r)) (opponent ?r ?s))",
        "(<= open (cell ?c) (not (taken ?c)))",
        "(<= terminal (not open)) (<= terminal (won ?r))",
        "(<= (goal ?r 50) (role ?r) (not (won left)) (not (won right)))",
        f"(<= (goal ?r {worth}) (won ?r))",
        f"(<= (goal ?s {100 - worth}) (won ?r) (opponent ?r ?s))",
    ]
    for owned in wins:
        held = " ".join(f"(true (has ?r {cell}))" for cell in sorted(owned))
        rules.append(f"(<= (won ?r) (role ?r) {held})")
    return "\n".join(rules)


@st.composite
def symmetric_games(draw: st.DrawFn) -> str:
    """Draw a game whose winning sets are closed under a permutation of the cells."""
    cells = draw(st.integers(4, 5))
    permutation = draw(st.permutations(range(cells)))
    wins: dict[frozenset[int], None] = {}
    for _ in range(draw(st.integers(1, 2))):
        owned = frozenset(draw(st.sets(st.integers(0, cells - 1), min_size=2, max_size=3)))
        while owned not in wins:
            wins[owned] = None
            owned = frozenset(permutation[cell] for cell in owned)
    return taking_cells(cells, wins, draw(st.sampled_from((30, 100))))


def search_of(machine: PropnetStateMachine, state: State, seed: int = 1) -> TreeSearch:
    search = TreeSearch(machine, Settings(), seed, MEMORY, images_of(machine))
    search.set_root(state)
    return search


def assert_bounds_hold(search: TreeSearch, value: Callable[[State, int], float]) -> None:
    """All bounds that a tree has proved include the value of minimax."""
    tree = search.memory.tree
    for node, state in enumerate(states_of(search)):
        for role in range(2):
            own = tree.roles[node, role]
            assert own["low"] <= value(state, role) <= own["high"]


@pytest.mark.thorough
@settings(max_examples=12, deadline=None)
@given(symmetric_games())
def test_all_searches_find_the_values_of_minimax(text: str) -> None:
    machine = gdl.compile(gdl.parse(text))
    value, images = minimax_of(machine), images_of(machine)
    solution = solution_of(Enumeration(symmetries=images), machine)
    provers = [Proof(megabytes=1, symmetries=images) for _ in machine.roles]
    for state in [machine.initial_state(), *sampled(machine, 4, Random(1))]:
        search = search_of(machine, state)
        search.run(300)
        assert search.is_proved
        assert_bounds_hold(search, value)
        for role in range(2):
            exact = value(state, role)
            start = position(machine, role, state)
            assert search.bounds(role) == (exact, exact)
            assert solution.bounds(state, machine.roles[role]).low == exact
            choices = [last_choice(provers[role], start), solution.best(start)]
            assert all((choice.value, choice.proved) == (exact, True) for choice in choices)
            if len(start.legal_moves) == 1:
                continue
            for choice in choices:
                assert value(after_choice(machine, state, role, choice.move), role) == exact
            for report in (*provers[role].report(start), *solution.report(start)):
                known = value(after_choice(machine, state, role, report.move), role)
                assert report.bounds is not None
                assert report.bounds[0] <= known <= report.bounds[1]
            for tried in search.moves(role):
                known = value(
                    after_choice(machine, state, role, machine.moves[role][tried.index]), role
                )
                assert tried.low <= known <= tried.high


# ---------------------------------------------------------------------- boards


BOARDS = [
    pytest.param(game("ticTacToe"), id="ticTacToe"),
    pytest.param(nim((3, 3, 3)), id="nim", marks=pytest.mark.thorough),
    pytest.param(dots_and_boxes(2, 2), id="dotsAndBoxes2x2"),
    pytest.param(breakthrough(3, 4), id="breakthrough3x4"),
    pytest.param(connect_four(4, 4), id="connectFour4x4", marks=pytest.mark.slow),
    pytest.param(breakthrough(4, 4), id="breakthrough4x4", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("text", BOARDS)
def test_every_move_keeps_the_value(text: str) -> None:
    machine = compiled(text)
    images = images_of(machine)
    assert len(images.facts) > 1
    plain, enumeration = solution_of(Enumeration(), machine), Enumeration(symmetries=images)
    assert solution_of(enumeration, machine).states < 0.6 * plain.states
    assert_moves_keep_the_value(machine, plain, dict.fromkeys(machine.roles, enumeration))
    provers = {role: Proof(megabytes=16, symmetries=images) for role in machine.roles}
    assert_moves_keep_the_value(machine, plain, provers)


@pytest.mark.parametrize("text", BOARDS)
def test_the_bounds_of_the_tree_hold(text: str) -> None:
    machine = compiled(text)
    solution = solution_of(Enumeration(), machine)
    search = search_of(machine, machine.initial_state())
    for state in [machine.initial_state(), *sampled(machine, 2, Random(2))]:
        search.set_root(state)
        search.run(100)
        assert_bounds_hold(
            search, lambda state, role: solution.bounds(state, machine.roles[role]).low
        )


def test_tic_tac_toe_has_765_canonical_states() -> None:
    machine = compiled(game("ticTacToe"))
    assert solution_of(Enumeration(symmetries=images_of(machine)), machine).states == 765


def test_one_move_of_each_orbit_is_searched() -> None:
    machine = compiled(game("ticTacToe"))
    search = search_of(machine, machine.initial_state())
    search.run(2000)
    assert search.is_proved
    assert search.nodes < 1000
    moves = {str(machine.moves[0][tried.index]) for tried in search.moves(0)}
    corners = {"(put a1)", "(put a3)", "(put c1)", "(put c3)"}
    edges = {"(put a2)", "(put b1)", "(put b3)", "(put c2)"}
    assert [len(moves & orbit) for orbit in (corners, edges, {"(put b2)"})] == [1, 1, 1]


@pytest.mark.parametrize("name", ["connectFour", "biddingTicTacToe", "diceRace"])
def test_moves_and_lines_are_those_of_the_state_asked_about(name: str) -> None:
    machine = compiled(game(name))
    search = search_of(machine, machine.initial_state())
    for state in sampled(machine, 4, Random(4)):
        search.set_root(state)
        search.run(30)
        for role, names in enumerate(machine.moves):
            for tried in search.moves(role):
                assert names[tried.index] in machine.legal_moves(state, machine.roles[role])
                assert_can_be_played(machine, state, search.line(role, tried.index))


def assert_can_be_played(
    machine: PropnetStateMachine, state: State, line: tuple[tuple[gdl.Term, ...], ...]
) -> None:
    for joint_move in line:
        assert joint_move in list(gdl.joint_moves(machine, state))
        state = machine.next_state(state, joint_move)


def test_mirrored_states_have_mirrored_statistics() -> None:
    machine = compiled(game("connectFour"))
    start, found = machine.initial_state(), []
    for column in (2, 6):
        state = after_choice(machine, start, 0, gdl.parse_term(f"(drop {column})"))
        search = search_of(machine, state)
        search.run(100)
        found.append([(tried.index, tried.visits) for tried in search.moves(1)])
    mirrored = [(6 - index, visits) for index, visits in found[1]]
    assert sorted(found[0]) == sorted(mirrored)


def test_the_same_seed_and_steps_give_the_same_tree() -> None:
    machine = compiled(game("connectFour"))
    first, second = (search_of(machine, machine.initial_state()) for _ in range(2))
    for search in (first, second):
        search.run(100)
    assert first.moves(0) == second.moves(0)
    assert (first.memory.tree.state == second.memory.tree.state).all()


def test_chance_keeps_all_of_its_moves() -> None:
    rules = """
    (role random) (role player) (init start) (coin heads) (coin tails)
    (<= (legal random ?c) (coin ?c) (true start)) (<= (legal random wait) (not (true start)))
    (<= (legal player wait) (true start)) (<= (legal player ?c) (coin ?c) (not (true start)))
    (<= (next (up ?c)) (does random ?c)) (<= (next (up ?c)) (true (up ?c)))
    (<= (next (said ?c)) (coin ?c) (does player ?c)) (<= terminal (true (said ?c)))
    (<= right (true (up ?c)) (true (said ?c)))
    (<= (goal player 100) right) (<= (goal player 0) (not right))
    """
    machine = compiled(rules)
    assert len(images_of(machine).facts) == 2
    search = search_of(machine, machine.initial_state())
    search.run(20)
    assert len(search.moves(0)) == 2


# ---------------------------------------------------------------------- strategies


def test_auto_gives_its_searches_the_symmetries() -> None:
    machine = compiled(game("ticTacToe"))
    start = position(machine)
    strategy = choose_for_compiled(machine, analyse(machine), threads=1)
    *_, last = strategy.search(start)
    assert last.proved
    assert len(strategy.report(Position(machine, start.state, machine.roles[0]))) <= 9


def test_symmetries_cannot_be_given_as_text() -> None:
    with pytest.raises(StrategyError, match="mcts has no parameter 'symmetries'"):
        create("mcts:symmetries=1")
