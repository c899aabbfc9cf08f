"""The warm-up of a server: a process compiles what all matches share, and again where it dies.

Until it is done, matches are played by simpler means, and the server's health says so.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

from gdl.code_cache import refusal
from gdl.system import child_environment, is_stopped
from ggp_player.move_service.health import Health, Subject
from ggp_player.worker import is_warm

WARM = "the searches are warm"
"""What the log says once all is compiled that matches share."""

COMMAND = (sys.executable, "-m", "ggp_player", "warm-up", "--until-closed")

PAUSES = (1.0, 5.0, 25.0)
"""Seconds before each further attempt."""

WATCH_SECONDS = 1.0
"""Seconds between two looks whether somebody has stopped the process."""

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
