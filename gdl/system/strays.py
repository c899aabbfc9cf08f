"""Strays: processes that have outlived whoever started them, found by a mark in their environment.

The processes that :mod:`multiprocessing` starts for this one, and all that these start in turn,
have a variable in their environment that names this process. A stray is one of them whose group has
lost its leader, or whose first ancestor, which the mark names, is gone. The mark has the time at
which that process was started, as numbers of processes are used again, and the namespace of its
number, as a machine sees the processes of its containers, too. Where there is no ``/proc``,
on macOS and Windows, there are no strays to be found.
"""

from __future__ import annotations

import os
from contextlib import suppress

from gdl.system.processes import PROC, ProcessStatus, process_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "GDL_STARTED_BY"
"""The variable: the number of a process, when it was started, and where its number is valid."""

SAME_START = 200
"""Ticks by which two times of the same start may differ: an emulator tells a process its own."""


def own_mark() -> str:
    """Return the mark for what this process starts; empty where none can be found by it."""
    status = process_status(os.getpid())
    with suppress(OSError):
        namespace = os.readlink(f"{PROC}/self/ns/pid")  # noqa: PTH115 see the package
        if status is not None:
            return f"{os.getpid()} {status.started} {namespace}"
    return ""


def find_strays() -> list[int]:
    """Return the processes of this user that were left behind, by this process or one that is gone.

    A process of its own that has stayed in its own group is none: whoever leads that may have
    ended. Nor is one with the mark that this process has inherited itself.
    """
    own = own_mark()
    found: list[int] = []
    if not own:
        return found
    namespace, inherited = own.split(" ")[2], os.environ.get(MARK)
    for pid, status in _others():
        mark = _mark_of(pid)
        if mark == own:
            is_stray = status.group != os.getpgrp() and _has_no_leader(status)
        else:
            is_stray = mark.endswith(f" {namespace}") and not _is_alive(mark)
        if is_stray and mark != inherited:
            found.append(pid)
    return found


def _others() -> Iterator[tuple[int, ProcessStatus]]:
    """Yield the other processes that have not ended."""
    with suppress(OSError):
        for name in os.listdir(PROC):  # noqa: PTH208 see the package
            status = process_status(int(name)) if name.isdecimal() else None
            if status is not None and not status.has_ended and int(name) != os.getpid():
                yield int(name), status


def _has_no_leader(status: ProcessStatus) -> bool:
    leader = process_status(status.group)
    return leader is None or leader.has_ended


def _is_alive(mark: str) -> bool:
    pid, started, *_ = mark.split(" ")
    if not (pid.isdecimal() and started.isdecimal()):
        return False
    status = process_status(int(pid))
    if status is None or status.has_ended:
        return False
    return abs(int(status.started) - int(started)) <= SAME_START


def _mark_of(pid: int) -> str:
    """Return the mark of a process of this user, empty where it has none."""
    prefix = f"{MARK}=".encode()
    for entry in _environment(pid).split(b"\0"):
        if entry.startswith(prefix):
            return entry.removeprefix(prefix).decode(errors="replace")
    return ""


def _environment(pid: int) -> bytes:
    """Return the environment of a process of this user, empty where it cannot be read."""
    folder = f"{PROC}/{pid}"
    with suppress(OSError):
        if os.stat(folder).st_uid == os.getuid():  # noqa: PTH116 see the package
            with open(f"{folder}/environ", "rb") as file:  # noqa: PTH123
                return file.read()
    return b""
