"""Starts worker processes off the event loop, whatever happens to the fork server.

A worker is forked from multiprocessing's fork server, which has done the imports: that takes some
hundredths of a second. While there is none that answers, workers are started directly. These do
the imports themselves, which takes half a second, but depend on nobody else.

A fork server that is dead, stopped or silent is replaced in the background (:class:`_ForkServer`).
Workers that it has forked before go on. It is asked in a thread, since multiprocessing waits until
it has answered; killing it ends that wait.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import Context
from multiprocessing import resource_tracker
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess

from gdl.system import (
    children_import_our_code,
    has_ended,
    interrupts_blocked,
    is_stopped,
    kill,
    main_module_hidden,
    start_method,
)
from ggp_player.worker import process as worker_process

if os.name == "posix":
    from multiprocessing import forkserver

PRELOADED = (worker_process.__name__, *worker_process.FOR_SEARCHES)
"""What the fork server imports: with the searches, which a search worker then finds imported."""

ANSWER_SECONDS = 2.0
"""How long a fork server that has answered before may take: a hundred times what it needs."""

FIRST_ANSWER_SECONDS = 30.0
"""How long a new one may take: it does the imports first."""

WATCH_SECONDS = 0.05
"""Seconds between two looks whether the fork server is dead or stopped."""

PAUSES = (0.2, 0.5, 1.0, 5.0)
"""Seconds before a fork server is replaced, the longer the more of them have failed in a row."""

_log = logging.getLogger(__name__)


class Launcher:
    """Starts the processes of a server, forked where there is a fork server, else directly."""

    def __init__(self) -> None:
        has_fork_server = start_method() == "forkserver"
        self._fork_server = _ForkServer() if has_fork_server else None
        self._context = multiprocessing.get_context("spawn")

    async def start(
        self, target: Callable[..., None], arguments: tuple[object, ...]
    ) -> BaseProcess:
        """Start a process that calls ``target``.

        Raises OSError where the system has no room for another one.
        """
        if self._fork_server is not None and await self._fork_server.is_ready():
            with suppress(OSError):
                return await self._fork_server.start(target, arguments)
        process = _new_process(self._context, target, arguments)
        _raise_if(await _in_thread(None, process))
        return process

    async def close(self) -> None:
        """Watch the fork server no longer; end it if it is stopped, as it could not end itself."""
        if self._fork_server is not None:
            await self._fork_server.close()


class _ForkServer:
    """The fork server of this process, which is watched, and replaced when it does not answer."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(PRELOADED))
        self._thread = ThreadPoolExecutor(1, "fork")
        self._turn = asyncio.Lock()
        self._has_answered = False
        self._was_tried = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._is_closed = False

    async def is_ready(self) -> bool:
        """Check whether it is likely to answer at once; wait for the very first one."""
        if self._is_closed:
            return False
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch(), context=Context())
        await self._was_tried.wait()
        return self._has_answered and not _is_gone(_fork_server_pid())

    async def start(
        self, target: Callable[..., None], arguments: tuple[object, ...]
    ) -> BaseProcess:
        """Start a process. Raises OSError where the fork server does not answer; it is killed."""
        process = _new_process(self._context, target, arguments)
        async with self._turn:
            if not self._has_answered:
                raise OSError("the fork server is being replaced")
            await self._start(process, ANSWER_SECONDS)
        return process

    async def close(self) -> None:
        """Replace it no longer; end it if it is stopped, or if a thread waits for its imports."""
        self._is_closed = True
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        self._was_tried.set()
        pid = _fork_server_pid()
        if pid and not self._has_answered:
            kill(pid)
        for pid in (_fork_server_pid(), _resource_tracker_pid()):
            if is_stopped(pid):
                kill(pid)
        self._thread.shutdown(wait=False)

    async def _watch(self) -> None:
        """Have a new one do the imports as soon as the one before is gone."""
        failures = 0
        while True:
            if self._has_answered and _is_gone(_fork_server_pid()):
                self._has_answered = False
                _log.warning("the fork server is dead or stopped, and is replaced")
                await asyncio.to_thread(_end, _fork_server_pid())
            if not self._has_answered:
                await asyncio.sleep(PAUSES[min(failures, len(PAUSES) - 1)])
                failures = 0 if await self._try() else failures + 1
                self._was_tried.set()
            await asyncio.sleep(WATCH_SECONDS)

    async def _try(self) -> bool:
        """Have a process started that does nothing; return whether that works."""
        process = _new_process(self._context, _do_nothing, ())
        try:
            async with self._turn:
                await self._start(process, FIRST_ANSWER_SECONDS)
        except OSError as error:
            _log.warning("no process can be forked: %s", error)
            return False
        except Exception:  # workers wait for the first attempt, so the watch must not end
            _log.exception("no process can be forked")
            return False
        self._thread.submit(_release, process)
        return True

    async def _start(self, process: BaseProcess, limit: float) -> None:
        try:
            await self._within(limit, process)
        except OSError:
            self._has_answered = False
            raise
        self._has_answered = True

    async def _within(self, limit: float, process: BaseProcess) -> None:
        """Start a process; kill a fork server that is stopped, or does not answer in time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + limit
        starting = _in_thread(self._thread, process)
        while not (await asyncio.wait({starting}, timeout=WATCH_SECONDS))[0]:
            pid = _fork_server_pid()
            if loop.time() > end or is_stopped(pid):
                _log.warning("the fork server does not answer, and is killed")
                await asyncio.to_thread(_end, pid)
        _raise_if(await starting)


def _new_process(
    context: BaseContext, target: Callable[..., None], arguments: tuple[object, ...]
) -> BaseProcess:
    process: BaseProcess = context.Process(target=target, args=arguments, daemon=True)  # type: ignore[attr-defined]
    return process


def _raise_if(reason: str) -> None:
    if reason:
        raise OSError(reason)


def _in_thread(threads: ThreadPoolExecutor | None, process: BaseProcess) -> asyncio.Future[str]:
    """Have a process started in a thread, by default of the event loop's.

    Raises OSError where the system has no thread for that.
    """
    try:
        return asyncio.get_running_loop().run_in_executor(threads, _start, process)
    except RuntimeError as error:  # Python's own error for it
        raise OSError(str(error)) from error


def _start(process: BaseProcess) -> str:
    """Start the process with our code, and with SIGINT blocked; return why that fails, or nothing.

    Ctrl-C goes to every process of a terminal, but it is the server that ends workers.
    The error is not raised: it would keep what is held for a process that has not started.
    """
    _end_what_has_stopped()
    with children_import_our_code(), main_module_hidden():
        if os.name == "posix":  # it unblocks the signal, so it comes first
            resource_tracker.ensure_running()
        with interrupts_blocked():
            try:
                process.start()
            except EOFError:
                return "the fork server does not answer"
            except OSError as error:
                return str(error)
    return ""


def _do_nothing() -> None:
    """Run in a process that shows that processes can be started."""


def _release(process: BaseProcess) -> None:
    """Release what is held for a process that ends at once."""
    process.join(ANSWER_SECONDS)
    with suppress(ValueError):  # the fork server was stopped meanwhile, and has not told its end
        process.close()


def _end_what_has_stopped() -> None:
    """End helpers of multiprocessing that are stopped, so that it sees that they are gone.

    It asks the tracker of resources by a pipe, which it would fill in the end, and wait.
    """
    for pid in (_fork_server_pid(), _resource_tracker_pid()):
        if is_stopped(pid):
            _end(pid)


def _end(pid: int) -> None:
    """Kill a helper, and wait for its end: multiprocessing is to see at once that it is gone."""
    if pid:
        kill(pid)
        with suppress(ChildProcessError):  # where another thread has waited for it
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


def _is_gone(pid: int) -> bool:
    return pid > 0 and (is_stopped(pid) or has_ended(pid))


def _fork_server_pid() -> int:
    """The process of the fork server, 0 where there is none."""
    return getattr(forkserver._forkserver, "_forkserver_pid", None) or 0


def _resource_tracker_pid() -> int:
    """The process of the tracker of resources, 0 where there is none."""
    return getattr(resource_tracker._resource_tracker, "_pid", None) or 0
