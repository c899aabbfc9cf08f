"""``ggp-player lab profile``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ggp_player.__main__ import main
from ggp_player.cli.lab import profile as command
from ggp_player.lab.balance import LabGame
from ggp_player.lab.profile.game_profile import GameProfile, ProfileSettings
from ggp_player.lab.profile.search_profile import SearchProfile
from ggp_player.strategies import Component, Usage
from tests.support.paths import GAMES

TIC_TAC_TOE = GAMES / "ticTacToe.kif"


def profile(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["lab", "profile", *map(str, arguments)])


@pytest.fixture
def greedy_prover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games in which the proof search takes 40 % of ten seconds."""

    def measured(game: LabGame, settings: ProfileSettings, tell: object) -> GameProfile:
        used = {Component.TREE_SEARCH: Usage(6.0), Component.PROOF: Usage(4.0)}
        return GameProfile(game.name, [SearchProfile(0, 10.0, used)])

    monkeypatch.setattr(command, "profile_game", measured)


def test_a_profile_has_tables_remarks_a_verdict_and_json(tmp_path: Path) -> None:
    output = tmp_path / "profile.json"
    games = (TIC_TAC_TOE, "lightsOut")
    done = profile(*games, "--seconds", 0.05, "--plies", 0, "--plies", 2, "--json", output)
    assert done.exit_code == 0, done.output
    assert "tree search" in done.stdout
    assert "lightsOut: one player" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("nothing is said of the provers")
    assert "ticTacToe: searching after 2 plies" in done.stderr
    document = json.loads(output.read_text())
    assert [game["game"] for game in document["games"]] == ["ticTacToe", "lightsOut"]
    assert document["settings"]["plies"] == [0, 2]
    assert document["settings"]["strategy"] == "auto:threads=1"


@pytest.mark.usefixtures("greedy_prover")
def test_the_exit_status_depends_on_the_verdict_only_where_that_is_asked_for() -> None:
    statuses = [
        profile(TIC_TAC_TOE, *more).exit_code
        for more in ((), ("--check",), ("--check", "--most-prover-share", 40))
    ]
    assert statuses == [0, 1, 0]
    last = profile(TIC_TAC_TOE, "--check").stdout.splitlines()[-1]
    assert last.endswith("searching: proof 40 % in ticTacToe after 0 plies")


def test_a_check_without_anything_to_judge_fails() -> None:
    assert profile("lightsOut", "--check").exit_code == 1


@pytest.mark.usefixtures("greedy_prover")
def test_all_games_are_those_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "own_games", lambda: {"ticTacToe": TIC_TAC_TOE})
    assert "ticTacToe" in profile("--all").stdout


def test_ctrl_c_ends_with_the_games_that_are_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(game: LabGame, settings: ProfileSettings, tell: object) -> GameProfile:
        if game.name == "nim":
            raise KeyboardInterrupt
        return GameProfile(game.name, remark="measured")

    monkeypatch.setattr(command, "profile_game", interrupted)
    done = profile(TIC_TAC_TOE, "nim", "hex")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (130, "ticTacToe: measured")
    assert "hex" not in done.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "name some games, or give --all"),
        ((TIC_TAC_TOE, "--all"), "name some games, or give --all"),
        ((TIC_TAC_TOE, "--strategy", "mtcs"), "there is no strategy 'mtcs'"),
        (("ticTacTo",), "did you mean ticTacToe"),
        ((GAMES / "README.md",), "the game cannot be played"),
    ],
)
def test_what_cannot_be_profiled_is_said(arguments: tuple, sentence: str) -> None:
    done = profile(*arguments)
    assert done.exit_code in (1, 2)
    assert sentence in done.stderr
