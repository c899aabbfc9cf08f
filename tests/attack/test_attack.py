"""A small version of the attacks and faults that are known to cost nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.attack.attacks import ATTACKS
from tests.attack.faults import FAULTS
from tests.attack.scenario import Scenario, run
from tests.support.paths import ROOT

MAX_LOG = 200_000
"""Bytes; strangers may not fill the disk."""

MAX_MEMORY = 400_000_000
"""Bytes of the server's own process."""


def test_attacks_cost_nothing(tmp_path: Path) -> None:
    names = [name for name, attack in ATTACKS.items() if attack.holds]
    outcome = run(Scenario(names, seconds=6, strength=0.25), tmp_path)
    assert outcome.is_flawless, outcome
    assert outcome.turns.played > 2
    assert outcome.log < MAX_LOG
    assert outcome.memory < MAX_MEMORY
    assert outcome.stop_seconds < 5


def test_faults_cost_nothing(tmp_path: Path) -> None:
    names = [name for name, fault in FAULTS.items() if fault.holds]
    outcome = run(Scenario(names, seconds=9, pause=0.8), tmp_path)
    assert outcome.is_flawless, outcome
    assert outcome.turns.played > 2
    assert outcome.strikes > 2
    assert outcome.stop_seconds < 5


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "tests.attack", *arguments]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_names_them_all() -> None:
    names = [line.partition("  (")[0] for line in command("--list").stdout.splitlines()]
    assert names == [*ATTACKS, *FAULTS]
    unknown = command("--only", "luck")
    assert unknown.returncode == 2
    assert "there is no attack or fault luck; see --list" in unknown.stderr
