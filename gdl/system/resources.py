"""Processors and memory: how much there is, how much is used, and how much may be; and the time."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import contextmanager, suppress

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator


HELPER_FILES = 64
"""How many files a helper may have open: its input, its output, and the libraries that it loads."""

CONTROL_GROUP_FILES = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)
"""Where Linux says how much memory a container may use and uses, in versions 2 and 1."""

CPU_QUOTA_FILES = (
    ("/sys/fs/cgroup/cpu.max",),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)
"""Where Linux says how many microseconds of CPU time a container may use in how many, likewise."""

LARGE_BLOCK = 2**20
"""Bytes of a block of memory that has pages of its own, see :func:`return_large_blocks`."""

_M_MMAP_THRESHOLD = -3

BOOT_FILE = "/proc/sys/kernel/random/boot_id"
"""Where Linux says which start of the machine this is."""

REPEAT_SECONDS = 0.5
"""How long after the end of the time it is ended again, should something have held that up."""

MOST_EXPENDABLE = 1000
"""What Linux adds, in thousandths of all memory, to what a process has, to choose which to end."""


def available_cpus() -> int:
    """Return how many CPUs this process may use; where that is not known, how many there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_quota() -> float | None:
    """Return how many CPUs' time the container may use, such as 1.5; None where it has no limit."""
    for files in CPU_QUOTA_FILES:
        with suppress(ValueError):  # the text is "max" or -1 where there is no limit
            quota, period = map(int, " ".join(map(_text_of, files)).split())
            if quota > 0 and period > 0:
                return quota / period
    return None


def yield_address() -> int:
    """Return the address of a C function ``int function(void)`` that lets other threads run.

    It is 0 where the system has none.
    """
    import ctypes  # not at the top: see the package

    with suppress(AttributeError, OSError, TypeError):  # as not every system lists what is loaded
        if sys.platform == "win32":
            function = ctypes.WinDLL("kernel32")["SwitchToThread"]
        else:
            function = ctypes.CDLL(None)["sched_yield"]
        return ctypes.cast(function, ctypes.c_void_p).value or 0
    return 0


def available_memory() -> int | None:
    """Return how much memory this process and its children may still take, in bytes.

    That is what the machine has free, or the container if that is less; None where neither is
    known, on macOS and Windows.
    """
    known = [
        _memory_of_machine("MemAvailable:"),
        *map(_free_memory_of_container, CONTROL_GROUP_FILES),
    ]
    return min((free for free in known if free is not None), default=None)


def total_memory() -> int | None:
    """Return how much memory this machine has, or the container if that is less, in bytes.

    It is None where neither is known, on Windows.
    """
    known = [_memory_of_machine("MemTotal:"), _physical_memory()]
    for most, _ in CONTROL_GROUP_FILES:
        with suppress(ValueError):  # the text is "max" where there is no limit
            known.append(int(_text_of(most)))
    return min((size for size in known if size is not None), default=None)


def _physical_memory() -> int | None:
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _memory_of_machine(what: str) -> int | None:
    for line in _text_of("/proc/meminfo").splitlines():
        if line.startswith(what):
            return 1024 * int(line.split()[1])
    return None


def _free_memory_of_container(files: tuple[str, str]) -> int | None:
    """Return how much memory a control group may still take; None if it has no limit."""
    most, used = map(_text_of, files)
    with suppress(ValueError):  # the text is "max" where there is no limit
        return max(0, int(most) - int(used))
    return None


def _text_of(file: str) -> str:
    """Read a file of the system; empty where it cannot be read."""
    with suppress(OSError), open(file, encoding="ascii") as lines:  # noqa: PTH123 see the package
        return lines.read()
    return ""


def limit_memory(limit: int) -> None:
    """Limit the address space of this process, in bytes, for good.

    An allocation beyond it fails. A stricter limit that is set already stays. Windows has no such
    limit, and macOS may refuse it: there a process is limited by the memory of the machine alone.
    """
    _limit("AS", limit, limit)


@contextmanager
def memory_limit(more: int) -> Iterator[None]:
    """Let this process take so many bytes more of address space than it has here, and no more.

    An allocation beyond it raises MemoryError. Systems without such limits have none.
    """
    pages = _text_of("/proc/self/statm").split()[:1]
    if resource is None or not pages:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = int(pages[0]) * os.sysconf("SC_PAGE_SIZE") + more
    bounds = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (min([wanted, *bounds]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def address_space_limit() -> int | None:
    """Return how many bytes of address space this process may have; None without such a limit."""
    if resource is None:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def end_after_cpu_seconds(limit: int) -> None:
    """Have the system end this process when it has used so many seconds of CPU time.

    Unlike SIGXCPU, the signal is one that libraries do not handle: a handler that allocates memory
    can wait for ever for the allocation that it has interrupted. Windows has no such timer.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, limit)


def was_ended_by_cpu_time(status: int) -> bool:
    """Check whether an exit status is that of a process ended by :func:`end_after_cpu_seconds`."""
    return hasattr(signal, "SIGPROF") and status == -signal.SIGPROF


def limit_helper(memory: int, cpu_seconds: int) -> None:
    """Limit this process to what a helper needs that computes one thing from its input.

    Besides the memory in bytes and the CPU seconds, beyond which the process gets SIGXCPU and is
    killed a second later, that is few open files, no processes or threads of its own, and no core
    dump. What the system cannot limit is not limited.
    """
    limit_memory(memory)
    _limit("CPU", cpu_seconds, cpu_seconds + 1)
    for name, most in (("NOFILE", HELPER_FILES), ("NPROC", 0), ("CORE", 0)):
        _limit(name, most, most)


def _limit(name: str, soft: int, hard: int) -> None:
    """Set a limit of this process, or keep a stricter one, where the system has such a limit."""
    kind = getattr(resource, f"RLIMIT_{name}", None)
    if kind is None:
        return
    unlimited = resource.RLIM_INFINITY
    soft, hard = (
        wanted if bound == unlimited else min(wanted, bound)
        for wanted, bound in zip((soft, hard), resource.getrlimit(kind), strict=True)
    )
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (soft, hard))


class OutOfTimeError(BaseException):
    """The time for what is computed is over.

    No Exception, since that may handle those.
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
    import threading

    is_main = threading.current_thread() is threading.main_thread()
    if not hasattr(signal, "setitimer") or not is_main:
        yield
        return
    timer = signal.ITIMER_PROF if of_cpu else signal.ITIMER_REAL
    number = signal.SIGPROF if of_cpu else signal.SIGALRM
    before = signal.signal(number, _end_now)
    try:
        try:
            signal.setitimer(timer, seconds, repeat)
            yield
        finally:
            signal.setitimer(timer, 0)
    finally:  # again, as the time may be over just when the timer is to be stopped
        signal.setitimer(timer, 0)
        signal.signal(number, before)


def _end_now(_signal: int, _frame: object) -> None:
    raise OutOfTimeError


def raise_open_files_limit(wanted: int) -> int:
    """Raise how many files this process may have open to ``wanted``; return how many it may have.

    It is raised as far as the system lets it, and never lowered. Windows has no such limit.
    """
    if resource is None:
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return wanted if soft == resource.RLIM_INFINITY else soft
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        return most
    return soft


def return_large_blocks() -> None:
    """Have large blocks of memory go back to the system as soon as they are free.

    The C library of Linux learns to keep blocks of up to 32 MiB, between which others come to lie;
    other systems are left as they are.
    """
    import ctypes  # not at the top: see the package

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BLOCK)


def resident_memory(pid: int) -> int:
    """Return how much memory a process has now, in bytes; 0 where that is not known."""
    fields = _text_of(f"/proc/{pid}/statm").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else 0


def end_first_without_memory() -> None:
    """Have the kernel end this process before others where the machine runs out of memory.

    Only Linux can be told; a process may always make itself the first, never the last.
    """
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123 see above
        file.write(f"{MOST_EXPENDABLE}\n")


def peak_memory() -> int:
    """Return the most memory, in bytes, that this process or a child that has ended ever used.

    It is 0 where that is not known, on Windows.
    """
    if resource is None:
        return 0
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    most = max(resource.getrusage(who).ru_maxrss for who in whose)
    return most if sys.platform == "darwin" else 1024 * most


def child_cpu_seconds() -> float:
    """Return the CPU seconds of all processes that this one has waited for.

    It is 0 where that is not known, on Windows.
    """
    if resource is None:
        return 0.0
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def load_average() -> float | None:
    """Return how many processes want a CPU, on average of a minute; None where it is not known."""
    with suppress(AttributeError, OSError):
        return os.getloadavg()[0]
    return None


def boot_instant() -> tuple[str, float] | None:
    """Return which start of the machine this is, and the seconds since, also those asleep.

    Processes of one start can compare the seconds. It is None where that is not known, on macOS and
    Windows.
    """
    with suppress(OSError, AttributeError), open(BOOT_FILE, encoding="ascii") as file:  # noqa: PTH123 see the package
        return file.read().strip(), time.clock_gettime(time.CLOCK_BOOTTIME)
    return None
