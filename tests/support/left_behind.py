"""Finds all that a process has started, and what these have, by a mark in their environment.

It shares no code with the package, and works on Linux alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

VARIABLE = "LEFT_BEHIND_TEST"

POLL = 0.01
"""Seconds between two looks at what cannot be waited for."""

HANGING = 60.0
"""Seconds after which what has not happened is taken never to happen."""


class Family:
    """All processes that are started with ``environment``, and whatever they start."""

    def __init__(self) -> None:
        self._mark = f"{VARIABLE}={uuid4().hex}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment for the first of them."""
        return {**os.environ, VARIABLE: self._mark.partition("=")[2]}

    def members(self, word: bytes = b"") -> list[int]:
        """The ids of those that have not ended, and that have a word in their command, sorted."""
        return [pid for pid in self._living() if word in _content(pid, "cmdline")]

    def _living(self) -> Iterator[int]:
        mark = self._mark.encode()
        for pid in sorted(int(path.name) for path in Path("/proc").glob("[0-9]*")):
            if mark in _content(pid, "environ") and state(pid) not in {"", "Z", "X"}:
                yield pid


def _content(pid: int, name: str) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_bytes()
    return b""


def command_line(pid: int) -> str:
    """The command that a process was started with, empty where it has ended."""
    return _content(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace")


def state(pid: int) -> str:
    """The state of a process, one letter, such as T for stopped; empty where there is none."""
    return "".join(stat_fields(pid)[:1])


def parent(pid: int) -> int:
    """The process that has started another, or has inherited it; 0 where that one has ended."""
    return int("".join(stat_fields(pid)[1:2]) or 0)


def stat_fields(pid: int) -> list[str]:
    """What ``/proc/PID/stat`` has after the name, which can hold anything, from the state on."""
    return _content(pid, "stat").decode(errors="replace").rpartition(")")[2].split()


def becomes_true(condition: Callable[[], object], seconds: float = HANGING) -> bool:
    """Wait for a condition at most so many seconds; return whether it holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL)
    return True
