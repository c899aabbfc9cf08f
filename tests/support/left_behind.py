"""Finds all that a server has started, by a word in the environment of each process.

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


class Family:
    """All processes that are started with ``environment``, and whatever they start."""

    def __init__(self) -> None:
        self._word = uuid4().hex
        self._strangers: set[str] = set()

    @property
    def environment(self) -> dict[str, str]:
        """The environment for the first of them."""
        return {**os.environ, VARIABLE: self._word}

    def members(self, word: bytes = b"") -> list[int]:
        """The ids of those that have not ended, and that have a word in their command."""
        return [pid for pid in self._living() if word in _content(pid, "cmdline")]

    def _living(self) -> Iterator[int]:
        mark = f"{VARIABLE}={self._word}".encode()
        for name in sorted(
            (path.name for path in Path("/proc").glob("[0-9]*")), key=int, reverse=True
        ):
            environment = b"" if name in self._strangers else _content(int(name), "environ")
            if mark in environment:
                if state(int(name)) not in {"", "Z", "X"}:
                    yield int(name)
            elif environment:
                self._strangers.add(name)


def _content(pid: int, name: str) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/{name}").read_bytes()
    return b""


def state(pid: int) -> str:
    """The state of a process, one letter, such as T for stopped; empty where there is none."""
    return _content(pid, "stat").decode(errors="replace").rpartition(")")[2][1:2]


def parent_of(pid: int) -> int:
    """The process that has started another, or has inherited it; 0 where that one has ended."""
    fields = _content(pid, "stat").decode(errors="replace").rpartition(")")[2].split()
    return int(fields[1]) if fields else 0


def becomes_true(condition: Callable[[], object], seconds: float) -> bool:
    """Wait for a condition at most so many seconds; return whether it holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        os.sched_yield()
    return True
