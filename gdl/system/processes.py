"""How processes are started, end with whoever started them, and are ended."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal

_PARENT_DEATH_SIGNAL = 1
"""``PR_SET_PDEATHSIG`` of the system call ``prctl``."""

_WATCH_SECONDS = 1.0

PROC = "/proc"
"""Where Linux tells of processes; there is none on macOS and Windows."""


def start_method() -> Literal["forkserver", "spawn"]:
    """Return how :mod:`multiprocessing` is to start processes, fast where that is safe.

    A fork server has done the imports. Windows has no fork; on macOS the system's libraries may
    start threads when they are loaded, and a fork after that may crash.
    """
    return "spawn" if sys.platform in {"darwin", "win32", "cygwin"} else "forkserver"


def end_with_parent(parent: int | None = None) -> None:
    """Have this process end when the thread that started it does.

    ``parent`` is the process that has started this one, as it knows itself: where another is the
    parent by now, that one has ended, and this process ends at once. On Linux the kernel sees to
    the end. Elsewhere a thread looks every second whether the parent process has ended; on Windows,
    which does not tell, nothing happens.
    """
    if parent is None:
        parent = os.getppid()
    if (prctl := _prctl()) is not None:
        prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    elif hasattr(signal, "SIGKILL"):
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
    else:
        return
    if os.getppid() != parent:  # it was too late to be told
        os._exit(1)


def resume_with_parent_end() -> None:
    """Have this process go on, if it is stopped, when the thread that started it ends.

    So it can notice by other means that it has to end. Only Linux can do so.
    """
    if (prctl := _prctl()) is not None:
        prctl(_PARENT_DEATH_SIGNAL, signal.SIGCONT)


def _prctl() -> Callable[[int, int], int] | None:
    # TypeError: on Windows a library needs a name.
    with suppress(AttributeError, OSError, TypeError):
        prctl: Callable[[int, int], int] = ctypes.CDLL(None).prctl
        return prctl
    return None


def _end_after(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


def kill(pid: int) -> None:
    """End a process at once, whatever it is doing; where it has ended already, do nothing."""
    # Windows has no SIGKILL, and there SIGTERM is as hard.
    with suppress(ProcessLookupError):
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def lead_group() -> None:
    """Make this process the leader of a group, to which all that it starts will belong.

    Windows has no groups, and there nothing happens.
    """
    with suppress(AttributeError, PermissionError):  # one that leads a group already may not
        os.setsid()


def kill_group(leader: int) -> None:
    """End all processes of a group at once, even where its leader has ended before.

    Where there is no such group, as on Windows, nothing happens.
    """
    with suppress(AttributeError, ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def lower_priority(leader: int, niceness: int) -> None:
    """Let this process go before all threads of another by ``niceness``, and before its group's.

    ``leader`` leads the group, or will. Where there are no priorities, as on Windows, or no such
    process, nothing happens.
    """
    with suppress(AttributeError, OSError):
        own = os.getpriority(os.PRIO_PROCESS, 0)
        for kind in (os.PRIO_PROCESS, os.PRIO_PGRP):  # of a process it sets the first thread alone
            os.setpriority(kind, leader, own + niceness)


def end_own_group(status: int) -> None:
    """End this process at once, with whatever it has started if it leads a group."""
    if hasattr(os, "getpgrp") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(status)


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
    with suppress(OSError), open(f"{PROC}/{pid}/stat", "rb") as file:  # noqa: PTH123 see the package
        # The name, in parentheses, can hold anything.
        fields = file.read().rpartition(b")")[2].decode().split()
        return ProcessStatus(fields[0], int(fields[2]), fields[19])
    return None


def is_stopped(pid: int) -> bool:
    """Check whether a process has been stopped, as by SIGSTOP; False where that is not known.

    One that a debugger holds for a moment does not count.
    """
    status = process_status(pid)
    return status is not None and status.state == "T"


def has_ended(pid: int) -> bool:
    """Check whether a process has ended, be it waited for or not.

    False where that is not known: where there is no ``/proc``, while it was not waited for.
    """
    status = process_status(pid)
    if status is not None:
        return status.has_ended
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in the processes that this thread starts meanwhile.

    Where signals cannot be blocked, on Windows, they have to ignore it themselves.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
