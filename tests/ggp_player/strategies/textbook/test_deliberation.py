"""Compulsive deliberation finds short ways to the goal, afresh at every step."""

from __future__ import annotations

import gdl
from ggp_player.strategies import Choice
from ggp_player.strategies.textbook.deliberation import Deliberation
from tests.support.tree_games import Counting, last_choice, play, position, turns

CORRIDOR = """
; A corridor of rooms 0 to 5 without a step limit; the way out is in room 5.
(role walker) (init (room 2))
(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(<= (legal walker back) (true (room ?n)) (after ?m ?n))
(<= (legal walker on) (true (room ?n)) (after ?n ?m))
(<= (next (room ?m)) (true (room ?n)) (does walker on) (after ?n ?m))
(<= (next (room ?m)) (true (room ?n)) (does walker back) (after ?m ?n))
(<= terminal (true (room 5)))
(<= (goal walker 100) (true (room 5)))
"""


def test_the_first_way_to_100_is_taken_without_looking_further():
    machine = Counting(turns((40, 100, (100, 100)), ("max",)))
    choice = last_choice(Deliberation(), position(machine))
    assert choice == Choice(gdl.parse_term("a2"), 100, proved=True, note="depth 1")
    assert machine.leaves == 2


def test_the_first_of_the_best_moves_is_kept():
    machine = turns((40, 70, (70, 10)), ("max",))
    choice = last_choice(Deliberation(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 70, True)


def test_a_deeper_search_finds_more():
    machine = turns((40, (10, (20, 90)), 50), ("max",))
    values = [choice.value for choice in Deliberation().search(position(machine))]
    assert values[0] is None
    assert sorted(set(values[1:])) == [40, 50, 90]
    assert values[1:] == sorted(values[1:])


def test_a_game_without_step_limit_is_played_by_the_shortest_way():
    machine = gdl.interpret(gdl.parse(CORRIDOR))
    choice = last_choice(Deliberation(), position(machine))
    assert (str(choice.move), choice.value, choice.note) == ("on", 100, "depth 3")
    assert play(machine, [Deliberation()], position(machine).random) == [100]


def test_a_way_out_beyond_the_depth_is_not_seen():
    machine = gdl.interpret(gdl.parse(CORRIDOR))
    choice = last_choice(Deliberation(depth=2), position(machine))
    assert (choice.value, choice.proved) == (None, False)


def test_several_roles_are_refused():
    assert Deliberation().refusal(turns((1, 2))) == (
        "deliberation is for games of one role, and this one has max, min"
    )
    assert Deliberation().refusal(turns((1, 2), ("max",))) is None
