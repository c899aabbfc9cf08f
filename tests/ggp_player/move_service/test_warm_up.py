"""A warm-up that dies is tried again, and the server's health says how it stands."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from ggp_player.move_service import Health, Subject, ensure_warm, warm_up
from tests.ggp_player.conftest import Ear
from tests.support.foreign_files import disown

DYING = """
import os, sys
attempts = sys.argv[1]
with open(attempts, "a") as file:
    file.write("x")
if os.path.getsize(attempts) < int(sys.argv[2]):
    os.kill(os.getpid(), int(sys.argv[3]))
"""


@pytest.fixture
def attempts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that has a letter for each attempt; the searches are warm after the third."""
    file = tmp_path / "attempts"
    monkeypatch.setattr(warm_up, "COMMAND", dying(file, signal.SIGKILL))
    monkeypatch.setattr(warm_up, "PAUSES", (0, 0, 0))
    monkeypatch.setattr(warm_up, "is_warm", lambda: count(file) > 2)
    monkeypatch.setenv("GDL_CACHE", str(tmp_path / "cache"))
    return file


def dying(file: Path, number: signal.Signals) -> tuple[str, ...]:
    """The command of a process to which a signal comes, but in its third attempt."""
    return sys.executable, "-c", DYING, str(file), "3", str(int(number))


def count(attempts: Path) -> int:
    return len(attempts.read_text()) if attempts.exists() else 0


async def test_a_warm_up_that_is_killed_is_tried_again(attempts: Path, ear: Ear) -> None:
    health = Health()
    warming = asyncio.create_task(ensure_warm(health))
    await ear.hear("not compiled for this machine yet")
    assert health.has(Subject.WARM_UP)
    await warming
    assert count(attempts) == 3
    assert sum("warm-up failed: it ended with status -9" in text for text in ear.messages) == 2
    await ear.hear("the searches are warm")
    assert health.is_well


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
async def test_a_warm_up_that_is_stopped_is_tried_again(
    attempts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "COMMAND", dying(attempts, signal.SIGSTOP))
    monkeypatch.setattr(warm_up, "WATCH_SECONDS", 0.01)
    health = Health()
    await ensure_warm(health)
    assert count(attempts) == 3
    assert health.is_well


async def test_attempts_come_to_an_end(
    attempts: Path, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    health = Health()
    monkeypatch.setattr(warm_up, "is_warm", lambda: False)
    await ensure_warm(health)
    assert count(attempts) == 4
    await ear.hear("WARM-UP FAILED: the cache cannot be written; textbook searches play")
    (problem,) = health.problems
    assert str(problem) == (
        "warm-up: the cache cannot be written; textbook searches play all matches"
    )


async def test_a_program_that_cannot_be_started(
    attempts: Path, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    health = Health()
    monkeypatch.setattr(warm_up, "COMMAND", (str(attempts.parent / "nowhere"),))
    await ensure_warm(health)
    await ear.hear("WARM-UP FAILED: no process can be started")
    (problem,) = health.problems
    assert problem.subject is Subject.WARM_UP
    assert problem.reason.startswith("no process can be started")


async def test_a_cache_that_is_refused_is_a_problem(
    attempts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    health = Health()
    (tmp_path / "cache").mkdir()
    disown(tmp_path / "cache", monkeypatch)
    monkeypatch.setattr(warm_up, "is_warm", lambda: True)
    await ensure_warm(health)
    (problem,) = health.problems
    assert problem.subject is Subject.CACHE
    assert "it belongs to another user" in problem.reason
