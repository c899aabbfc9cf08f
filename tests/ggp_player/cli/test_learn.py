"""``ggp-player learn``: it stores what matches use, keeps it on Ctrl-C, and says what is wrong."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

import gdl
from gdl import cluster
from gdl.cli.lazy_group import INTERRUPTED
from gdl.engine import PropnetStateMachine
from ggp_player.__main__ import main
from ggp_player.cli import learn
from ggp_player.clock import Clock
from ggp_player.strategies.learning import (
    FOLDER_VARIABLE,
    LearnedEvaluation,
    LongLearning,
    long_learning,
    stored_evaluations,
)
from ggp_player.strategies.learning.pattern_learning import Learning
from ggp_player.strategies.learning.stored_evaluations import recall_evaluation
from tests.support.command_line import output_of
from tests.support.learned_games import ticking
from tests.support.paths import GAMES
from tests.support.small_games import breakthrough, compiled

GAME = f"{breakthrough(3, 4)} (corner 1)"
"""A small board, on which games are short."""


@pytest.fixture
def rulesheet(tmp_path: Path) -> Path:
    path = tmp_path / "game.kif"
    path.write_text(GAME)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "evaluations"


compile_once = cache(gdl.compile)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of some games, by a clock that needs no time, of a game that is compiled once."""
    monkeypatch.setattr(gdl, "compile", compile_once)
    monkeypatch.setattr(long_learning, "FIRST_ROUND", 2.0)
    monkeypatch.setattr(learn, "monotonic", ticking(0.02))
    monkeypatch.setattr(learn, "warm_up_first", lambda report: None)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["learn", *map(str, arguments)])


@pytest.mark.thorough
def test_what_is_learned_is_stored_and_gone_on_from(rulesheet: Path, folder: Path) -> None:
    output = output_of(run(rulesheet, "--time", "6", "--evaluations", folder))
    *rounds, learned, duel, where = output.splitlines()
    assert all(line.startswith("round ") for line in rounds)
    assert " patterns learned from " in learned
    assert f"of {len(rounds)} rounds kept" in learned
    assert "duel" in duel
    (path,) = folder.iterdir()
    assert where == f"stored in {path}"
    document = json.loads(path.read_text())
    assert document["rules"] == path.stem
    assert document["version"] == 3
    evaluation = recall_evaluation(compiled(GAME), folder)
    assert evaluation is not None
    output = output_of(run(rulesheet, "--time", "6", "--evaluations", folder))
    assert output.startswith(f"going on from {evaluation}\n")
    assert json.loads(path.read_text())["seconds"] > document["seconds"]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "outputs"), [("pig", 3), ("trefoil", 3), ("biddingTicTacToe", 1)])
def test_games_that_alpha_beta_does_not_play(name: str, outputs: int, folder: Path) -> None:
    output = output_of(run(GAMES / f"{name}.kif", "--time", "30", "--evaluations", folder))
    *rounds, learned, duel, _ = output.splitlines()
    assert "% of the points against the best weights so far" in rounds[-1]
    assert " patterns learned from " in learned
    ending = r"% of the points of \d+ duels? with the one that is not"
    assert re.fullmatch(rf"guided by it, the tree search won \d+ {ending}", duel)
    machine = gdl.compile(gdl.load(GAMES / f"{name}.kif"))
    evaluation = recall_evaluation(machine, folder)
    assert evaluation is not None
    assert evaluation.outputs == outputs


def test_the_environment_names_the_folder(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    assert run(rulesheet, "--time", "6").exit_code == 0
    assert len(list(folder.iterdir())) == 1


@pytest.mark.thorough
def test_a_bad_file_is_replaced(rulesheet: Path, folder: Path) -> None:
    run(rulesheet, "--time", "6", "--evaluations", folder)
    (path,) = folder.iterdir()
    path.write_text("{}")
    output = output_of(run(rulesheet, "--time", "6", "--evaluations", folder))
    assert output.startswith("what is stored of the game cannot be used: ")
    assert recall_evaluation(compiled(GAME), folder) is not None


@pytest.mark.parametrize("is_learned", [False, True])
def test_ctrl_c_keeps_what_was_learned(
    is_learned: bool, rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = LongLearning.work

    def interrupted(learning: LongLearning, seconds: float) -> Iterator[None]:
        for _ in original(learning, seconds):
            if (learning.evaluation is not None) == is_learned:
                raise KeyboardInterrupt
            yield

    monkeypatch.setattr(LongLearning, "work", interrupted)
    output = output_of(run(rulesheet, "--time", "6", "--evaluations", folder), INTERRUPTED)
    if is_learned:
        assert re.search(r", 1 of \d+ rounds kept, ", output)
        assert "no duel with the tree search was finished" in output
        assert recall_evaluation(compiled(GAME), folder) is not None
    else:
        assert output == "interrupted before anything was learned\n"
        assert not list(folder.iterdir())


def test_ctrl_c_keeps_what_the_first_round_has_learned(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_learning, "FIRST_ROUND", 1e6)
    original = Learning.work

    def interrupted(learning: Learning, seconds: float, clock: Clock) -> Iterator[None]:
        for _ in original(learning, seconds, clock):
            if learning.games > 100:
                raise KeyboardInterrupt
            yield

    monkeypatch.setattr(Learning, "work", interrupted)
    output = output_of(run(rulesheet, "--time", "6000", "--evaluations", folder), INTERRUPTED)
    assert re.match(r"round 1: \d+ games; kept\n", output)
    evaluation = recall_evaluation(compiled(GAME), folder)
    assert evaluation is not None
    assert evaluation.games > 100


def test_rounds_are_data_and_a_plot(rulesheet: Path, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    data, plot = tmp_path / "rounds.json", tmp_path / "rounds.svg"
    options = ("--evaluations", folder, "--json", data, "--plot", plot)
    output = output_of(run(rulesheet, "--time", 6, *options))
    document = json.loads(data.read_text())
    assert document["game"] == "game"
    assert document["rounds"][0]["elo"] == 0
    assert len(document["rounds"]) == output.count("round ")
    assert all(each["low"] <= each["elo"] <= each["high"] for each in document["rounds"])
    assert "seconds of learning" in plot.read_text()


@pytest.mark.thorough
def test_rounds_of_a_later_run_come_after_those_before(
    rulesheet: Path, folder: Path, tmp_path: Path
) -> None:
    data, counts = tmp_path / "rounds.json", []
    for _ in range(2):
        output = output_of(run(rulesheet, "--time", 6, "--evaluations", folder, "--json", data))
        counts.append(output.count("round "))
    seconds = [each["seconds"] for each in json.loads(data.read_text())["rounds"]]
    assert len(seconds) == sum(counts)
    assert seconds == sorted(seconds)
    assert seconds[counts[0]] > 6


def test_too_few_states_are_an_error(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "monotonic", ticking(10.0))
    output = output_of(run(rulesheet, "--time", "6", "--evaluations", folder), 1)
    assert output == "Error: too few states to find patterns in\n"


def test_a_cluster_learns_and_is_left(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    @contextmanager
    def opened(address: str) -> Iterator[str]:
        yield f"connected with {address}"
        asked.append("left")

    def learning(
        ray: object,
        machine: PropnetStateMachine,
        seed: int,
        known: LearnedEvaluation | None,
        is_long: bool,
    ) -> Learning:
        asked.extend((ray, seed, known, is_long))
        return Learning(machine, seed, known)

    monkeypatch.setattr(learn, "connected", opened)
    monkeypatch.setattr(learn, "ClusterLearning", learning)
    output_of(run(rulesheet, "--time", 6, "--evaluations", folder, "--ray", "auto", "--seed", 3))
    assert asked == ["connected with auto", 3, None, False, "left"]


# ---------------------------------------------------------------------- mistakes


def test_without_ray_the_extra_is_named(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    output = output_of(run(rulesheet, "--evaluations", folder, "--ray", "local"), 1)
    assert output == "Error: a cluster needs Ray: pip install 'ggp-player[ray]'\n"


def test_a_cluster_has_threads_of_its_own(rulesheet: Path) -> None:
    assert "give one" in output_of(run(rulesheet, "--ray", "local", "--threads", 2), 2)


def test_a_cluster_that_is_not_there(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        cluster, "optional_library", lambda *_: SimpleNamespace(is_initialized=bool)
    )
    output = output_of(run(rulesheet, "--evaluations", folder, "--ray", "nowhere"), 1)
    assert output == "Error: expected host:port, auto or local; found nowhere\n"


def test_without_matplotlib_the_extra_is_named(
    rulesheet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("matplotlib", "matplotlib.backend_bases"):
        monkeypatch.setitem(sys.modules, name, None)
    output = output_of(run(rulesheet, "--plot", tmp_path / "rounds.svg"), 2)
    assert "plots need matplotlib: pip install 'ggp-player[plot]'" in output


def test_no_rulesheet(tmp_path: Path) -> None:
    assert "Missing argument 'RULESHEET'" in run().output
    assert "does not exist" in output_of(run(tmp_path / "none.kif"), 2)


def test_times_have_units(rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[float] = []

    def run_nothing(rulesheet: Path, folder: Path, options: Any) -> None:
        found.append(options.seconds)

    monkeypatch.setattr(learn, "_run", run_nothing)
    for text in "90", "90s", "1.5m", "1h", "720h":
        run(rulesheet, "--time", text, "--evaluations", folder)
    assert found == [90, 90, 90, 3600, 30 * 86_400]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon", "h", "1d", "721h"])
def test_no_time(seconds: str, rulesheet: Path) -> None:
    output = output_of(run(rulesheet, "--time", seconds), 2)
    assert "Invalid value for" in output
    assert "--time" in output


def test_a_broken_rulesheet(tmp_path: Path, folder: Path) -> None:
    broken = tmp_path / "broken.kif"
    broken.write_text("(role")
    output = output_of(run(broken, "--evaluations", folder), 1)
    assert output.startswith("Error: the game cannot be played:\n")
    assert "broken.kif:1:" in output


def test_a_folder_that_cannot_be_written(rulesheet: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    output = output_of(run(rulesheet, "--evaluations", tmp_path / "file" / "folder"), 2)
    assert "cannot be written: Not a directory" in " ".join(output.split())
    output = output_of(run(rulesheet, "--evaluations", tmp_path / "file"), 2)
    assert "is a file" in output


def test_a_puzzle_is_not_for_it(folder: Path) -> None:
    output = output_of(run(GAMES / "eightPuzzle.kif", "--evaluations", folder), 1)
    sentence = "nothing can be learned of this game: learned_mcts is for two roles and more"
    assert output == f"Error: {sentence}\n"
    assert not list(folder.iterdir())


def test_games_that_do_not_end(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Learning, "_play_slice", lambda *_arguments: None)
    output = output_of(run(rulesheet, "--time", "6", "--evaluations", folder), 1)
    assert output.startswith("round 1: 0 games; not kept\n")
    assert output.endswith("Error: no game came to its end: give it more --time\n")
    assert not list(folder.iterdir())


def test_what_hides_states_is_learned_for_other_matches(folder: Path) -> None:
    output = output_of(run(GAMES / "kuhnPoker.kif", "--time", "6", "--evaluations", folder))
    assert output.startswith(f"{learn.UNUSED}\n")


def test_compiling_that_takes_long(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    is_said = Event()

    def say(line: str) -> None:
        said.append(line)
        is_said.set()

    monkeypatch.setattr(learn, "QUIET_SECONDS", 0)
    monkeypatch.setattr(learn, "say_on_stderr", say)
    monkeypatch.setattr(PropnetStateMachine, "warm_up", lambda _machine: is_said.wait(60))
    run(rulesheet, "--time", "6", "--evaluations", folder)
    assert said == [learn.COMPILING]


def test_what_is_too_large_to_be_read_again_is_not_stored(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_evaluations, "MAX_BYTES", 1000)
    output = output_of(run(rulesheet, "--time", "6", "--evaluations", folder), 1)
    assert "Error: what was learned cannot be stored: it takes " in output
    assert not list(folder.iterdir())


def test_rules_that_cannot_be_recognised(
    rulesheet: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn, "canonical_form", lambda _ruleset: None)
    assert "too large to be recognised" in output_of(run(rulesheet, "--evaluations", folder), 1)
