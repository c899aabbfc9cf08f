"""Starts worker processes off the event loop, and replaces a fork server that does not answer.

A process is asked for in a thread, since multiprocessing waits until the fork server has answered.
One that was stopped, or is stuck, never does: it is killed after a limit, which also ends the wait
of the thread, and multiprocessing starts another one. Workers that it has forked before go on.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess

from gdl.system import children_import_our_code, interrupts_blocked, kill

ANSWER_SECONDS = 2.0
"""How long a fork server that has answered before may take: a hundred times what it needs."""

FIRST_ANSWER_SECONDS = 30.0
"""How long a new one may take: it does the imports first."""

_log = logging.getLogger(__name__)


class Launcher:
    """Starts the processes of a server, one after the other."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._has_answered = False
        self._is_closed = False

    async def start(self, process: BaseProcess) -> None:
        """Start a process. Raises OSError where the system has no room for another one."""
        async with self._turn:
            has_started = await self._start_within_limit(process)
            if not has_started and not self._is_closed:
                has_started = await self._start_within_limit(process)
        if not has_started:
            raise OSError("the fork server does not answer")

    def close(self) -> None:
        """Do not try again where a fork server does not answer."""
        self._is_closed = True

    async def _start_within_limit(self, process: BaseProcess) -> bool:
        """Return False where the fork server had to be killed."""
        limit = ANSWER_SECONDS if self._has_answered else FIRST_ANSWER_SECONDS
        starting = asyncio.create_task(asyncio.to_thread(_start, process))
        await asyncio.wait({starting}, timeout=limit)
        is_late = not starting.done()
        if is_late:
            _log.warning("the fork server has not answered for %g s and is replaced", limit)
            await asyncio.to_thread(_kill_fork_server)
        try:
            await starting
        except OSError:
            self._has_answered = False
            if is_late:
                return False
            raise
        self._has_answered = True
        return True


def _start(process: BaseProcess) -> None:
    """Start the process with our code, and with SIGINT blocked.

    Ctrl-C goes to every process of a terminal, but it is the server that ends workers.
    """
    with children_import_our_code():
        if os.name == "posix":  # it unblocks the signal, so it comes first
            resource_tracker.ensure_running()
        with interrupts_blocked():
            try:
                process.start()
            except EOFError as error:
                raise OSError("the fork server does not answer") from error


def _kill_fork_server() -> None:
    """Kill it, and wait until it has ended: multiprocessing is to see that it is gone."""
    pid = getattr(forkserver._forkserver, "_forkserver_pid", None)
    if pid is not None:
        kill(pid)
        with suppress(ChildProcessError):  # where another thread has waited for it
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
