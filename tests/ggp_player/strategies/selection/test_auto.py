"""Auto analyses or probes the game, says what it has found, and plays accordingly."""

from __future__ import annotations

import logging
from collections.abc import Generator
from itertools import islice, takewhile

import pytest

import gdl
from gdl.analysis import Survey
from ggp_player.strategies import Choice, Method, Position
from ggp_player.strategies.selection.auto import (
    PROBE_STEPS,
    Auto,
    choose_for_interpreted,
    has_constant_sum,
    probe,
)
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

RIVALS = "two rivals for a constant sum, moves"

NON_ZERO_SUM = (([100, 100], [0, 0]), ([30, 40], [40, 30]))


def probed(machine: gdl.StateMachine) -> Survey:
    survey = Survey(len(machine.roles))
    for _ in probe(position(machine), survey):
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
def test_the_game_decides(machine: gdl.StateMachine, name: str, reason: str) -> None:
    strategy, why = choose_for_interpreted(position(machine), probed(machine))
    assert strategy.name == name
    assert reason in why


def test_a_choice_says_who_found_it_and_the_kind_of_game_stands_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    machine, auto = turns(TWO_PLY), Auto()
    assert auto.about_game == ""
    with caplog.at_level(logging.INFO, "ggp_player"):
        first, *_, last = auto.search(position(machine))
    assert first == Choice.first_of([gdl.parse_term("a1")], "analysing the game")
    assert first.explanation == "first legal move; analysing the game"
    assert last.explanation == "alpha-beta; depth 2"
    assert auto.about_game == "two rivals for a constant sum, moves in turn, a small tree"
    assert (last.value, last.proved) == (3, True)
    assert "max plays as alpha_beta: two rivals" in caplog.text


def test_the_choice_is_made_once(caplog: pytest.LogCaptureFixture) -> None:
    machine, auto = turns(TWO_PLY), Auto()
    with caplog.at_level(logging.INFO, "ggp_player"):
        for _ in range(3):
            assert last_choice(auto, position(machine)).value == 3
    assert len(caplog.records) == 1


def test_a_probe_estimates_the_size_of_the_tree() -> None:
    machine = turns(TWO_PLY)
    survey = probed(machine)
    assert survey.lines == 9
    assert has_constant_sum(position(machine), survey)
    assert not survey.together


def test_a_probe_of_an_endless_game_ends() -> None:
    machine = gdl.interpret(gdl.parse(LOOP.replace("(legal max out)", "")))
    survey = probed(machine)
    assert survey.states == PROBE_STEPS
    assert survey.lines is None
    assert has_constant_sum(position(machine), survey)


def test_a_probe_that_was_stopped_is_not_started_again() -> None:
    machine, auto = gdl.interpret(gdl.parse(LOOP.replace("(legal max out)", ""))), Auto()
    steps = 0
    for _ in range(3):
        for choice in auto.search(position(machine)):
            if choice.note != "analysing the game":
                break
            steps += 1
            if steps % 60 == 0:
                break
    assert steps <= PROBE_STEPS + 3


def test_a_puzzle_is_planned() -> None:
    machine, auto = gdl.interpret(gdl.parse(CORRIDOR)), Auto()
    choice = last_choice(auto, position(machine))
    assert (choice.value, choice.proved) == (100, True)
    assert choice.explanation.startswith("plan; plan of length")
    assert auto.about_game == "one player"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "strategy", "kind", "method"),
    [
        ("ticTacToe", "portfolio", f"{RIVALS} in turn", Method.TREE_SEARCH),
        ("breakthrough", "contest", f"{RIVALS} in turn", Method.TREE_SEARCH),
        ("tron", "contest", f"{RIVALS} at the same time", Method.TREE_SEARCH),
        (
            "trefoil",
            "contest",
            "3 players with interests of their own, moves in turn",
            Method.TREE_SEARCH,
        ),
        ("pig", "portfolio", f"{RIVALS} in turn", Method.TREE_SEARCH),
        ("hanoi", "planner", "one player", Method.PLAN),
    ],
)
def test_compiled_games_are_analysed(
    name: str, strategy: str, kind: str, method: Method, caplog: pytest.LogCaptureFixture
) -> None:
    file = {"hanoi": "towersOfHanoi"}.get(name, name)
    machine = gdl.compile(gdl.load(GAMES / f"{file}.kif"))
    auto = Auto(threads=1)
    mover = next(role for role in machine.roles if role.name != "random")
    search = auto.search(Position(machine, machine.initial_state(), mover))
    with caplog.at_level(logging.INFO, "ggp_player"):
        found = next(choice for choice in islice(search, 200) if choice.method == method)
    assert f"{mover} plays as {strategy}: {kind}\n" in caplog.text
    assert auto.about_game == kind
    assert kind not in found.explanation


def test_a_solved_game_is_played_from_memory() -> None:
    machine = gdl.compile(gdl.load(GAMES / "ticTacToe.kif"))
    auto = Auto(threads=1)
    first = Position(machine, machine.initial_state(), machine.roles[0])
    *_, last = auto.search(first)
    assert (last.value, last.proved) == (50, True)
    assert last.method in (Method.SOLVED, Method.TREE_SEARCH), "whichever has proved it first"
    assert {known.bounds[1] for known in auto.report(first)} == {50}


def test_an_interrupted_analysis_goes_on_in_the_next_position() -> None:
    def analysing_choices(auto: Auto) -> int:
        choices = auto.search(position(machine))
        return len(list(takewhile(lambda choice: choice.note == "analysing the game", choices)))

    machine = gdl.compile(gdl.load(GAMES / "ticTacToe.kif"))
    whole, interrupted = Auto(threads=1), Auto(threads=1)
    beginning = interrupted.search(position(machine))
    for _ in range(4):
        assert next(beginning).note == "analysing the game"
    assert isinstance(beginning, Generator)
    beginning.close()
    assert analysing_choices(interrupted) == analysing_choices(whole) - 3
