"""The planner finds plans, follows them, and goes on from where it was."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

import gdl
from gdl.engine.successors import packed_state
from ggp_player.strategies.planner.delete_relaxation import UNREACHABLE
from ggp_player.strategies.planner.planner import Planner
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning
from tests.support.compiled_games import machine_of
from tests.support.planner_games import (
    PUZZLES,
    QUICK_PUZZLES,
    Measurement,
    measured,
    relaxation_of,
    slices,
    tabulated,
)
from tests.support.small_games import compiled, compiled_tree
from tests.support.tree_games import CORRIDOR, Tree, last_choice, play, position, trees, turns

EVERY_PUZZLE = [
    pytest.param(game, marks=[] if game in QUICK_PUZZLES else [pytest.mark.thorough])
    for game in PUZZLES
]


@pytest.fixture(scope="module")
def measurements() -> Iterator[list[Measurement]]:
    yield from tabulated("our own puzzles")


@pytest.mark.parametrize("game", EVERY_PUZZLE)
def test_puzzles_are_solved(game: str, measurements: list[Measurement]) -> None:
    machine, planner = machine_of(game), Planner()
    found = measured(game, machine, 1500, planner)
    measurements.append(found)
    assert (found.best.value, found.best.proved) == (100, True)
    begin = position(machine)
    (report,) = planner.report(begin)
    assert (report.move, report.value, report.proved) == (found.best.move, 100, True)
    states = [begin.state]
    for moves in report.line:
        states.append(machine.next_state(states[-1], moves))
    assert machine.is_terminal(states[-1])
    assert machine.goal(states[-1], begin.role) == 100
    # No state on the way to the goal is a dead end.
    packed = np.concatenate([packed_state(machine, state) for state in states])
    costs = relaxation_of(machine).costs(packed)
    assert (costs < UNREACHABLE).all()
    assert costs[-1] == 0


@pytest.mark.parametrize("game", ["towersOfHanoi", "warehouse"])
def test_a_plan_is_followed_to_its_end(game: str) -> None:
    assert play(machine_of(game), [Planner()], Random(1)) == [100]


def test_a_final_plan_is_replayed_without_another_search() -> None:
    machine, planner = machine_of("keyMaze"), Planner()
    state = machine.initial_state()
    choice = slices(planner, position(machine), 1500)[-1]
    for _ in range(5):
        assert choice.proved
        state = machine.next_state(state, (choice.move,))
        (choice,) = planner.search(position(machine, state=state))


def test_a_state_that_the_plan_does_not_foresee_is_searched_afresh() -> None:
    machine, planner = machine_of("eightPuzzle"), Planner()
    chosen = slices(planner, position(machine), 1500)[-1].move
    state = machine.initial_state()
    other = next(move for move in machine.legal_moves(state, machine.roles[0]) if move != chosen)
    aside = position(machine, state=machine.next_state(state, (other,)))
    choices = slices(planner, aside, 1500)
    assert len(choices) > 2
    assert choices[-1].proved
    assert choices[-1].move in aside.legal_moves


def test_a_search_that_was_stopped_goes_on_where_it_was() -> None:
    machine, planner = machine_of("lightsOut"), Planner()
    begin = position(machine)
    for _ in range(400):
        choice = slices(planner, begin, 5)[-1]
        if choice.proved:
            break
    assert (choice.value, choice.proved) == (100, True)


def test_the_same_seed_finds_the_same() -> None:
    first, second = (slices(Planner(), position(machine_of("blocksWorld")), 30) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("game", ["warehouse", "pancakes"])
def test_choices_are_legal_at_once_and_only_improve(game: str) -> None:
    begin = position(machine_of(game))
    choices = slices(Planner(), begin, 400)
    values = [choice.value for choice in choices if choice.value is not None]
    assert all(choice.move in begin.legal_moves for choice in choices)
    assert values == sorted(values)
    assert len(values) >= len(choices) - 20


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(trees)
def test_the_best_of_every_tree_is_found_and_proved(tree: Tree) -> None:
    exact = last_choice(SequentialPlanning(), position(turns(tree, ("solver",))))
    choice = last_choice(Planner(), position(compiled_tree(turns(tree, ("solver",)))))
    assert (choice.value, choice.proved) == (exact.value, True)


def test_cycles_do_not_matter() -> None:
    assert play(compiled(CORRIDOR), [Planner()], Random(1)) == [100]


def test_a_game_that_cannot_be_won_ends_the_search() -> None:
    machine = compiled(CORRIDOR.replace("(goal walker 100)", "(goal walker 0)"))
    choice = last_choice(Planner(), position(machine))
    assert (choice.value, choice.proved) == (0, True)


def test_little_memory_leaves_the_playouts() -> None:
    choices = slices(Planner(states=1), position(machine_of("eightPuzzle")), 500)
    assert choices[-1].value is not None
    assert choices[-1].value >= 20
    assert not any(choice.proved for choice in choices if choice.value != 100)


def test_other_machines_are_left_to_the_textbook() -> None:
    machine = gdl.interpret(gdl.parse(CORRIDOR))
    own, textbook = (
        list(kind.search(position(machine))) for kind in (Planner(), SequentialPlanning())
    )
    assert own == textbook


def test_several_roles_are_refused() -> None:
    assert Planner().refusal(turns((1, 2), ("max", "random"))) == (
        "planner is for games of one role, and this one has max, random"
    )
    assert Planner().refusal(turns((1, 2), ("max",))) is None


def test_before_the_search_there_is_no_report() -> None:
    assert Planner().report(position(machine_of("towersOfHanoi"))) == ()


def test_while_a_plan_is_followed_it_only_gets_better() -> None:
    machine, planner = machine_of("pegSolitaire"), Planner()
    state, value = machine.initial_state(), 0.0
    while not machine.is_terminal(state):
        choice = slices(planner, position(machine, state=state), 12)[-1]
        assert (choice.value or 0) >= value
        value, state = choice.value or 0, machine.next_state(state, (choice.move,))
    assert machine.goal(state, machine.roles[0]) == value


def test_states_without_a_legal_move_are_no_ends() -> None:
    rules = """
    (role walker) (init (at a)) (after a trap) (after a b) (after b c) (after b trap)
    (<= (legal walker (go ?to)) (true (at ?from)) (after ?from ?to))
    (<= (next (at ?to)) (does walker (go ?to)))
    (<= terminal (true (at c)))
    (<= (goal walker 70) (true (at c)))
    (<= (goal walker 100) (true (at trap)))
    (<= (goal walker 0) (true (at a)))
    """
    machine = compiled(rules)
    choice = last_choice(Planner(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("(go b)", 70, True)
