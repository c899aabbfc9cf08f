"""The bounds of what strangers may send and what an answer may take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a session accepts and spends. Sizes are in bytes, times in seconds."""

    line: int = 16 * MIB
    """The longest line of the input."""
    rules: int = 2 * MIB
    """The longest rulesheet."""
    answer: int = 64 * MIB
    """The longest answer to a line."""
    seconds: float = 10.0
    """The time for one request, where the system has timers."""
    games: int = 32
    """How many games are kept; the one that was used least recently is forgotten."""
    batch: int = 10_000
    """The most requests of a line."""


@contextmanager
def memory_limit(mib: int) -> Iterator[None]:
    """Let this process take so many MiB more of address space than it has, and no more.

    An allocation beyond it raises MemoryError. Systems without such limits have none.
    """
    if resource is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bounds = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
    with suppress(ValueError, OSError):  # as macOS may refuse
        wanted = _address_space() + mib * MIB
        resource.setrlimit(resource.RLIMIT_AS, (min([wanted, *bounds]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space() -> int:
    """The address space that this process has, in bytes; raises OSError where that is not known."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")
