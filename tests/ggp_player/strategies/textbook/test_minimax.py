"""Minimax finds the values of the literature, and stays harmless where it cannot."""

from __future__ import annotations

import pytest

import gdl
from ggp_player.strategies import Choice
from ggp_player.strategies.selection.registry import create
from ggp_player.strategies.textbook.minimax import Minimax
from tests.support.tree_games import (
    LOOP,
    TWO_PLY,
    Counting,
    constants,
    last_choice,
    position,
    together,
    turns,
)

STUCK = """
; After "jump" nobody can move and yet the match is not over.
(role max) (role min) (init (at a))
(<= (legal max jump) (true (at a)))
(<= (legal max stay) (true (at a)))
(<= (legal min wait) (true (at a)))
(<= (next (at limbo)) (does max jump))
(<= (next (at end)) (does max stay))
(<= terminal (true (at end)))
(<= (goal max 40) (true (at end)))
"""


def test_two_ply_tree() -> None:
    machine = Counting(turns(TWO_PLY))
    choice = last_choice(Minimax(), position(machine))
    assert choice == Choice(gdl.parse_term("a1"), 3, proved=True)
    assert machine.leaves == 9


def test_choices_improve_from_the_first_legal_move_on() -> None:
    machine = turns(((1, 50), (30, 40), (20, 90)))
    choices = [(str(c.move), c.value, c.proved) for c in Minimax().search(position(machine))]
    assert choices == [
        ("a1", None, False),
        ("a1", 1, False),
        ("a2", 30, False),
        ("a2", 30, False),
        ("a2", 30, True),
    ]


def test_a_move_not_searched_yet_is_preferred_to_one_that_is_worth_nothing() -> None:
    machine = turns(((0, 50), (0, 40), (20, 90)))
    choices = [str(choice.move) for choice in Minimax().search(position(machine))]
    assert choices == ["a1", "a1", "a2", "a1", "a3", "a3", "a3"]


def test_the_first_of_equal_moves_is_chosen() -> None:
    assert str(last_choice(Minimax(), position(turns((7, (9, 7), 7)))).move) == "a1"


def test_simultaneous_moves_are_answered_by_the_worst() -> None:
    matrix = ((10, 90), (30, 40))
    assert last_choice(Minimax(), position(together(matrix))) == Choice(
        gdl.parse_term("a2"), 30, proved=True
    )


def test_the_second_role_minimises_the_first() -> None:
    matrix = ((10, 90), (30, 40))
    choice = last_choice(Minimax(), position(together(matrix), role=1))
    assert (str(choice.move), choice.value) == ("a1", 70)


def test_all_others_are_enemies() -> None:
    tree = ((([40, 0, 100], [90, 0, 0]), ([80, 100, 100], [60, 100, 100])), 30)
    machine = turns(tree, ("one", "two", "three"))
    assert last_choice(Minimax(), position(machine)).value == 40
    assert last_choice(Minimax(), position(turns((([40, 1], [9, 1]), [8, 1])))).value == 9


def test_random_is_an_enemy_too() -> None:
    machine = turns(((0, 100), (10, 20)), ("max", "random"))
    assert last_choice(Minimax(), position(machine)).value == 10


def test_one_player_is_alone() -> None:
    machine = turns((10, (20, (80, 30))), ("max",))
    choice = last_choice(Minimax(), position(machine))
    assert (str(choice.move), choice.value) == ("a2", 80)


def test_a_state_without_goal_values_counts_as_zero() -> None:
    rules = "(role you) (init a) (legal you go) (<= (next b) (does you go)) (<= terminal (true b))"
    machine = gdl.interpret(gdl.parse(rules + "(<= (goal you 100) (true c))"))
    assert last_choice(Minimax(), position(machine)).value == 0


@pytest.mark.parametrize("spec", ["minimax", "bounded_minimax"])
def test_a_line_of_play_without_end_is_left_out(spec: str) -> None:
    machine = gdl.interpret(gdl.parse(LOOP))
    choices = list(create(spec).search(position(machine)))
    assert choices[0] == Choice(gdl.parse_term("on"))
    assert choices[-1] == Choice(gdl.parse_term("out"), 70, proved=False)


def test_nothing_but_lines_without_end() -> None:
    machine = gdl.interpret(gdl.parse(LOOP.replace("(legal max out)", "(legal max round)")))
    choice = last_choice(Minimax(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("on", None, False)
    assert "no end" in choice.note


@pytest.mark.parametrize(
    "spec", ["minimax", "bounded_minimax", "alpha_beta", "max_n", "auto", "legal", "random"]
)
def test_rules_that_leave_a_role_without_moves_break_nothing(spec: str) -> None:
    machine = gdl.interpret(gdl.parse(STUCK))
    assert last_choice(create(spec), position(machine)).move in machine.legal_moves(
        machine.initial_state(), machine.roles[0]
    )
    stuck = machine.next_state(machine.initial_state(), constants("jump", "wait"))
    assert list(create(spec).search(position(machine, state=stuck))) == []
