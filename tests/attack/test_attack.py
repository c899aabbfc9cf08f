"""A small version of the attacks and faults that are known to cost nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ggp_player.manager_service.scheduling.roster import CHECK_PAUSE
from ggp_player.server.reply_deadline import STOPPING_LIMIT
from tests.attack.attacks import ATTACKS, BUSY_CORES
from tests.attack.caches import Cache
from tests.attack.event_scenario import run_event
from tests.attack.faults import FAULTS
from tests.attack.manager_attacks import LIFETIME, MANAGER_ATTACKS, TAKEN_NAME
from tests.attack.scenario import Outcome, Scenario, run
from tests.support.paths import ROOT

QUICK = [
    name
    for name, fault in FAULTS.items()
    if fault.holds and fault.cache <= Cache.COPY and not (fault.flags or fault.turns)
]
"""Faults that need neither a cache of their own, which takes long to make, nor games or flags."""

ATTACKS_TOGETHER = [
    name
    for name, attack in ATTACKS.items()
    if attack.holds and name != BUSY_CORES and not attack.flags
]
"""Attacks on one server at once. With many seats, matches with clocks of years would take some."""

MAX_LOG = 200_000
"""Bytes; strangers may not fill the disk."""

MAX_MEMORY = 400_000_000
"""Bytes of the server's own process."""


@pytest.mark.thorough
def test_attacks_cost_nothing(tmp_path: Path) -> None:
    assert_harmless(ATTACKS_TOGETHER, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name, attack in ATTACKS.items() if attack.flags])
def test_attacks_on_servers_of_their_own_cost_nothing(name: str, tmp_path: Path) -> None:
    assert_harmless([name], tmp_path)


def assert_harmless(names: list[str], folder: Path) -> None:
    outcome = run(Scenario(names, seconds=6, strength=0.25), folder)
    assert outcome.is_flawless, "\n".join([f"{outcome}", *outcome.turns.notes])
    assert outcome.turns.played > 2
    assert outcome.tracebacks == 0
    assert outcome.log < MAX_LOG
    assert outcome.memory < MAX_MEMORY
    assert outcome.stop_seconds < STOPPING_LIMIT


@pytest.mark.thorough
@pytest.mark.parametrize("name", MANAGER_ATTACKS)
def test_attacks_on_the_manager_cost_nothing(name: str, tmp_path: Path) -> None:
    seconds = LIFETIME + CHECK_PAUSE + 5 if name == TAKEN_NAME else 3
    outcome = run_event(Scenario([name], seconds=seconds, strength=0.25), tmp_path)
    assert outcome.is_flawless, "\n".join([f"{outcome}", *outcome.turns.notes])
    assert outcome.turns.played > 20
    assert outcome.tracebacks == 0
    assert outcome.log < MAX_LOG
    assert outcome.memory < MAX_MEMORY


@pytest.mark.thorough
def test_faults_cost_nothing(tmp_path: Path) -> None:
    outcome = run(Scenario(QUICK, seconds=12, pause=0.8), tmp_path)
    assert_flawless(outcome)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["kill fork server", "stop fork server"])
def test_matches_begin_while_the_fork_server_is_replaced(name: str, tmp_path: Path) -> None:
    outcome = run(Scenario([name], seconds=10, pause=1.6), tmp_path)
    assert_flawless(outcome)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.holds])
def test_each_fault_costs_nothing(name: str, tmp_path: Path) -> None:
    outcome = run(Scenario([name], seconds=60, strikes=3), tmp_path)
    assert_flawless(outcome)


def assert_flawless(outcome: Outcome) -> None:
    assert outcome.is_flawless, "\n".join([f"{outcome}", *outcome.turns.notes])
    assert outcome.turns.played > 2
    assert outcome.strikes > 2
    assert outcome.stop_seconds < STOPPING_LIMIT


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "tests.attack", *arguments]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.thorough
def test_the_command_names_them_all() -> None:
    names = [line.partition("  (")[0] for line in command("--list").stdout.splitlines()]
    assert names == [*ATTACKS, *MANAGER_ATTACKS, *FAULTS]
    unknown = command("--only", "luck")
    assert unknown.returncode == 2
    assert "there is no attack or fault luck; see --list" in unknown.stderr
