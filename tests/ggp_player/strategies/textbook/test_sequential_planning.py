"""Sequential planning finds a plan once and replays it."""

from __future__ import annotations

from itertools import islice
from random import Random

import gdl
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning
from tests.support.tree_games import (
    CORRIDOR,
    Counting,
    constants,
    last_choice,
    play,
    position,
    turns,
)

DEEP = (20, (10, (30, (0, 100))), (40, 0))


def test_a_plan_is_found_once_and_replayed() -> None:
    machine = Counting(turns(DEEP, ("max",)))
    strategy = SequentialPlanning()
    state, moves = machine.initial_state(), []
    while not machine.is_terminal(state):
        choices = list(strategy.search(position(machine, state=state)))
        moves.append(choices[-1].move)
        assert choices[-1].proved
        assert len(choices) == 1 or not moves[1:]
        state = machine.next_state(state, moves[-1:])
    assert [str(move) for move in moves] == ["a2", "a2", "a2", "a2"]
    assert machine.goal(state, machine.roles[0]) == 100


def test_a_state_that_the_plan_does_not_foresee_is_searched_afresh() -> None:
    machine = turns((20, (10, 60), (40, (100, 0))), ("max",))
    strategy = SequentialPlanning()
    assert str(last_choice(strategy, position(machine)).move) == "a3"
    aside = machine.next_state(machine.initial_state(), constants("a2"))
    choice = last_choice(strategy, position(machine, state=aside))
    assert (str(choice.move), choice.value, choice.proved) == ("a2", 60, True)


def test_a_plan_for_less_than_100_is_final_only_when_all_is_seen() -> None:
    machine = turns((20, (10, 60), (40, (80, 0))), ("max",))
    choices = list(SequentialPlanning().search(position(machine)))
    assert [choice.proved for choice in choices].count(True) == 1
    assert (choices[-1].value, choices[-1].proved) == (80, True)
    values = [choice.value for choice in choices[1:] if choice.value is not None]
    assert choices[0].value is None
    assert len(values) == len(choices) - 1
    assert values == sorted(values)


def test_a_search_that_was_stopped_goes_on_where_it_was() -> None:
    machine = turns((20, (10, 60), (40, (80, (70, 0)))), ("max",))
    needed = len(list(SequentialPlanning().search(position(machine))))
    strategy, start = SequentialPlanning(), position(machine)
    for _ in range(needed):
        choices = list(islice(strategy.search(start), 3))
        if choices[-1].proved:
            break
    assert (choices[-1].value, choices[-1].proved) == (80, True)


def test_cycles_do_not_matter() -> None:
    machine = gdl.interpret(gdl.parse(CORRIDOR))
    assert play(machine, [SequentialPlanning()], Random(1)) == [100]


def test_memory_that_is_too_small_leaves_the_playouts() -> None:
    machine = gdl.interpret(gdl.parse(CORRIDOR))
    assert last_choice(SequentialPlanning(states=1), position(machine)).value == 100


def test_what_did_not_fit_into_memory_is_not_taken_for_seen() -> None:
    machine = turns((20, (10, 60), (40, (80, 0))), ("max",))
    choices = list(islice(SequentialPlanning(states=1).search(position(machine)), 200))
    assert choices[-1].value == 80
    assert not any(choice.proved for choice in choices)


def test_a_game_that_cannot_be_won_ends_the_search() -> None:
    rules = CORRIDOR.replace("(goal walker 100)", "(goal walker 0)")
    machine = gdl.interpret(gdl.parse(rules))
    choice = last_choice(SequentialPlanning(), position(machine))
    assert (choice.value, choice.proved) == (0, True)


def test_several_roles_are_refused() -> None:
    assert SequentialPlanning().refusal(turns((1, 2), ("max", "random"))) == (
        "planning is for games of one role, and this one has max, random"
    )
    assert SequentialPlanning().refusal(turns((1, 2), ("max",))) is None
