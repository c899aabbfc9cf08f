"""The bounds of what strangers may send and what an answer may take."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

MIB = 2**20

REPEAT_SECONDS = 0.5
"""How long after the end of the time it is ended again, should something have held that up."""


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


class OutOfTimeError(BaseException):
    """The time for a request is over.

    No Exception, since what is computed may handle those.
    """


@contextmanager
def time_limit(
    seconds: float, repeat: float = REPEAT_SECONDS, *, of_cpu: bool = False
) -> Iterator[None]:
    """End what is computed here after so many seconds with :class:`OutOfTimeError`.

    Each ``repeat`` seconds it is ended again; with ``of_cpu`` all are seconds of CPU time. Only the
    main thread of a process can be interrupted, and only where the system has timers; elsewhere
    there is no limit.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not hasattr(signal, "setitimer") or not is_main:
        yield
        return
    timer = signal.ITIMER_PROF if of_cpu else signal.ITIMER_REAL
    number = signal.SIGPROF if of_cpu else signal.SIGALRM
    before = signal.signal(number, _end)
    try:
        try:
            signal.setitimer(timer, seconds, repeat)
            yield
        finally:
            signal.setitimer(timer, 0)
    finally:  # again, as the time may be over just when the timer is to be stopped
        signal.setitimer(timer, 0)
        signal.signal(number, before)


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise OutOfTimeError


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
