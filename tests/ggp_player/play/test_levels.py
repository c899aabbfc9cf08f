"""Every level is a strategy that there is, one follows another, and the command has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gdl.game_library import own_games
from ggp_player.__main__ import main
from ggp_player.play.levels import HIGHEST, LEVELS, MIDDLE, remembered_level
from ggp_player.strategies.selection.registry import create
from tests.ggp_player.play.conftest import setup_of


def test_levels_are_strategies() -> None:
    assert [level.number for level in LEVELS] == [1, 2, 3, 4, 5]
    for level in LEVELS:
        assert create(level.strategy).name == level.strategy.partition(":")[0]


def test_only_the_highest_thinks_while_others_do() -> None:
    assert [level.number for level in LEVELS if level.ponders] == [HIGHEST.number] == [5]


def test_a_win_leads_up_and_a_loss_down_within_the_levels() -> None:
    verdicts = (1, -1, 0, None)
    assert [MIDDLE.after(verdict).number for verdict in verdicts] == [4, 2, 3, 3]
    assert (LEVELS[0].after(-1), HIGHEST.after(1)) == (LEVELS[0], HIGHEST)


def test_a_cookie_is_a_level_or_nothing() -> None:
    kept = {
        text: remembered_level({"ggp_player_level": text}) for text in ("2", "0", "6", "-1", "")
    }
    assert kept == {"2": LEVELS[1], "0": None, "6": None, "-1": None, "": None}
    assert remembered_level({}) is None


def test_where_the_output_is_no_terminal_games_are_listed() -> None:
    for arguments in (["play"], ["play", "--list"], ["play", "--terminal"]):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0
        assert result.stdout.split() == list(own_games())


def test_what_is_for_one_game_is_refused_without_one(tmp_path: Path) -> None:
    for arguments in (["--as", "white"], ["--save", str(tmp_path / "record.json")]):
        result = CliRunner().invoke(main, ["play", "--no-browser", *arguments])
        assert result.exit_code == 2
        assert f"{arguments[0]} is for one game: name it" in result.output
    result = CliRunner().invoke(main, ["play", "nim", "--level", "1", "--opponent", "mcts"])
    assert result.exit_code == 2
    assert "give one" in result.output


@pytest.mark.parametrize(
    ("flags", "opponents", "adviser", "ponder"),
    [
        ([], ("auto",), "", True),
        (["--opponent", "mcts"], ("mcts",), "", True),
        (["--level", "1"], ("random",), "auto", False),
        (["--level", "5"], ("auto",), "auto", True),
        (["--level", "adaptive"], ("alpha_beta:depth=3",), "auto", False),
    ],
)
def test_levels_of_the_command_line(
    flags: list[str],
    opponents: tuple[str, ...],
    adviser: str,
    ponder: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setup = setup_of(flags, monkeypatch)
    assert (setup.opponents, setup.adviser, setup.ponder) == (opponents, adviser, ponder)
