"""``ggp-player lab ladder`` plays from openings against player servers, and rates all players."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner, Result

from gdl.cli.lazy_group import INTERRUPTED
from ggp_player.__main__ import main
from ggp_player.manager.tournament.tournament_run import TournamentRun
from tests.support.command_line import CLOCKS, CLOSED
from tests.support.ladder_matches import won, write_matches
from tests.support.paths import GAMES
from tests.support.server_process import ServerProcess

GAME = ("--game", GAMES / "ticTacToe.kif", "--plies", "1-2", "--openings", 1, *CLOCKS)

NAMED = ("--name", "Stranger 2.1")


def ladder(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["lab", "ladder", *map(str, arguments)])


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[str]:
    """The address of a player server in a process of its own."""
    flags = ("--strategy", "random", "--no-archive")
    with ServerProcess(tmp_path, *flags) as server:
        yield f"{server.address[0]}:{server.address[1]}"


@pytest.mark.thorough
def test_a_player_server_is_met_from_both_seats(stranger: str, tmp_path: Path) -> None:
    output = tmp_path / "matches.jsonl"
    arguments = ("legal", stranger, *NAMED, *GAME, "--output", output)
    played = ladder("play", *arguments)
    assert played.exit_code == 0, played.output
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert [line["result"]["players"][1].split()[0] for line in lines] == ["Stranger", "legal"]
    assert {line["opening"]["facts"] for line in lines} == {lines[0]["opening"]["facts"]}
    for line in lines:
        assert line["result"]["errors"] == [[], []]
        assert len(line["result"]["goals"]) == 2
    assert "ticTacToe: 1 balanced opening\n" in played.stderr
    assert "Stranger 2.1" in played.stdout
    again = ladder("play", *arguments)
    assert again.exit_code == 0
    assert "2 of 2 matches were played before" in again.stderr
    assert len(output.read_text().splitlines()) == 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with matches of two files."""
    folder = tmp_path / "ladder"
    folder.mkdir()
    write_matches(folder / "first.jsonl", won("mcts 0.1.0", "uct 1"), won("uct 1", "mcts 0.1.0"))
    write_matches(folder / "second.jsonl", won("Sancho 1.61c", "mcts 0.1.0", game="nim"))
    return folder


def test_the_table_is_printed_and_written(folder: Path, tmp_path: Path) -> None:
    figures, page = tmp_path / "table.json", tmp_path / "page.md"
    shown = ladder("table", folder, "--by-game", "--json", figures, "--page", page)
    assert shown.exit_code == 0, shown.output
    assert "All games: Elo above uct" in shown.stdout
    assert "nim: Elo above" in shown.stdout
    everything, hex_alone, nim = json.loads(figures.read_text())
    assert (everything["game"], hex_alone["game"], nim["game"]) == ("", "hex", "nim")
    assert everything["rows"][0]["player"] == {"name": "Sancho", "version": "1.61c"}
    assert round(everything["rows"][0]["elo"]["value"]) == 191
    assert {row["player"]["name"] for row in nim["rows"]} == {"Sancho", "mcts"}
    assert "## nim" in page.read_text()


def test_a_plot_is_beside_its_page(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_matches(folder / "third.jsonl", won("auto 0.2.0", "mcts 0.1.0"))
    page, plot = tmp_path / "page.md", folder / "plot.svg"
    shown = ladder("table", folder, "--page", page, "--plot", plot)
    assert shown.exit_code == 0, shown.output
    assert "![Elo by build](ladder/plot.svg)" in page.read_text()
    assert ">auto<" in plot.read_text()


def test_ctrl_c_ends_with_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TournamentRun, "play", Mock(return_value=True))
    done = ladder("play", "legal", "random", *GAME, "--output", tmp_path / "matches.jsonl")
    assert done.exit_code == INTERRUPTED == 128 + signal.SIGINT


def test_matches_that_broke_off_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TournamentRun, "play", Mock(return_value=False))
    done = ladder("play", "legal", "random", *GAME, "--output", tmp_path / "matches.jsonl")
    assert done.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("legal", CLOSED),
            f"expected a --name for each address, in their order; found 0 for {CLOSED}",
        ),
        (("legal", CLOSED, *NAMED), f"{CLOSED} cannot be reached: nothing listens there"),
        (("legal", "legal"), "legal is named twice"),
        (("legal", "lgeal"), "there is no strategy 'lgeal'"),
        (("legal", "random", "--plies", "3-1"), "expected two numbers of plies such as 8-24"),
    ],
)
def test_what_cannot_be_played_is_said(
    arguments: tuple[object, ...], sentence: str, tmp_path: Path
) -> None:
    done = ladder("play", *GAME, *arguments, "--output", tmp_path / "matches.jsonl")
    assert done.exit_code in (1, 2)
    assert sentence in done.stderr


def test_a_folder_without_matches_has_no_table(tmp_path: Path) -> None:
    done = ladder("table", tmp_path)
    assert done.exit_code == 1
    assert f"{tmp_path} holds no matches" in done.stderr
