"""The pool of worker processes, as the server sees them: started in advance, and killed.

A worker is forked from a fork server: a process that has done the imports and nothing else, no
threads, no sockets. Starting one takes some hundredths of a second; where there is no fork server,
each worker does the imports (:mod:`.launching`). A pool keeps spares that are started already, so
that a match can begin, and a dead worker be replaced, at once. A spare that dies is replaced too.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context
from multiprocessing.process import BaseProcess
from typing import TypeAlias

from gdl.system import (
    find_strays,
    has_ended,
    is_stopped,
    kill,
    kill_group,
    lower_priority,
    resident_memory,
)
from ggp_player.logs import enter_match
from ggp_player.metrics import Metrics
from ggp_player.worker import process as worker_process
from ggp_player.worker.choice_buffer import ChoiceBuffer
from ggp_player.worker.health import Health, Subject
from ggp_player.worker.launching import Launcher
from ggp_player.worker.messages import (
    LogRecord,
    MessageToServer,
    MessageToWorker,
    decode_to_server,
    encode,
)
from ggp_player.worker.process import MemoryLimits

MAX_LINE = 2**26
"""Bytes of the longest message from a worker; a list of a million legal moves is some 20 MB."""

PAUSES = (0.0, 0.1, 0.5, 2.0, 10.0)
"""Seconds before spares are started, the longer the more have failed or died since one was used."""

BACKGROUND_NICENESS = 15
"""How much the server and its matches go before workers in the background, from a match on."""

_log = logging.getLogger(__name__)


class PoolClosedError(OSError):
    """No worker is started, as the server is stopping."""


class WorkerHandle:
    """A worker process. Messages go out and come in, until it dies or is killed.

    ``on_message`` and ``on_death`` are called in the event loop; set them before the first message
    is sent. ``on_end`` gets the cause of the end once it is known. ``match_id`` is the match that
    the worker serves, empty for a spare.
    """

    def __init__(
        self,
        process: BaseProcess,
        choices: ChoiceBuffer,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.choices = choices
        self.pid = process.pid or 0
        self.is_alive = True
        self.was_killed = False
        self.on_message: Callable[[MessageToServer], None] = lambda message: None
        self.on_death: Callable[[], None] = lambda: None
        self.on_end: Callable[[str], None] = lambda cause: None
        self.match_id = ""
        self._process = process
        self._reader = reader
        self._writer = writer
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def launch(cls, launcher: Launcher, limits: MemoryLimits) -> WorkerHandle:
        """Start a process with so much memory, without waiting for it.

        Raises OSError where the system has no room for another process.
        """
        choices = ChoiceBuffer()
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = await launcher.start(worker_process.main, (theirs, choices, limits))
            except BaseException:
                ours.close()
                raise
        reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_LINE)
        return cls(process, choices, reader, writer)

    def send(self, message: MessageToWorker) -> None:
        """Send a message, without waiting for anything. A dead worker gets nothing."""
        if self.is_alive:
            self._writer.write(encode(message))

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        if self.is_alive:
            self.was_killed = True
            self._kill()

    async def ended(self) -> None:
        """Wait until the process has ended and is cleaned up."""
        await asyncio.shield(self._listening)

    async def _listen(self) -> None:
        entered = None
        try:
            while line := await self._reader.readline():
                if self.match_id != entered:
                    entered = self.match_id
                    enter_match(entered)
                self._receive(decode_to_server(line))
        except ConnectionError as error:
            error.with_traceback(None)  # the reader keeps the error, which would keep this object
            _log.debug("worker %d has not read its messages", self.pid)
        except ValueError as error:
            _log.error("worker %d sent what is no message: %r", self.pid, error)
        finally:
            await self._clean_up()

    async def _clean_up(self) -> None:
        """Report the death at once, then release what the process held."""
        self.is_alive = False
        enter_match(self.match_id)
        self.on_death()
        if self._process.is_alive():
            self._kill()
        kill_group(self.pid)  # what it has started
        self._writer.close()
        try:
            await asyncio.to_thread(self._process.join)
        except RuntimeError:  # there is no memory for a thread
            self._process.join()  # it was killed
        if self._process.exitcode == worker_process.OUT_OF_MEMORY:
            _log.warning("worker %d reached its memory limit", self.pid)
        self.on_end(self._cause())
        self._process.close()
        self._forget_owner()

    def _forget_owner(self) -> None:
        """Break the circle of references, so that the shared memory is released at once."""
        self.on_message = lambda message: None
        self.on_death = lambda: None
        self.on_end = lambda cause: None

    def _cause(self) -> str:
        """Why it has ended: ``stopped`` by the server, ``memory``, ``signal`` or ``exit``."""
        if self.was_killed:
            return "stopped"
        status = self._process.exitcode
        if status == worker_process.OUT_OF_MEMORY:
            return "memory"
        return "signal" if status is not None and status < 0 else "exit"

    def _kill(self) -> None:
        # Not through the process object: where the fork server is dead, it takes workers for dead.
        kill_group(self.pid)
        kill(self.pid)  # it may not lead its group yet

    def _receive(self, message: MessageToServer) -> None:
        if isinstance(message, LogRecord):
            logging.getLogger(message.logger).log(message.level, "%s", message.message)
        else:
            self.on_message(message)


TakeWorker: TypeAlias = Callable[[], Awaitable[WorkerHandle]]
"""Returns a worker that nobody uses. Raises OSError where none can be started."""


class Pool:
    """Workers for all matches of a server, with ``spares`` of them ready in advance.

    ``health`` tells whether workers can be started.
    """

    def __init__(
        self,
        spares: int,
        limits: MemoryLimits,
        metrics: Metrics | None = None,
        health: Health | None = None,
    ) -> None:
        self.health = health or Health()
        self._metrics = metrics or Metrics()
        self._size = spares
        self._limits = limits
        self._launcher = Launcher()
        self._spares: list[WorkerHandle] = []
        self._workers: set[WorkerHandle] = set()
        self._in_matches: set[WorkerHandle] = set()
        self._in_background: set[WorkerHandle] = set()
        self._filling: asyncio.Task[None] | None = None
        self._failures = 0
        self._is_closing = asyncio.Event()

    async def start(self) -> None:
        """Start the fork server, which takes some tenths of a second, and the spares."""
        await self.sweep()
        await self._fill()
        self._keep_full()

    async def sweep(self) -> None:
        """End what workers of ours, or a server that was killed, have left behind."""
        for pid in await asyncio.to_thread(find_strays):
            # It may be another server's, so the line belongs to no match.
            Context().run(_log.info, "process %d was left behind and is killed", pid)
            kill(pid)

    async def take(self) -> WorkerHandle:
        """Take a worker out of the pool; another is started for the pool."""
        while self._spares:
            worker = self._spares.pop(0)
            worker.on_death = lambda: None
            if is_stopped(worker.pid):
                worker.kill()
            elif worker.is_alive and not has_ended(worker.pid):
                self._failures = 0
                break
        else:
            worker = await self._launch()
        self._in_matches.add(worker)
        for other in self._in_background:
            lower_priority(other.pid, BACKGROUND_NICENESS)
        self._keep_full()
        return worker

    async def launch_in_background(self) -> WorkerHandle:
        """Start a worker that costs no match a move: never a spare, of low priority beside matches.

        While there are none, somebody waits for it as for a match. Raises OSError where it cannot
        be started.
        """
        if self._is_closing.is_set():
            raise PoolClosedError("the server is stopping")
        worker = await self._launch()
        self._in_background.add(worker)
        if self._in_matches:
            lower_priority(worker.pid, BACKGROUND_NICENESS)
        return worker

    @property
    def resident_memory(self) -> int:
        """Bytes of memory that all workers have now."""
        return sum(resident_memory(worker.pid) for worker in self._workers if worker.is_alive)

    async def close(self) -> None:
        """Kill every worker, and wait until all have ended."""
        self._is_closing.set()
        if self._filling is not None:
            await self._filling
        for worker in self._workers:
            worker.kill()
        await asyncio.gather(*(worker.ended() for worker in self._workers))
        await self._launcher.close()
        self._workers.clear()
        self._spares.clear()
        await self.sweep()

    def _keep_full(self) -> None:
        """Start spares in the background, until there are enough."""
        if self._filling is None or self._filling.done():
            self._filling = asyncio.create_task(self._fill_in_the_end(), context=Context())

    async def _fill_in_the_end(self) -> None:
        while not self._is_full:
            await self._pause(PAUSES[min(self._failures, len(PAUSES) - 1)])
            await self._fill()

    @property
    def _is_full(self) -> bool:
        return self._is_closing.is_set() or len(self._spares) >= self._size

    async def _fill(self) -> None:
        """Start spares until there are enough, or one cannot be started."""
        try:
            while not self._is_full:
                worker = await self._launch()
                worker.on_death = functools.partial(self._lose, worker)
                self._spares.append(worker)
        except OSError as error:
            self._failures += 1
            _log.warning("no spare worker can be started: %s", error)

    def _lose(self, spare: WorkerHandle) -> None:
        """Replace a spare that has died."""
        if spare in self._spares:
            self._spares.remove(spare)
            self._failures += 1
            self._keep_full()

    async def _pause(self, seconds: float) -> None:
        """Wait, but not when the pool is closed."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._is_closing.wait(), seconds)

    async def _launch(self) -> WorkerHandle:
        try:
            worker = await WorkerHandle.launch(self._launcher, self._limits)
        except OSError as error:
            self.health.raise_problem(Subject.WORKERS, f"none can be started: {error}")
            raise
        self.health.clear(Subject.WORKERS)
        worker.on_end = functools.partial(self._count_out, worker)
        self._workers.add(worker)
        return worker

    def _count_out(self, worker: WorkerHandle, cause: str) -> None:
        """Forget a worker that has ended, so that what it held is released."""
        self._metrics.worker_deaths.labels(cause).inc()
        for workers in (self._workers, self._in_matches, self._in_background):
            workers.discard(worker)
