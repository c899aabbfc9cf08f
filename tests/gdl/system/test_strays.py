"""Processes that were left behind are found, and no others."""

from __future__ import annotations

import os
import subprocess
import sys
from uuid import uuid4

import pytest

from gdl.system import child_environment, children_import_our_code, find_strays
from gdl.system.processes import process_status
from gdl.system.strays import MARK, own_mark

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")

NAMESPACE = own_mark().rpartition(" ")[2]

VARIABLE = f"GDL_TEST_{uuid4().hex}"
"""Takes the place of the usual mark: a server that is just starting ends strays with that one."""

WAITING = "import os; os.write(1, b'ready'); os.read(0, 1)"

LEAVING = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {WAITING!r}])
os.read(0, 1)
"""


class Marked:
    """A process with a mark that leads a group, and has a child in it."""

    def __init__(self, mark: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", LEAVING],
            env={**child_environment(), VARIABLE: mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.read(5) == b"ready"

    def __enter__(self) -> Marked:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate(b"..")

    def strays(self) -> int:
        """How many of its group are strays."""
        return sum(
            status.group == self.process.pid
            for pid in find_strays()
            if (status := process_status(pid)) is not None
        )


@pytest.fixture(autouse=True)
def _own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.system.strays.MARK", VARIABLE)


@pytest.fixture
def gone() -> str:
    """The mark of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        status = process_status(process.pid)
    assert status is not None
    return f"{process.pid} {status.started} {NAMESPACE}"


def test_what_a_dead_leader_of_ours_has_left_is_a_stray() -> None:
    with Marked(own_mark()) as marked:
        assert marked.strays() == 0
        marked.process.kill()
        os.waitid(os.P_PID, marked.process.pid, os.WEXITED | os.WNOWAIT)
        assert marked.strays() == 1


def test_whatever_is_left_of_a_process_that_is_gone_is_a_stray(gone: str) -> None:
    with Marked(gone) as marked:
        assert marked.strays() == 2


def test_what_has_inherited_the_same_mark_is_none(
    gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, gone)
    with Marked(gone) as marked:
        assert marked.strays() == 0


def test_what_has_stayed_in_our_group_is_a_stray_only_if_it_is_not_ours(gone: str) -> None:
    for mark, count in ((own_mark(), 0), (gone, 1)):
        with subprocess.Popen(
            [sys.executable, "-c", WAITING],
            env={**child_environment(), VARIABLE: mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.read(5) == b"ready"
            assert find_strays().count(process.pid) == count
            process.communicate(b".")


def test_what_others_have_started_is_none() -> None:
    parent = process_status(os.getppid())
    assert parent is not None
    for mark in ("", f"{os.getppid()} {parent.started} {NAMESPACE}"):
        with Marked(mark) as marked:
            marked.process.kill()
            os.waitid(os.P_PID, marked.process.pid, os.WEXITED | os.WNOWAIT)
            assert marked.strays() == 0


@pytest.mark.parametrize(("ticks", "strays"), [(-7, 0), (7, 0), (-300, 2)])
def test_times_of_the_same_start_may_differ_a_little(ticks: int, strays: int) -> None:
    own = process_status(os.getpid())
    assert own is not None
    with Marked(f"{os.getpid()} {int(own.started) + ticks} {NAMESPACE}") as marked:
        assert marked.strays() == strays


def test_a_number_that_is_used_again_is_another_process() -> None:
    with Marked(f"{os.getpid()} 0 {NAMESPACE}") as marked:
        assert marked.strays() == 2


def test_processes_of_containers_are_left_alone() -> None:
    for mark in (f"{os.getpid()} 0 pid:[1]", f"{os.getpid()} 0", "nonsense"):
        with Marked(mark) as marked:
            assert marked.strays() == 0


def test_what_multiprocessing_starts_is_marked() -> None:
    before = os.environ.get(MARK)
    with children_import_our_code():
        assert os.environ[MARK] == own_mark()
    assert os.environ.get(MARK) == before


def test_where_there_is_no_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("processes", "strays"):
        monkeypatch.setattr(f"gdl.system.{module}.PROC", "/nowhere")
    assert (own_mark(), find_strays(), process_status(os.getpid())) == ("", [], None)
