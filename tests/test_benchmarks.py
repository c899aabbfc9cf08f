"""The comparison of environments: its games are ours, and a row says what was measured."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

import gdl
from gdl.benchmark.measure import MeasurementPlan

games = pytest.importorskip("benchmarks.environments.games", reason="is not in the sdist")
table = pytest.importorskip("benchmarks.environments.table")


@pytest.mark.parametrize("game", games.GAMES, ids=lambda game: game.title)
def test_every_game_is_one_of_ours(game: Any) -> None:
    assert gdl.parse(game.rules).roles


def test_hex_has_boards_of_other_sizes() -> None:
    machine = gdl.interpret(gdl.parse(games.hex_of(games.Game("hex", "hex").rules, 4)))
    state = machine.initial_state()
    assert len(machine.legal_moves(state, machine.roles[0])) == 16
    with pytest.raises(ValueError, match="should have"):
        games.hex_of("(role red)", 4)


def slow_library(title: str, name: str) -> Any:
    """A library that makes one step each time it is asked."""
    return table.Library(title, {title: "pytest"}, lambda *_: lambda: 1, lambda _: name)


def not_installed(*_: object) -> None:
    raise ImportError("there is none")


@pytest.mark.thorough
def test_a_row_compares_with_those_that_have_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = count()  # every look at the clock takes a second
    monkeypatch.setattr(table, "process_time", lambda: float(next(clock)))
    missing = table.Library("Missing", {"Missing": "no-such-package"}, not_installed, lambda _: "x")
    libraries = [slow_library("Slow", "tic"), slow_library("Other", ""), missing]
    plan = MeasurementPlan(seconds=0.01, repetitions=2)
    row = table.measured_row(games.GAMES[0], (64, 128), plan, libraries)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:4] == ["tic-tac-toe", "64.0, 128", "0.0", "46"]
    assert cells[4:7] == ["1.00 (128 x)", "", ""]
    assert "Missing is left out: there is none" in capsys.readouterr().err
    assert "Missing (not installed)" in table.headings(libraries)
