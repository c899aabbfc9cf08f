"""Players of other versions, in processes of their own; here the other version is this one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ggp_player.errors import LabError
from ggp_player.lab.balance import LabGame
from ggp_player.lab.match import MoveLimit, PairTask, play_pair
from ggp_player.lab.other_version import version_of
from tests.support.lab_games import NIM, TIC_TAC_TOE, opening_after
from tests.support.paths import ROOT

SECONDS = MoveLimit(seconds=0.01)
TIME_ENOUGH = MoveLimit(seconds=60)
"""For searches that end by themselves, and then choose the same on any machine."""
OPENING = (("(put b2)", "noop"), ("noop", "(put a1)"))


def task(game: LabGame, a: str, b: str, limit: MoveLimit = SECONDS) -> PairTask:
    opening = opening_after(*OPENING if game is TIC_TAC_TOE else ())
    return PairTask(game.name, game.rules, (a, b), limit, 0, 0, opening, 2**24)


def other(strategy: str) -> str:
    return f"{strategy}@{sys.executable}"


def test_a_version_is_named_after_the_last_sign() -> None:
    assert version_of("mcts:exploration=0.5") == ("mcts:exploration=0.5", None)
    assert version_of("mcts@old/bin/python") == ("mcts", "old/bin/python")
    assert version_of("./a@b.py:Mine@old/bin/python") == ("./a@b.py:Mine", "old/bin/python")


@pytest.mark.parametrize("game", [TIC_TAC_TOE, NIM])
def test_another_version_plays_as_this_one_does(game: LabGame) -> None:
    own = play_pair(task(game, "minimax", "legal", TIME_ENOUGH))
    for players in ((other("minimax"), other("legal")), (other("minimax"), "legal")):
        assert play_pair(task(game, *players, TIME_ENOUGH)).points == own.points


def test_its_time_is_measured_and_its_work_is_not() -> None:
    pair = play_pair(task(TIC_TAC_TOE, other("minimax"), "minimax"))
    for match in pair.matches:
        assert match.cpu[0] > 0
        assert match.work[0] == 0
        assert match.work[1] > 0


def test_it_cannot_be_limited_by_work() -> None:
    with pytest.raises(LabError, match="can only be limited by seconds"):
        play_pair(task(TIC_TAC_TOE, other("legal"), "legal", MoveLimit(nodes=100)))


def test_a_refusal_of_the_other_version_is_told() -> None:
    with pytest.raises(LabError, match=r"planner@.*games of one role"):
        play_pair(task(TIC_TAC_TOE, other("planner"), "legal"))


def test_what_is_no_interpreter_is_told() -> None:
    with pytest.raises(LabError, match="nobody/python cannot be run: No such file"):
        play_pair(task(TIC_TAC_TOE, "legal@nobody/python", "legal"))


def test_an_environment_without_the_package_is_told(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(LabError, match="has died: is ggp-player installed there"):
        play_pair(task(TIC_TAC_TOE, f"legal@{python}", "legal"))


PLAYING = """
import sys
from ggp_player.lab.match import MoveLimit, PairTask, play_pair
from tests.support.lab_games import TIC_TAC_TOE, opening_after
players = "minimax", "legal@" + sys.executable
limit = MoveLimit(seconds=0.01)
play_pair(PairTask("ticTacToe", TIC_TAC_TOE.rules, players, limit, 0, 0, opening_after(), 2**24))
"""


def test_its_process_ends_with_whoever_played_it() -> None:
    command = [sys.executable, "-W", "error", "-c", PLAYING]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
