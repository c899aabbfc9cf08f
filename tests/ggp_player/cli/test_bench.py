"""``ggp-player bench``, and ``gdl bench --search``, which was its name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from gdl.__main__ import main as gdl_main
from gdl.cli import bench
from ggp_player.__main__ import main
from tests.support.paths import GAMES

NIM = str(GAMES / "nim.kif")


@pytest.mark.thorough
def test_a_game_in_turns_has_every_figure() -> None:
    result = CliRunner().invoke(main, ["bench", NIM, "--seconds", "0.05", "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.output)
    assert document["failures"] == {}
    figures = document["games"]["nim"]
    assert list(figures) == [
        *("length", "playouts/s", "in search"),
        *("share", "nodes/s", "proof nodes/s"),
    ]
    assert min(figures.values()) > 0
    assert figures["share"] == pytest.approx(figures["in search"] / figures["playouts/s"])
    assert 5 < figures["length"] < 9


@pytest.mark.thorough
def test_several_threads_are_compared_with_one() -> None:
    # Long enough to prove nim some hundred times.
    command = ["bench", NIM, "--seconds", "0.3", "--threads", "2", "--json"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    figures = json.loads(result.output)["games"]["nim"]
    assert min(figures["2 threads"], figures["speed-up"]) > 0


@pytest.mark.thorough
def test_a_game_that_cannot_be_searched_is_named(tmp_path: Path) -> None:
    strange = tmp_path / "strange.kif"
    strange.write_text("(init a)")
    result = CliRunner().invoke(main, ["bench", str(strange), "--seconds", "0.01"])
    assert result.exit_code == 1
    assert "strange: the rules name no role" in result.stdout


def test_rules_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.kif"
    broken.write_text("(role")
    result = CliRunner().invoke(main, ["bench", str(broken)])
    assert result.exit_code == 1
    assert "broken.kif:1:" in result.stderr


@pytest.mark.thorough
def test_the_old_command_goes_on_with_a_notice() -> None:
    command = [sys.executable, "-m", "gdl", "bench", "--search", NIM, "--seconds", "0.05", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == "gdl bench --search is now ggp-player bench\n"
    assert json.loads(done.stdout)["games"]["nim"]["length"] > 5


def test_without_a_player_there_is_nothing_to_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "find_spec", lambda name: None)
    result = CliRunner().invoke(gdl_main, ["bench", "--search", NIM])
    assert result.exit_code == 2
    assert "no search is installed" in result.output
