"""A warm-up that dies is tried again, and the server's health says how it stands."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from ggp_player.worker import warm_up_process
from ggp_player.worker.health import Health, Subject
from ggp_player.worker.warm_up_process import ensure_warm, warm_up_first
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
    monkeypatch.setattr(warm_up_process, "COMMAND", dying(file, signal.SIGKILL))
    monkeypatch.setattr(warm_up_process, "PAUSES", (0, 0, 0))
    monkeypatch.setattr(warm_up_process, "is_warm", lambda: count(file) > 2)
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
    assert not health.problems


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
async def test_a_warm_up_that_is_stopped_is_tried_again(
    attempts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up_process, "COMMAND", dying(attempts, signal.SIGSTOP))
    monkeypatch.setattr(warm_up_process, "WATCH_SECONDS", 0.01)
    health = Health()
    await ensure_warm(health)
    assert count(attempts) == 3
    assert not health.problems


async def test_attempts_come_to_an_end(
    attempts: Path, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    health = Health()
    monkeypatch.setattr(warm_up_process, "is_warm", lambda: False)
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
    monkeypatch.setattr(warm_up_process, "COMMAND", (str(attempts.parent / "nowhere"),))
    await ensure_warm(health)
    await ear.hear("WARM-UP FAILED: no process can be started")
    (problem,) = health.problems
    assert problem.subject is Subject.WARM_UP
    assert problem.reason.startswith("no process can be started")


# ---------------------------------------------------------------------- before a command's clocks


def printing(*lines: str, status: int = 0) -> tuple[str, ...]:
    """The command of a process that prints lines, and ends with a status."""
    program = f"print({chr(10).join(lines)!r}); raise SystemExit({status})"
    return sys.executable, "-c", program


def test_what_is_compiled_already_is_not_spoken_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up_process, "is_warm", lambda: True)
    said: list[str] = []
    assert warm_up_first(said.append)
    assert said == []


def test_a_command_waits_until_all_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([False, True])
    monkeypatch.setattr(warm_up_process, "is_warm", lambda: next(answers))
    monkeypatch.setattr(warm_up_process, "COMMAND", printing("compiling", "warm after 2.0 s"))
    said: list[str] = []
    assert warm_up_first(said.append)
    assert said == [warm_up_process.FIRST.format(seconds=900), "compiling", "warm after 2.0 s"]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (printing("compiling", status=3), "it ended with status 3"),
        (printing("compiling"), "the cache cannot be written"),
        ((sys.executable, "-c", "import time; time.sleep(600)"), "it takes more than 0.05 s"),
        (("/nowhere/at/all",), "no process can be started: "),
    ],
)
def test_a_command_goes_on_where_nothing_can_be_compiled(
    command: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up_process, "is_warm", lambda: False)
    monkeypatch.setattr(warm_up_process, "COMMAND", command)
    said: list[str] = []
    assert not warm_up_first(said.append, 0.05 if "sleep" in command[-1] else 60)
    assert said[-1].startswith(f"the searches cannot be compiled: {reason}")
    assert said[-1].endswith("; simpler searches play in their place")


def test_ctrl_c_ends_the_process_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    program = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid()))"
    program += "; print('compiling', flush=True); time.sleep(600)"
    monkeypatch.setattr(warm_up_process, "is_warm", lambda: False)
    monkeypatch.setattr(warm_up_process, "COMMAND", (sys.executable, "-c", program))

    def interrupted(line: str) -> None:
        if line == "compiling":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        warm_up_first(interrupted)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


async def test_a_cache_that_is_refused_is_a_problem(
    attempts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    health = Health()
    (tmp_path / "cache").mkdir()
    disown(tmp_path / "cache", monkeypatch)
    monkeypatch.setattr(warm_up_process, "is_warm", lambda: True)
    await ensure_warm(health)
    (problem,) = health.problems
    assert problem.subject is Subject.CACHE
    assert "it belongs to another user" in problem.reason
