"""Enumeration finds minimax's values for every state, and plays by them."""

from __future__ import annotations

import re
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gdl
from gdl.engine.machine import PropnetStateMachine
from gdl.playouts import play_out
from ggp_player.strategies import Choice, Limit
from ggp_player.strategies.solver.enumeration import Enumeration
from ggp_player.strategies.solver.solution import Solution, SolutionBounds
from ggp_player.strategies.textbook.alpha_beta import AlphaBeta
from tests.support.marks import thorough
from tests.support.small_games import (
    BOARDS,
    assert_moves_keep_the_value,
    assert_value_of_minimax,
    compiled,
    compiled_tree,
    connect_four,
    game,
    games_in_turn,
    nim,
    sampled,
    solution_of,
)
from tests.support.textbook_solver import minimax_of
from tests.support.tree_games import (
    LOOP,
    Tree,
    last_choice,
    matrices,
    play,
    position,
    together,
    trees,
    turns,
    utilities,
)


def solved(machine: PropnetStateMachine) -> Solution:
    return solution_of(Enumeration(), machine)


# ---------------------------------------------------------------------- agreement


games_of_choices_at_once = matrices(st.recursive(utilities, matrices, max_leaves=10)).map(
    lambda tree: compiled_tree(together(tree))
)


@pytest.mark.thorough
@settings(max_examples=50)
@given(games_in_turn | games_of_choices_at_once)
def test_values_are_those_of_minimax(machine: PropnetStateMachine) -> None:
    for role in range(len(machine.roles)):
        assert_value_of_minimax(Enumeration(), position(machine, role))


@pytest.mark.thorough
@settings(max_examples=15)
@given(trees)
def test_of_chance_the_mean_is_taken(tree: Tree) -> None:
    machine = compiled_tree(turns(tree, ("max", "min", "random")))
    for role in (0, 1):
        mean = last_choice(AlphaBeta(), position(machine, role)).value
        assert last_choice(Enumeration(), position(machine, role)).value == pytest.approx(mean)


@pytest.mark.parametrize("text", [*thorough(game("ticTacToe")), nim((2, 3, 4))])
def test_every_state_on_random_paths_has_the_value_of_minimax(text: str) -> None:
    machine = compiled(text)
    solution = solved(machine)
    value_of = minimax_of(machine)
    for reached in sampled(machine, 25, Random(1)):
        for number, role in enumerate(machine.roles):
            value, bounds = value_of(reached, number), solution.bounds(reached, role)
            assert (bounds.low, bounds.high) == (value, value)


# ---------------------------------------------------------------------- perfect play


@pytest.mark.parametrize("text", BOARDS)
def test_every_move_keeps_the_value(text: str) -> None:
    machine, strategy = compiled(text), Enumeration()
    solution = solution_of(strategy, machine)
    assert_moves_keep_the_value(machine, solution, dict.fromkeys(machine.roles, strategy))


def test_known_numbers_of_states_and_values() -> None:
    # J. Tromp: 161,029 positions of 4 x 4 connect four.
    solution = solved(compiled(connect_four(4, 4)))
    machine = compiled(connect_four(4, 4))
    assert solution.states == 161_029
    assert solution.bounds(machine.initial_state(), machine.roles[0]) == SolutionBounds(50, 50, 16)
    assert solved(compiled(game("ticTacToe"))).states == 5478


def test_a_lost_role_holds_out_and_a_winner_hurries() -> None:
    # Of the winning moves the second is quicker; of the replies the second holds out longer.
    tree = ((((100, 100), 100), ((100, 100), 100)), (100, ((100,),)), 0)
    machine = compiled_tree(turns(tree))
    solution = solved(machine)
    start = position(machine)
    assert solution.bounds(start.state, machine.roles[0]) == SolutionBounds(100, 100, 3)
    best = solution.best(start)
    after = machine.next_state(start.state, (best.move, gdl.parse_term("noop")))
    assert solution.bounds(after, machine.roles[0]).steps == 2
    assert "3 steps to the end" in best.note


def test_where_a_draw_is_all_there_is_mistakes_are_invited() -> None:
    machine = compiled_tree(turns(((50, 50), (50, 100), (50, 60))))
    assert str(last_choice(Enumeration(), position(machine)).move) == "a2"


# ---------------------------------------------------------------------- cycles and limits


def test_cycles_leave_what_cannot_be_forced_unknown() -> None:
    machine = gdl.compile(gdl.parse(LOOP))
    strategy = Enumeration()
    choice = last_choice(strategy, position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("out", 70, False)
    assert strategy.solution is not None
    assert strategy.solution.bounds(machine.initial_state(), machine.roles[0]) == SolutionBounds(
        70, 100, 1
    )


def test_cycles_do_not_hide_a_win() -> None:
    machine = gdl.compile(gdl.parse(LOOP.replace("(goal max 70)", "(goal max 100)")))
    choice = last_choice(Enumeration(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("out", 100, True)


def test_a_path_through_cycles_is_found() -> None:
    machine = compiled(game("keyMaze"))
    assert play(machine, [Enumeration()], Random(1)) == [100]


@pytest.mark.parametrize("limit", [{"states": 100}, {"megabytes": 1}], ids=str)
def test_limits_are_kept(limit: dict[str, Any]) -> None:
    strategy = Enumeration(**limit)
    machine = compiled(connect_four(4, 4))
    choice = last_choice(strategy, position(machine))
    assert choice.move == machine.legal_moves(machine.initial_state(), machine.roles[0])[0]
    assert choice.value is None
    assert not choice.proved
    assert choice.limit == (Limit.STATES if "states" in limit else Limit.MEMORY)
    assert re.fullmatch(rf"\d+ states found, \d+ expanded, {choice.limit}", choice.details)
    assert strategy.solution is None


def test_what_was_stopped_goes_on() -> None:
    machine = compiled(connect_four(4, 4))
    start = position(machine)
    whole = sum(1 for _ in Enumeration().search(start))
    strategy = Enumeration()
    parts = len(list(islice(strategy.search(start), 4)))
    _, (_, state, *_) = play_out(machine, Random(1), 1)
    later = list(strategy.search(position(machine, 1, state)))
    assert later[-1].proved
    assert parts + len(later) <= whole + 3


def test_a_solution_is_kept_between_steps() -> None:
    machine, strategy = compiled(game("ticTacToe")), Enumeration()
    last_choice(strategy, position(machine))
    _, (_, after, *_) = play_out(machine, Random(1), 1)
    assert len(list(strategy.search(position(machine, 1, after)))) == 1


def test_a_state_from_elsewhere_is_enumerated_afresh() -> None:
    machine, strategy = compiled(game("ticTacToe")), Enumeration()
    _, (_, after, *_) = play_out(machine, Random(1), 1)
    last_choice(strategy, position(machine, 1, after))
    assert strategy.solution is not None
    assert machine.initial_state() not in strategy.solution
    with pytest.raises(KeyError, match="was not reached"):
        strategy.solution.bounds(machine.initial_state(), machine.roles[0])
    assert last_choice(strategy, position(machine)).value == 50


def test_every_move_is_reported() -> None:
    machine, strategy = compiled_tree(turns(((3, 12, 8), (2, 4, 6), (14, 5, 2)))), Enumeration()
    assert strategy.report(position(machine)) == ()
    assert last_choice(strategy, position(machine)).value == 3
    report = strategy.report(position(machine))
    assert [(str(each.move), each.bounds, each.proved) for each in report] == [
        ("a1", (3, 3), True),
        ("a2", (2, 2), True),
        ("a3", (2, 2), True),
    ]


def test_the_first_choice_is_there_before_any_search() -> None:
    machine = compiled(game("ticTacToe"))
    first = next(Enumeration().search(position(machine)))
    assert first.move in machine.legal_moves(machine.initial_state(), machine.roles[0])
    assert first == Choice.first_of([first.move], "enumeration begins")


def test_machines_without_blocks_are_refused() -> None:
    assert (
        Enumeration().refusal(turns((1, 2)))
        == "enumeration needs the compiled machine, and these rules are interpreted"
    )
    assert Enumeration().refusal(compiled(game("ticTacToe"))) is None
