"""The command ``ggp-player doctor`` as a whole."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from gdl.system import child_environment
from ggp_player.__main__ import main
from ggp_player.cli.commands.doctor import doctor_command
from ggp_player.cli.doctor import doctor
from ggp_player.cli.doctor.checks import Answer
from ggp_player.protocol import Dialect
from ggp_player.server.config import Config


def check_nothing(_config: Config) -> Answer:
    return "ok", "there is nothing to be said"


def check_narrow_things(_config: Config) -> Answer:
    return "warning", "it is narrow"


async def play(_settings: Config, dialect: str) -> Answer:
    return ("ok" if dialect == "C" else "problem"), f"dialect {dialect}"


@pytest.fixture(autouse=True)
def few_checks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("thorough") is None:
        monkeypatch.setattr(doctor, "CHECKS", (check_nothing, check_narrow_things))
        monkeypatch.setattr(doctor, "play_trial_match", play)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["doctor", *arguments])
    return result.exit_code, result.output


def test_findings_are_a_table() -> None:
    status, output = run("--dialect", "C")
    assert status == 0
    assert [line.split(maxsplit=2) for line in output.splitlines()] == [
        ["ok", "nothing", "there is nothing to be said"],
        ["warning", "narrow", "things it is narrow"],
        ["ok", "match", "dialect C"],
    ]


def test_a_problem_is_the_exit_status() -> None:
    status, output = run("--json")
    assert status == 1
    *_, last = json.loads(output)
    assert last == {"subject": "match", "verdict": "problem", "sentence": "dialect A"}


def test_errors_in_settings_are_those_of_serve() -> None:
    wrong = ("--port", "x", "--strategy", "luck")
    ours, theirs = run(*wrong), CliRunner().invoke(main, ["serve", *wrong])
    assert ours[0] == theirs.exit_code == 2
    assert ours[1].partition("Error")[2] == theirs.output.partition("Error")[2]


def test_all_dialects_are_there() -> None:
    (option,) = (one for one in doctor_command.params if one.name == "dialect")
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) == [*map(str, Dialect)]


@pytest.mark.thorough
@pytest.mark.parametrize("dialect", ["A", "E", "F"])
def test_a_match_is_played(dialect: str, tmp_path: Path) -> None:
    config = tmp_path / "player.toml"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config.write_text(
            f'port = {port}\ntoken = "{"s" * 20}"\nstate_dir = "{tmp_path / "state"}"\n'
            f'archive = "{tmp_path / "matches.sqlite"}"\n'
        )
        command = ["-m", "ggp_player", "doctor", "--config", str(config), "--json"]
        done = subprocess.run(
            [sys.executable, *command, "--dialect", dialect],
            env=child_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )
    assert done.returncode == 1, done.stderr
    found = {each["subject"]: each for each in json.loads(done.stdout)}
    wrong = [name for name, each in found.items() if each["verdict"] == "problem"]
    assert wrong == ["port"], found
    assert "another program listens there" in found["port"]["sentence"]
    assert f"dialect {dialect}, " in found["match"]["sentence"]
    assert "every move legal, nothing late" in found["match"]["sentence"]
    assert "s" * 20 not in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["player.toml"]
