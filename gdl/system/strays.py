"""Strays: processes that have outlived whoever started them, found by a mark in their environment.

The processes that :mod:`multiprocessing` starts for this one, and all that these start in turn,
have a variable in their environment that names this process. A stray is one of them whose group has
lost its leader, or whose first ancestor, which the mark names, is gone. The mark has the time at
which that process was started, as numbers of processes are used again. Where there is no ``/proc``,
on macOS and Windows, there are no strays to be found.
"""

from __future__ import annotations

import os
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "GDL_STARTED_BY"
"""The variable: the number of a process, a colon, and when it was started."""

_PROC = "/proc"


class ProcessStatus:
    """What the system says of a process; ``started`` is in ticks since the machine's start."""

    __slots__ = ("group", "started", "state")

    def __init__(self, state: str, group: int, started: str) -> None:
        self.state = state
        self.group = group
        self.started = started

    @property
    def has_ended(self) -> bool:
        """Whether nothing is left of it but an entry in the table of processes."""
        return self.state in {"Z", "X"}


def process_status(pid: int) -> ProcessStatus | None:
    """Return the status of a process; None where there is none, or where it is not known."""
    with suppress(OSError), open(f"{_PROC}/{pid}/stat", "rb") as file:  # noqa: PTH123 see the package
        # The name, in parentheses, can hold anything.
        fields = file.read().rpartition(b")")[2].decode().split()
        return ProcessStatus(fields[0], int(fields[2]), fields[19])
    return None


def own_mark() -> str:
    """Return the mark for what this process starts; empty where none can be found by it."""
    status = process_status(os.getpid())
    return f"{os.getpid()}:{status.started}" if status is not None else ""


def find_strays() -> list[int]:
    """Return the processes of this user that were left behind, by this process or one that is gone.

    Of its own group none is a stray: it is for whoever has made that group to end it.
    """
    own, found = own_mark(), []
    for pid, status in _others():
        mark = _mark_of(pid)
        if mark and (_has_no_leader(status) if mark == own else not _is_alive(mark)):
            found.append(pid)
    return found


def _others() -> Iterator[tuple[int, ProcessStatus]]:
    """Yield the processes outside this one's group that have not ended."""
    with suppress(OSError):
        for name in os.listdir(_PROC):  # noqa: PTH208 see the package
            status = process_status(int(name)) if name.isdecimal() else None
            if status is not None and not status.has_ended and status.group != os.getpgrp():
                yield int(name), status


def _has_no_leader(status: ProcessStatus) -> bool:
    leader = process_status(status.group)
    return leader is None or leader.has_ended


def _is_alive(mark: str) -> bool:
    pid, _, started = mark.partition(":")
    status = process_status(int(pid)) if pid.isdecimal() else None
    return status is not None and not status.has_ended and status.started == started


def _mark_of(pid: int) -> str:
    """Return the mark of a process of this user, empty where it has none."""
    folder, prefix = f"{_PROC}/{pid}", f"{MARK}=".encode()
    with suppress(OSError):
        if os.stat(folder).st_uid == os.getuid():  # noqa: PTH116 see the package
            with open(f"{folder}/environ", "rb") as file:  # noqa: PTH123
                for entry in file.read().split(b"\0"):
                    if entry.startswith(prefix):
                        return entry.removeprefix(prefix).decode(errors="replace")
    return ""
