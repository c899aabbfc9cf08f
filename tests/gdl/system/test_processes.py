"""Processes end with whoever started them, and by fallbacks where the system has less to offer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from gdl.system import (
    child_environment,
    end_with_parent,
    interrupts_blocked,
    kill,
    processes,
    start_method,
)

START = """
import subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1]])
"""

KERNEL = """
import os
from gdl.system import end_with_parent
end_with_parent()
os.write(1, b"ready")
while True: pass
"""

WATCHING = f"""
from gdl.system import processes
processes._prctl, processes._WATCH_SECONDS = lambda: None, 0.01
{KERNEL}
"""


@pytest.mark.parametrize("child", [KERNEL, WATCHING], ids=["kernel", "watching"])
def test_a_process_ends_with_its_parent(child: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", START, child],
        env=child_environment(),
        stdout=subprocess.PIPE,
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.read(5) == b"ready"
        parent.kill()
        assert parent.stdout.read() == b"", "the pipe ends when the child has ended"


def test_without_prctl_a_thread_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[int] = []
    for library in (object(), None):

        def load(_name: None, library: object = library) -> object:
            if library is None:
                raise TypeError("a library needs a name")
            return library

        monkeypatch.setattr("ctypes.CDLL", load)
        monkeypatch.setattr(processes, "_end_after", watched.append)
        end_with_parent()
    assert watched == [os.getppid()] * 2


@pytest.mark.parametrize(
    ("system", "method"), [("linux", "forkserver"), ("darwin", "spawn"), ("win32", "spawn")]
)
def test_processes_are_forked_where_that_is_safe(
    system: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert start_method() == method


@pytest.mark.parametrize("has_kill", [True, False])
def test_a_process_is_killed(has_kill: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    number = signal.SIGKILL if has_kill else signal.SIGTERM
    if not has_kill:
        monkeypatch.delattr(signal, "SIGKILL")
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        kill(process.pid)
        assert process.wait() == -number
    kill(process.pid)


def test_interrupts_are_blocked_where_the_system_can(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    with interrupts_blocked():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == before
    mask = signal.pthread_sigmask
    monkeypatch.delattr(signal, "pthread_sigmask")
    with interrupts_blocked():
        assert mask(signal.SIG_BLOCK, set()) == before
