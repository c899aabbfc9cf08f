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
    is_stopped,
    kill,
    kill_group,
    lead_group,
    lower_priority,
    processes,
    resume_with_parent_end,
    start_method,
)
from tests.support.left_behind import becomes_true

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


LATE = """
from gdl.system import end_with_parent, processes
processes._prctl = {prctl}
end_with_parent({parent})
print("goes on")
"""


@pytest.mark.parametrize("prctl", ["processes._prctl", "lambda: None"])
@pytest.mark.parametrize("is_late", [False, True])
def test_a_process_ends_where_its_parent_has_ended_before(is_late: bool, prctl: str) -> None:
    parent = os.getppid() if is_late else os.getpid()  # who has started it is another by now
    command = [sys.executable, "-c", LATE.format(parent=parent, prctl=prctl)]
    done = subprocess.run(command, env=child_environment(), stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == ((1, b"") if is_late else (0, b"goes on\n"))


STOPPED = """
import os, signal
from gdl.system import resume_with_parent_end
resume_with_parent_end()
os.write(1, b"%d " % os.getpid())
os.kill(os.getpid(), signal.SIGSTOP)
os.write(1, b"goes on")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_a_stopped_process_goes_on_when_its_parent_ends() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", START, STOPPED], env=child_environment(), stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        output = parent.stdout
        child = int(b"".join(iter(lambda: output.read(1), b" ")))
        assert becomes_true(lambda: is_stopped(child))
        parent.kill()
        assert parent.stdout.read() == b"goes on"


GROUP = """
import os, subprocess, sys
from gdl.system import end_own_group, lead_group
lead_group()
lead_group()
subprocess.Popen([sys.executable, "-c", "import os; os.write(1, b'child'); os.read(0, 1)"])
if os.read(0, 1) == b"e":
    end_own_group(0)
"""


@pytest.mark.parametrize("how", ["kills the group", "kills the leader first", "ends itself"])
def test_a_group_is_ended_as_a_whole(how: str) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", GROUP], env=child_environment(), stdin=pipe, stdout=pipe
    ) as leader:
        assert leader.stdout is not None
        assert leader.stdin is not None
        assert leader.stdout.read(5) == b"child"
        if how == "kills the leader first":
            leader.kill()
            os.waitid(os.P_PID, leader.pid, os.WEXITED | os.WNOWAIT)
        if how == "ends itself":
            leader.stdin.write(b"ee")
            leader.stdin.flush()
        else:
            kill_group(leader.pid)
        assert leader.stdout.read() == b"", "the pipe ends when all have ended"
    kill_group(leader.pid)


THREADS = """
import os, subprocess, sys, threading
from gdl.system import lead_group
lead_group()
child = subprocess.Popen([sys.executable, "-c", "import os; os.read(0, 1)"])
thread = threading.Thread(target=os.read, args=(0, 1))
thread.start()
print(child.pid, thread.native_id, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "setpriority"), reason="there are no priorities")
def test_all_threads_of_a_group_let_others_go_before_them() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", THREADS], env=child_environment(), stdin=pipe, stdout=pipe
    ) as leader:
        assert leader.stdout is not None
        others = list(map(int, leader.stdout.readline().split()))
        before = os.getpriority(os.PRIO_PROCESS, 0)
        lower_priority(leader.pid, 5)
        found = {os.getpriority(os.PRIO_PROCESS, task) for task in (leader.pid, *others)}
        assert found == {min(19, before + 5)}
        assert os.getpriority(os.PRIO_PROCESS, 0) == before
        kill_group(leader.pid)
    lower_priority(leader.pid, 5)  # it is gone


def test_where_there_are_no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = os.getpgrp(), os.getsid(0)
    monkeypatch.delattr(os, "setsid")
    monkeypatch.delattr(os, "killpg")
    monkeypatch.setattr(processes, "_prctl", lambda: None)
    lead_group()
    kill_group(os.getpgrp())
    resume_with_parent_end()
    assert (os.getpgrp(), os.getsid(0)) == groups


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
def test_a_stopped_process_is_known() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        assert not is_stopped(process.pid)
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        assert is_stopped(process.pid)
        process.kill()
    assert not is_stopped(process.pid)


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
