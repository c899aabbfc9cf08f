"""The examples run, at a small size."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "learn_a_game.py"


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) <= 150


@pytest.mark.thorough
def test_an_agent_learns_to_beat_random_play() -> None:
    small = ["ticTacToe", "--minutes", "0.04", "--matches", "1000", "--hidden", "64"]
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), *small], capture_output=True, text=True, check=True
    )
    first, *_, last = done.stdout.splitlines()
    before, after = (
        list(map(float, re.findall(r"wins ([\d.]+)%", line))) for line in (first, last)
    )
    assert last.startswith("at the end: cross wins ")
    assert sum(after) > sum(before) + 20
    assert after[0] > 75


@pytest.mark.thorough
def test_an_agent_learns_on_a_device() -> None:
    pytest.importorskip("torch")
    small = ["ticTacToe", "--device", "host", "--envs", "512", "--updates", "60"]
    example = EXAMPLE.with_name("learn_on_gpu.py")
    done = subprocess.run(
        [sys.executable, str(example), *small], capture_output=True, text=True, check=True
    )
    first, *_, last = map(float, re.findall(r"([\d.]+) of 100", done.stdout))
    assert last > max(first, 75)
