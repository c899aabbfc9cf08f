"""The warm-up: a process of its own compiles what all matches share, once for a machine.

A server has it done beside its first matches, and again where the process dies; until it is done,
matches are played by simpler means, and the server's health says so. A command has it done before
it starts a clock.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import Callable

from gdl.code_cache import refusal
from gdl.system import child_environment, is_stopped
from ggp_player.worker.compiling import is_warm
from ggp_player.worker.health import Health, Subject

WARM = "the searches are warm"
"""What the log says once all is compiled that matches share."""

COMMAND = (sys.executable, "-m", "ggp_player", "warm-up", "--until-closed")

PAUSES = (1.0, 5.0, 25.0)
"""Seconds before each further attempt."""

WATCH_SECONDS = 1.0
"""Seconds between two looks whether somebody has stopped the process."""

LIMIT_SECONDS = 900.0
"""How long a command waits for the process; kernels that have been changed take minutes."""

FIRST = (
    "the searches are compiled for this machine first, which takes some ten seconds, once; "
    "longer where other programs keep it busy, and {seconds:g} s at most"
)
"""What a command says before anything else."""

_log = logging.getLogger(__name__)


async def ensure_warm(health: Health) -> None:
    """Have a process compile what all matches share, unless that has been done on this machine.

    A process that fails is followed by another after each of ``PAUSES``.
    """
    if refused := refusal():
        health.raise_problem(Subject.CACHE, refused)
    if is_warm():
        _log.info(WARM)
        return
    _log.info("the searches are not compiled for this machine yet, which takes some ten seconds")
    health.raise_problem(Subject.WARM_UP, "the searches are being compiled")
    reason = await _attempt()
    for pause in PAUSES:
        if not reason:
            break
        _log.error("warm-up failed: %s; it is tried again in %g s", reason, pause)
        health.raise_problem(Subject.WARM_UP, f"{reason}; it is tried again")
        await asyncio.sleep(pause)
        reason = await _attempt()
    if reason:
        _log.error("WARM-UP FAILED: %s; textbook searches play all matches", reason)
        health.raise_problem(Subject.WARM_UP, f"{reason}; textbook searches play all matches")
    else:
        _log.info(WARM)
        health.clear(Subject.WARM_UP)


async def _attempt() -> str:
    """Run the process to its end; return why it has failed, or nothing."""
    try:
        process = await asyncio.create_subprocess_exec(
            *COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=child_environment()
        )
    except OSError as error:
        return f"no process can be started: {error}"
    assert process.stdout is not None
    watching = asyncio.create_task(_kill_if_stopped(process))
    try:
        async for line in process.stdout:
            _log.info("warm-up: %s", line.decode(errors="replace").strip())
        status = await process.wait()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    finally:
        watching.cancel()
    return _failure(status)


def warm_up_first(report: Callable[[str], None], seconds: float = LIMIT_SECONDS) -> bool:
    """Do not return before what all matches share is compiled, as it is but once on a machine.

    It may take so many ``seconds``. ``report`` gets each line of what is done. Returns whether all
    is compiled: where it cannot be, the last line says why, and simpler searches play. The process
    ends with this one, also where that is killed; Ctrl-C is for this one alone.
    """
    if is_warm():
        return True
    report(FIRST.format(seconds=seconds))
    try:
        reason = _run_through(report, seconds)
    except OSError as error:
        reason = f"no process can be started: {error}"
    if reason:
        report(f"the searches cannot be compiled: {reason}; simpler searches play in their place")
    return not reason


def _run_through(report: Callable[[str], None], seconds: float) -> str:
    """Run the process for so many seconds at most; return why it has failed, or nothing."""
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=child_environment(),
        start_new_session=True,
    ) as process:
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            process.kill()

        limit = threading.Timer(seconds, end)
        limit.daemon = True
        limit.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                report(line.decode(errors="replace").strip())
            failure = _failure(process.wait())
        finally:
            limit.cancel()
            process.kill()
    return f"it takes more than {seconds:g} s" if failure and is_late.is_set() else failure


def _failure(status: int) -> str:
    """Why a process has failed that ended with a status, or nothing."""
    if status:
        return f"it ended with status {status}"
    return "" if is_warm() else "the cache cannot be written"


async def _kill_if_stopped(process: asyncio.subprocess.Process) -> None:
    """Kill the process if somebody stops it, so that another can take over."""
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        if is_stopped(process.pid):
            process.kill()
            return
