"""``ggp-player lab positions``."""

from __future__ import annotations

import json
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ggp_player.__main__ import main
from ggp_player.cli.lab import positions
from ggp_player.lab.positions.forked_searches import can_fork
from ggp_player.lab.positions.solved_positions import load_set, save_set
from tests.support.paths import GAMES

TIC_TAC_TOE = str(GAMES / "ticTacToe.kif")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lab", "positions", *arguments])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of six positions of tic-tac-toe."""
    path = tmp_path_factory.mktemp("sets") / "ticTacToe.positions.xz"
    options = ["--count", "6", "--plies", "2-6", "--tries", "0", "--seed", "5"]
    options += ["--play-gates", "1000", "--random-share", "0.5", "--doubt", "0"]
    result = run("make", TIC_TAC_TOE, *options, "--output", str(path))
    assert result.exit_code == 0, result.output
    assert f"{path}: 6 positions" in result.stdout
    return path


def test_a_set_is_made(made: Path) -> None:
    found = load_set(made)
    assert len(found.positions) == 6
    assert found.about["seed"] == 5
    recipe = found.about["recipe"]
    assert (recipe["first"], recipe["last"], recipe["tries"], recipe["doubt"]) == (2, 6, 0, 0)
    assert (recipe["play_gates"], recipe["random_share"]) == (1000, 0.5)


def test_sigterm_breaks_off_as_ctrl_c_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "make_set", lambda *_: signal.raise_signal(signal.SIGTERM))
    result = run("make", TIC_TAC_TOE, "--output", str(tmp_path / "set"))
    assert result.exit_code == 1
    assert "broken off; the same command goes on where it was" in result.stderr
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_plies_that_are_none_are_refused() -> None:
    result = run("make", TIC_TAC_TOE, "--plies", "6-2")
    assert result.exit_code == 2
    assert "expected two numbers of plies such as 8-24; found 6-2" in result.stderr


def test_games_of_simultaneous_moves_are_refused(tmp_path: Path) -> None:
    result = run("make", str(GAMES / "handDuel.kif"), "--output", str(tmp_path / "set"))
    assert result.exit_code == 1
    assert "expected one role with a choice in each state; found" in result.stderr


@pytest.mark.skipif(not can_fork(), reason="this system cannot fork")
def test_errors_are_told_as_a_table_and_as_json(made: Path) -> None:
    arguments = ["test", "alpha_beta", str(made), "--against", "legal", "--seconds", "0.3"]
    table = run(*arguments, "--count", "4", "--jobs", "2")
    assert table.exit_code == 0, table.output
    assert "alpha_beta at 0.3 s" in table.stdout
    assert "positions that only one of them gets" in table.stdout
    document = json.loads(run(*arguments, "--count", "4", "--json").stdout)
    ours, theirs = document["results"]
    assert (ours["errors"], ours["positions"]) == (0, 4)
    assert theirs["errors"] > 0
    assert document["comparisons"][0]["only_second_errs"] == theirs["errors"]


@pytest.mark.skipif(not can_fork(), reason="this system cannot fork")
def test_several_sets_of_one_game_are_counted_together(made: Path, tmp_path: Path) -> None:
    found = load_set(made)
    save_set(replace(found, positions=found.positions[:2]), shorter := tmp_path / "2.positions.xz")
    arguments = ["test", "proof", str(made), str(shorter), "--against", "legal", "--seconds", "0.1"]
    document = json.loads(run(*arguments, "--json").stdout)
    assert [result["positions"] for result in document["results"]] == [8, 8]
    assert [each["game"] for each in document["comparisons"]] == ["ticTacToe", "all"]


def test_what_cannot_be_together_is_refused(made: Path) -> None:
    result = run("test", "mcts", str(made), "--own-budget", "--seconds", "1")
    assert result.exit_code == 2
    assert "--own-budget takes the place of --seconds" in result.stderr


def test_a_file_that_is_no_set_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set.positions.xz"
    path.write_text("no set")
    result = run("test", "mcts", str(path))
    assert result.exit_code == 1
    assert f"{path} cannot be read" in result.stderr


@pytest.mark.skipif(not can_fork(), reason="this system cannot fork")
def test_matches_against_a_solver_are_told_as_text_and_as_json() -> None:
    options = ["--plies", "0", "--seconds", "10", "--solver", "proof"]
    result = run("play", "proof:megabytes=1", TIC_TAC_TOE, *options)
    assert result.exit_code == 0, result.output
    sentence = "no errors in 8 moves; 0 of 2 matches began lost"
    assert result.stdout == f"ticTacToe, proof:megabytes=1 at 10 s: {sentence}\n"
    result = run("play", "random", TIC_TAC_TOE, *options)
    assert re.search(r"\n  after .*\): \(put \w\d\) leaves 0 of 50\n", result.stdout)
    found = json.loads(run("play", "random", TIC_TAC_TOE, *options, "--json").stdout)
    first, second = found["matches"]
    assert (found["game"], found["plies"], first["role"], second["role"]) == ("ticTacToe", 0, 0, 1)
    assert first["error"]["had"] == 50


@pytest.mark.skipif(not can_fork(), reason="this system cannot fork")
def test_what_a_solver_cannot_play_is_refused() -> None:
    result = run("play", "legal@python3", TIC_TAC_TOE)
    assert (result.exit_code, "name a strategy of this version" in result.stderr) == (2, True)
    result = run("play", "legal", str(GAMES / "trefoil.kif"))
    assert result.exit_code == 1
    assert "a solver plays two rivals whose goal values add up to 100" in result.stderr
    result = run("play", "planner", TIC_TAC_TOE)
    assert "planner is for games of one role" in result.stderr


@pytest.mark.parametrize("command", [["make"], ["play", "legal"]])
def test_a_solver_without_numba_says_what_to_install(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ggp_player.lab.positions.solving.solvers.find_spec", lambda _: None)
    result = run(*command, str(GAMES / "connectFour.kif"), "--solver", "connect-four")
    assert result.exit_code == 1
    assert "the solver connect-four is compiled by Numba, which is not installed" in result.stderr
    assert "pip install 'ggp-player[kernels]'" in result.stderr
    assert list(tmp_path.iterdir()) == []
