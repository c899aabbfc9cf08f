"""Auto looks at the game, says what it has found, and plays accordingly."""

from __future__ import annotations

import logging
from itertools import takewhile

import pytest

import gdl
from ggp_player.strategies import Choice, Position
from ggp_player.strategies.selection.auto import SURVEY_STEPS, Auto, GameProbe, suitable
from tests.support.paths import GAMES
from tests.support.tree_games import (
    CORRIDOR,
    LOOP,
    THREE_PLAYERS,
    TWO_PLY,
    last_choice,
    position,
    together,
    turns,
)

NON_ZERO_SUM = (([100, 100], [0, 0]), ([30, 40], [40, 30]))


def surveyed(machine: gdl.StateMachine) -> GameProbe:
    survey = GameProbe()
    for _ in survey.explore(position(machine)):
        pass
    return survey


@pytest.mark.parametrize(
    ("machine", "name", "reason"),
    [
        (turns(TWO_PLY), "alpha_beta", "two rivals for a constant sum, moves in turn, a small"),
        (together(TWO_PLY), "alpha_beta", "constant sum, moves at the same time, a small tree"),
        (turns(NON_ZERO_SUM), "max_n", "two players with interests of their own"),
        (turns(THREE_PLAYERS, ("a", "b", "c")), "max_n", "3 players"),
        (turns(TWO_PLY, ("max", "random")), "alpha_beta", "one player against chance"),
        (turns(TWO_PLY, ("max",)), "planning", "one player"),
    ],
)
def test_the_game_decides(machine, name, reason):
    strategy, why = suitable(position(machine), surveyed(machine))
    assert strategy.name == name
    assert reason in why


def test_the_choice_is_logged_and_noted(caplog):
    machine = turns(TWO_PLY)
    with caplog.at_level(logging.INFO, "ggp_player"):
        first, *_, last = Auto().search(position(machine))
    assert first == Choice(gdl.parse_term("a1"), note="looking at the game")
    assert last.note.startswith("alpha_beta, two rivals for a constant sum")
    assert (last.value, last.proved) == (3, True)
    assert "max plays as alpha_beta: two rivals" in caplog.text


def test_the_choice_is_made_once(caplog):
    machine, auto = turns(TWO_PLY), Auto()
    with caplog.at_level(logging.INFO, "ggp_player"):
        for _ in range(3):
            assert last_choice(auto, position(machine)).value == 3
    assert len(caplog.records) == 1


def test_a_survey_estimates_the_size_of_the_tree():
    survey = surveyed(turns(TWO_PLY))
    assert survey.size == 9
    assert survey.constant_sum
    assert not survey.simultaneous


def test_a_survey_of_an_endless_game_ends():
    survey = surveyed(gdl.interpret(gdl.parse(LOOP.replace("(legal max out)", ""))))
    assert survey.steps == SURVEY_STEPS
    assert survey.size is None
    assert survey.constant_sum


def test_a_survey_that_was_stopped_is_not_begun_again():
    machine, auto = gdl.interpret(gdl.parse(LOOP.replace("(legal max out)", ""))), Auto()
    steps = 0
    for _ in range(3):
        for choice in auto.search(position(machine)):
            if choice.note != "looking at the game":
                break
            steps += 1
            if steps % 60 == 0:
                break
    assert steps <= SURVEY_STEPS + 3


def test_a_puzzle_is_planned():
    machine = gdl.interpret(gdl.parse(CORRIDOR))
    choice = last_choice(Auto(), position(machine))
    assert (choice.value, choice.proved) == (100, True)
    assert choice.note.startswith("planning, one player; plan of length")


@pytest.mark.parametrize(
    ("name", "strategy", "reason"),
    [
        ("ticTacToe", "company", "two rivals for a constant sum, moves in turn, with enumeration"),
        ("breakthrough", "company", "moves in turn, with proof"),
        ("tron", "mcts", "two rivals for a constant sum, moves at the same time"),
        ("trefoil", "mcts", "3 players with interests of their own, moves in turn"),
        ("pig", "company", "two rivals for a constant sum, moves in turn, with enumeration"),
        ("hanoi", "planner", "one player"),
    ],
)
def test_compiled_games_are_analysed(name, strategy, reason, caplog):
    file = {"hanoi": "towersOfHanoi"}.get(name, name)
    machine = gdl.compile(gdl.load(GAMES / f"{file}.kif"))
    auto = Auto(threads=1)
    mover = next(role for role in machine.roles if role.name != "random")
    search = auto.search(Position(machine, machine.initial_state(), mover))
    with caplog.at_level(logging.INFO, "ggp_player"):
        choices = [choice for choice, _ in zip(search, range(12), strict=False)]
    assert f"{mover} plays as {strategy}" in caplog.text
    assert reason in caplog.text
    assert choices[-1].note.startswith(f"{strategy}, ")


def test_a_solved_game_is_played_from_memory():
    machine = gdl.compile(gdl.load(GAMES / "ticTacToe.kif"))
    auto = Auto(threads=1)
    first = Position(machine, machine.initial_state(), machine.roles[0])
    *_, last = auto.search(first)
    assert (last.value, last.proved) == (50, True)
    assert {known.bounds[1] for known in auto.report(first)} == {50}


def test_an_analysis_that_is_broken_off_goes_on_in_the_next_position():
    def looks(auto: Auto) -> int:
        choices = auto.search(position(machine))
        return len(list(takewhile(lambda choice: choice.note == "looking at the game", choices)))

    machine = gdl.compile(gdl.load(GAMES / "ticTacToe.kif"))
    whole, broken_off = Auto(threads=1), Auto(threads=1)
    beginning = broken_off.search(position(machine))
    for _ in range(4):
        assert next(beginning).note == "looking at the game"
    beginning.close()
    assert looks(broken_off) == looks(whole) - 3
