"""Two rulesheets of one game are told from two games, by the shortest line of play."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import pytest

import gdl
from gdl.oracle.comparison import Bounds, Comparison, Verdict, compare
from gdl.state_machine import joint_moves
from tests.support.small_games import changed, game

COUNTER = """
(role you) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(legal you up) (<= (legal you down) (true (at 2)))
(<= (next (at ?n)) (does you up) (true (at ?m)) (succ ?m ?n))
(<= (next (at ?m)) (does you down) (true (at ?n)) (succ ?m ?n))
(<= terminal (true (at 3))) (<= (goal you 100) (true (at 3))) (goal you 0)
(<= (sees you ?f) (true ?f))
"""


def compared(first: str, second: str, bounds: Bounds | None = None) -> Comparison:
    return compare(gdl.parse(first), gdl.parse(second), gdl.interpret, bounds)


def test_other_names_and_another_order_are_the_same_rules() -> None:
    renamed = COUNTER.replace("up", "rise").replace("at ", "height ")
    backwards = "\n".join(reversed(renamed.strip().split("\n")))
    assert compared(COUNTER, backwards).verdict is Verdict.SAME_RULES


def test_other_rules_with_the_same_states_are_the_same_game() -> None:
    second = COUNTER + "(<= (legal you up) (true (at 1))) (unused a)"
    assert compared(COUNTER, second) == Comparison(Verdict.SAME_GAME, states=4, depth=3)


def test_states_may_be_written_in_other_facts() -> None:
    second = COUNTER.replace("(at ", "(height of ").replace("(true ?f)", "(true (height of ?n))")
    second = second.replace("(sees you ?f)", "(sees you (at ?n))") + "(unused a)"
    assert compared(COUNTER, second).verdict is Verdict.SAME_GAME


CHANGES = {
    "roles": ("(role you)", "(role you) (role other)", 0),
    "legal moves of you": ("(<= (legal you down) (true (at 2)))", "", 2),
    "the end": ("terminal (true (at 3))", "terminal (true (at 1))", 1),
    "goals of you": ("(goal you 100)", "(goal you 90)", 3),
    "percepts of you": ("(sees you ?f)", "(sees you (f ?f))", 1),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("is_swapped", [False, True])
def test_each_kind_of_difference_is_found_where_it_first_shows(what: str, is_swapped: bool) -> None:
    old, new, length = CHANGES[what]
    second = COUNTER.replace(old, new)
    pair = (second, COUNTER) if is_swapped else (COUNTER, second)
    found = compared(*pair)
    assert found.verdict is Verdict.DIFFERENT
    assert found.difference is not None
    assert (found.difference.what, len(found.difference.line)) == (what, length)
    assert found.difference.first != found.difference.second
    assert found.difference.is_shortest


def test_goals_before_the_end_do_not_count() -> None:
    second = COUNTER.replace("(goal you 0)", "(<= (goal you 0) (true (at 3)))")
    assert compared(COUNTER, second).verdict is Verdict.SAME_GAME


def first_line_to_an_end() -> int:
    """The length of the shortest match of nim, by a search of its own."""
    machine = gdl.interpret(gdl.parse(game("nim")))
    queue = deque([(machine.initial_state(), 0)])
    while queue:
        state, depth = queue.popleft()
        if machine.is_terminal(state):
            return depth
        queue.extend((machine.next_state(state, m), depth + 1) for m in joint_moves(machine, state))
    raise AssertionError


def test_the_line_is_the_shortest() -> None:
    found = compared(game("nim"), changed("nim", ("?role 100", "?role 99")))
    assert found.difference is not None
    assert len(found.difference.line) == first_line_to_an_end()


def test_too_many_states_are_no_agreement() -> None:
    first, second = game("connectFour"), game("connectFour") + "(unused a)"
    found = compared(first, second, Bounds(states=60, playouts=2))
    assert found == Comparison(Verdict.NOT_FOUND, states=60, depth=2, playouts=2)


def test_playouts_look_deeper_than_the_bound() -> None:
    old, new = "(goal ?role 100)", "(goal ?role 99)"
    text = game("connectFour")
    assert old in text
    bounds = Bounds(states=10, playouts=20)
    found = compared(text, text.replace(old, new), bounds)
    assert found.verdict is Verdict.DIFFERENT
    assert found.difference is not None
    assert not found.difference.is_shortest
    assert len(found.difference.line) >= 7
    fewer = compared(text, text.replace(old, new), replace(bounds, playouts=0))
    assert fewer.verdict is Verdict.NOT_FOUND


def test_a_difference_just_behind_the_bound_is_the_shortest() -> None:
    second = COUNTER.replace("(<= (legal you down) (true (at 2)))", "")
    found = compared(COUNTER, second, Bounds(states=2))
    assert found.difference is not None
    assert found.difference.is_shortest
    assert len(found.difference.line) == 2
