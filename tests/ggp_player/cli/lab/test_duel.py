"""``ggp-player lab`` plays duels, keeps them in a ledger, and makes its page."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ggp_player.__main__ import main
from tests.support.paths import GAMES

SHORT = (GAMES / "connectFour.kif", "--nodes", 100, "--pairs", 2, "--jobs", 1)


def lab(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["lab", *map(str, arguments)])


def test_a_duel_has_a_table_a_verdict_and_every_pair(tmp_path: Path) -> None:
    output = tmp_path / "pairs.json"
    done = lab("duel", "mcts", "random", *SHORT, "--json", output)
    assert done.exit_code == 0
    assert "connectFour" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("not decided (all pairs played)")
    assert len(json.loads(output.read_text())["games"][0]["played"]) == 2


def test_the_ledger_is_written_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "first.json"
    told = ("--ledger", path, "--hypothesis", "mcts is better")
    assert lab("duel", "mcts", "random", *SHORT, *told).exit_code == 0
    assert json.loads(path.read_text())["status"] == "finished"
    page = tmp_path / "page.md"
    assert lab("ledger", tmp_path, "--page", page).exit_code == 0
    assert "| [first](#first) | mcts is better |" in page.read_text()
    again = lab("duel", "mcts", "random", *SHORT, *told)
    assert (again.exit_code, "exists" in again.stderr) == (1, True)


def test_a_duel_that_cannot_be_played_is_in_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "failed.json"
    told = ("--ledger", path, "--hypothesis", "planner is better")
    done = lab("duel", "planner", "random", *SHORT, *told)
    assert (done.exit_code, "planner is for games of one role" in done.stderr) == (1, True)
    assert json.loads(path.read_text())["status"] == "failed"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--nodes", 5, "--seconds", 1), "--nodes and --seconds exclude each other"),
        (("--hypothesis", "x"), "--ledger and --hypothesis belong together"),
        (("--jobs", 2, "--ray", "local"), "--jobs is for this machine, and --ray for others"),
        (("--elo0", 20), "elo0 must be less than elo1"),
        (("--plies", 5, 4), "expected plies from 0 up, found 5 to 4"),
    ],
)
def test_what_does_not_fit_together_is_said(arguments: tuple, sentence: str) -> None:
    done = lab("duel", "mcts", "random", GAMES / "nim.kif", *arguments)
    assert done.exit_code in (1, 2)
    assert sentence in done.stderr


def test_strategies_are_looked_at_first() -> None:
    done = lab("duel", "mtcs", "random", GAMES / "nim.kif")
    assert done.exit_code == 1
    assert "there is no strategy 'mtcs'" in done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", [1, 2])
def test_sigterm_loses_no_more_than_ctrl_c(tmp_path: Path, jobs: int) -> None:
    ledger, output = tmp_path / "entry.json", tmp_path / "pairs.json"
    limits = ("--nodes", 50, "--pairs", 100_000, "--jobs", jobs, "--elo0", 0, "--elo1", 0.01)
    told = ("--ledger", ledger, "--hypothesis", "it is ended", "--json", output)
    command = ("-m", "ggp_player", "lab", "duel", "mcts", "mcts", SHORT[0], *limits, *told)
    with subprocess.Popen(
        [sys.executable, *map(str, command)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as duel:
        assert duel.stderr is not None
        for line in duel.stderr:
            if line.startswith("8 pairs"):
                break
        duel.send_signal(
            signal.SIGINT
        )  # both at once, as a terminal and a supervisor may send them
        duel.terminate()
        # A shell says 130 of both. Python ends itself by SIGINT where the interruption, though it
        # was caught, came while a text was executed, as a named tuple is made of one.
        assert duel.wait(60) in (128 + signal.SIGINT, -signal.SIGINT)
    assert json.loads(ledger.read_text())["status"] == "interrupted"
    assert len(json.loads(output.read_text())["games"][0]["played"]) >= 8
