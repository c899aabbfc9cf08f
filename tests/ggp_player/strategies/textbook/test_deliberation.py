"""Compulsive deliberation finds short paths to the goal, afresh at every step."""

from __future__ import annotations

import gdl
from ggp_player.strategies import Choice, Counts
from ggp_player.strategies.textbook.deliberation import Deliberation
from tests.support.tree_games import CORRIDOR, Counting, last_choice, play, position, turns


def test_the_first_path_to_100_is_taken_without_looking_further() -> None:
    machine = Counting(turns((40, 100, (100, 100)), ("max",)))
    choice = last_choice(Deliberation(), position(machine))
    assert choice == Choice(gdl.parse_term("a2"), 100, proved=True, counts=Counts(depth=1))
    assert machine.leaves == 2


def test_the_first_of_the_best_moves_is_kept() -> None:
    machine = turns((40, 70, (70, 10)), ("max",))
    choice = last_choice(Deliberation(), position(machine))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 70, True)


def test_a_deeper_search_finds_more() -> None:
    machine = turns((40, (10, (20, 90)), 50), ("max",))
    first, *later = [choice.value for choice in Deliberation().search(position(machine))]
    values = [value for value in later if value is not None]
    assert first is None
    assert len(values) == len(later)
    assert sorted(set(values)) == [40, 50, 90]
    assert values == sorted(values)


def test_a_game_without_step_limit_is_played_by_the_shortest_way() -> None:
    machine = gdl.interpret(gdl.parse(CORRIDOR))
    choice = last_choice(Deliberation(), position(machine))
    assert (str(choice.move), choice.value, choice.details) == ("on", 100, "depth 3")
    assert play(machine, [Deliberation()], position(machine).random) == [100]


def test_a_way_out_beyond_the_depth_is_not_seen() -> None:
    machine = gdl.interpret(gdl.parse(CORRIDOR))
    choice = last_choice(Deliberation(depth=2), position(machine))
    assert (choice.value, choice.proved) == (None, False)


def test_several_roles_are_refused() -> None:
    assert Deliberation().refusal(turns((1, 2))) == (
        "deliberation is for games of one role, and this one has max, min"
    )
    assert Deliberation().refusal(turns((1, 2), ("max",))) is None
