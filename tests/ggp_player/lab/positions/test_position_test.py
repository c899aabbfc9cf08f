"""Strategies tested on solved positions."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

import gdl
from gdl import parse_term
from ggp_player.errors import LabError, PositionSetError, StrategyError
from ggp_player.lab.positions.forked_searches import Setting, can_fork
from ggp_player.lab.positions.position_test import (
    LoadedSet,
    as_json,
    comparisons,
    mean_share,
    settings_of,
)
from ggp_player.lab.positions.solved_positions import (
    PositionSet,
    SolvedPosition,
    rules_digest,
    save_set,
)
from ggp_player.lab.positions.turns import replayed
from ggp_player.search_memory import search_memory, set_search_memory
from ggp_player.search_slices import slice_seconds
from tests.support.textbook_solver import textbook_values

pytestmark = pytest.mark.skipif(not can_fork(), reason="this system cannot fork")

RULES = gdl.load("ticTacToe")
LINES = [["(put a1)"], ["(put b2)"], ["(put a1)", "(put c3)"], ["(put a2)"]]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a set of four positions of tic-tac-toe."""
    machine = gdl.interpret(RULES)
    positions = []
    for texts in LINES:
        line = tuple(map(parse_term, texts))
        values = textbook_values(machine, replayed(machine, line))
        positions.append(SolvedPosition(line, values))
    path = tmp_path_factory.mktemp("sets") / "ticTacToe.positions.xz"
    save_set(PositionSet("ticTacToe", rules_digest(RULES), positions), path)
    return path


@pytest.fixture(scope="module")
def loaded(path: Path) -> LoadedSet:
    return LoadedSet(path)


def test_what_searches_to_the_end_makes_no_error(loaded: LoadedSet) -> None:
    result = loaded.test(Setting("proof:megabytes=1", None))
    assert result.errors == [False] * 4
    assert result.share == 0
    assert result.seconds > 0


def test_errors_are_counted_in_order(loaded: LoadedSet) -> None:
    told = []
    result = loaded.test(Setting("legal", 0.01), jobs=2, tell=lambda: told.append(1))
    first = [
        position.is_error(result.searches[i].move) for i, position in enumerate(loaded.positions)
    ]
    assert result.errors == first
    assert any(first)
    assert len(told) == 4


@pytest.mark.thorough
def test_another_version_searches_as_this_one_does(loaded: LoadedSet) -> None:
    told = []
    other = Setting(f"minimax@{sys.executable}", 5.0)
    result = loaded.test(other, tell=lambda: told.append(1))
    assert result.errors == [False] * 4
    assert len(told) == 4
    assert 0 < result.seconds < 5
    first = loaded.test(Setting(f"legal@{sys.executable}", 0.01))
    assert first.errors == loaded.test(Setting("legal", 0.01)).errors


def test_what_another_version_refuses_is_told(loaded: LoadedSet) -> None:
    with pytest.raises(LabError, match="only be limited by seconds"):
        loaded.test(Setting(f"legal@{sys.executable}", None))
    with pytest.raises(LabError, match=r"planner@.*games of one role"):
        loaded.test(Setting(f"planner@{sys.executable}", 0.01))


def test_the_same_seed_gives_the_same_moves(loaded: LoadedSet) -> None:
    setting = Setting("random", None, seed=3)
    moves = [search.move for search in loaded.test(setting).searches]
    assert [search.move for search in loaded.test(setting, jobs=4).searches] == moves
    others = (loaded.test(replace(setting, seed=seed)).searches for seed in range(4, 8))
    assert any([search.move for search in other] != moves for other in others)


def test_memory_and_slices_are_as_before(loaded: LoadedSet) -> None:
    set_search_memory(2**27)
    slices = slice_seconds()
    loaded.test(Setting("legal", 0.01))
    assert search_memory() == 2**27
    assert slice_seconds() == slices


def test_a_strategy_that_refuses_the_game_is_named(loaded: LoadedSet) -> None:
    with pytest.raises(StrategyError, match="ticTacToe: deliberation is for games of one role"):
        loaded.test(Setting("deliberation", 0.01))


def test_a_set_is_limited_to_its_first_positions(path: Path) -> None:
    assert len(LoadedSet(path, 2).positions) == 2


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        (
            SolvedPosition((), {parse_term("(put a1)"): 50}),
            "expected the value of every legal move",
        ),
        (SolvedPosition((parse_term("(put z9)"),), {parse_term("(put a1)"): 50}), "is not legal"),
        (
            SolvedPosition(
                tuple(parse_term(f"(put {place})") for place in ("a1", "b1", "a2", "b2", "a3")),
                {parse_term("(put b3)"): 50},
            ),
            "expected a position in which somebody has a choice",
        ),
    ],
)
def test_positions_that_are_none_are_named(
    tmp_path: Path, position: SolvedPosition, reason: str
) -> None:
    path = tmp_path / "ticTacToe.positions.xz"
    save_set(PositionSet("ticTacToe", rules_digest(RULES), [position]), path)
    with pytest.raises(PositionSetError, match=f"position 1: .*{reason}") as caught:
        LoadedSet(path)
    assert str(path) in str(caught.value)


def test_reports_compare_settings_position_by_position(loaded: LoadedSet) -> None:
    first, second = Setting("legal", 0.01), Setting("proof:megabytes=1", None)
    results = [loaded.test(first), loaded.test(second)]
    assert settings_of(results) == [first, second]
    errors = sum(results[0].errors)
    found = comparisons(results, first, second)
    assert (found["all"].only_first, found["all"].only_second) == (errors, 0)
    assert found["ticTacToe"] == found["all"]
    assert mean_share(results, first) == errors / 4
    document = as_json(results, [(first, second)])
    assert [result["errors"] for result in document["results"]] == [errors, 0]
    assert len(document["results"][0]["wrong"]) == errors
    assert document["comparisons"][0]["first"] == "legal at 0.01 s"
    assert document["comparisons"][-1]["game"] == "all"
