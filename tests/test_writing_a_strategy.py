"""The guide to writing a strategy runs as it is written, in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.documents import files, shell_commands
from tests.support.paths import ROOT

GUIDE = ROOT / "docs" / "writing_a_strategy.md"
COMMANDS = shell_commands(GUIDE)
SERVER = next(command for command in COMMANDS if command.startswith("ggp-player serve"))

APART = {SERVER, *(command for command in COMMANDS if command.startswith("python docs/"))}
"""Commands with tests of their own: those of exercises are in ``test_exercises.py``."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the guide and nothing else."""
    path = tmp_path_factory.mktemp("guide")
    for name, text in files(GUIDE):
        (path / name).write_text(text)
    return path


def arguments(command: str) -> list[str]:
    program, *rest = shlex.split(command)
    return [sys.executable, "-P", "-m", program.replace("-", "_"), *rest]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


def run(command: str, folder: Path) -> str:
    done = subprocess.run(
        arguments(command), cwd=folder, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.thorough
def test_the_guide_ends_with_a_match_and_a_tournament_of_ones_own(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["mine.py", "stones.kif"]
    outputs = {command: run(command, folder) for command in COMMANDS if command not in APART}
    match = next(text for command, text in outputs.items() if "playouts=200" in command)
    assert "ann is ./mine.py:Sampler:playouts=200, bob is ./mine.py:Last" in match
    assert all("cannot be" not in text for text in outputs.values()), "the workers import it too"
    *_, first, second = outputs.values()
    assert "6 of 6 matches played" in first
    assert "6 of 12 matches were played before" in second
    assert "12 of 12 matches played" in second
    assert "broke off" not in second


@pytest.mark.thorough
def test_the_guides_server_answers(folder: Path) -> None:
    command = [*arguments(SERVER), "--host", "127.0.0.1", "--port", "0", "--log-level", "error"]
    with subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            text = "".join(server.stdout.readline() for _ in range(4))
            port = re.search(r"127\.0\.0\.1:(\d+)\n", text)
            assert port is not None, text
            assert "strategy   ./mine.py:Sampler\n" in text
            assert "status     available" in run(f"ggp-player info 127.0.0.1:{port[1]}", folder)
        finally:
            server.terminate()
    assert server.returncode == 0
