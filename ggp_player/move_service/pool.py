"""Worker processes, seen from the server: started in advance, listened to, killed.

A worker is forked from a fork server: a process that has done the imports and nothing else, no
threads, no sockets. It takes some hundredths of a second to start. A pool keeps spares that have
this behind them too, so that a match can begin, and a dead worker be replaced, at once.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.context import ForkServerContext, ForkServerProcess

from ggp_player.worker import (
    ChoiceBuffer,
    LogRecord,
    MessageToServer,
    MessageToWorker,
    decode,
    encode,
)
from ggp_player.worker import process as worker_process

MAX_REPORT = 2**26
"""Bytes of the longest report; a list of a million legal moves is some 20 MB."""

_log = logging.getLogger(__name__)


class Worker:
    """A worker process. Orders go out, reports come in, until it dies or is killed.

    ``on_report`` and ``on_death`` are called in the event loop; set them before the first order.
    """

    def __init__(
        self,
        process: ForkServerProcess,
        choice: ChoiceBuffer,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.choice = choice
        self.pid = process.pid or 0
        self.is_alive = True
        self.was_killed = False
        self.on_report: Callable[[MessageToServer], None] = lambda report: None
        self.on_death: Callable[[], None] = lambda: None
        self._process = process
        self._reader = reader
        self._writer = writer
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def launch(cls, context: ForkServerContext, memory_limit: int) -> Worker:
        """Start a process with so many bytes of address space; it is not waited for.

        Raises OSError where the system has no room for another process.
        """
        choice = ChoiceBuffer.create(context)
        ours, theirs = socket.socketpair()
        arguments = (theirs, choice, memory_limit)
        process = context.Process(target=worker_process.main, args=arguments, daemon=True)
        with theirs:
            try:
                _start(process)
            except BaseException:
                ours.close()
                raise
        reader, writer = await asyncio.open_connection(sock=ours, limit=MAX_REPORT)
        return cls(process, choice, reader, writer)

    def order(self, order: MessageToWorker) -> None:
        """Send an order, without waiting for anything. A dead worker gets nothing."""
        if self.is_alive:
            self._writer.write(encode(order))

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        if self.is_alive:
            self.was_killed = True
            self._kill()

    @property
    def is_gone(self) -> bool:
        """Whether nothing is left of the process."""
        return self._listening.done()

    async def gone(self) -> None:
        """Wait until nothing is left of the process."""
        await asyncio.shield(self._listening)

    async def _listen(self) -> None:
        try:
            while line := await self._reader.readline():
                self._hear(decode(line))
        except ConnectionError:
            _log.debug("worker %d has not read its orders", self.pid)
        except (ValueError, TypeError, KeyError) as error:
            _log.error("worker %d cannot be understood: %r", self.pid, error)
        finally:
            await self._bury()

    async def _bury(self) -> None:
        """Report the death at once, then clear away what is left."""
        self.is_alive = False
        self.on_death()
        if self._process.is_alive():
            self._kill()
        self._writer.close()
        await asyncio.to_thread(self._process.join)
        if self._process.exitcode == worker_process.OUT_OF_MEMORY:
            _log.warning("worker %d reached its memory limit", self.pid)
        self._process.close()

    def _kill(self) -> None:
        # Not by way of the process object: when the fork server is dead it holds us for dead too.
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def _hear(self, report: MessageToWorker | MessageToServer) -> None:
        match report:
            case LogRecord(level, logger, message):
                logging.getLogger(logger).log(level, "%s", message)
            case _:
                self.on_report(report)  # type: ignore[arg-type]  # orders go the other way only


def _start(process: ForkServerProcess) -> None:
    """Start the process with SIGINT blocked.

    Ctrl-C goes to every process of a terminal, but how workers end is the server's business.
    """
    resource_tracker.ensure_running()  # which unblocks the signal, so it comes first
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    except EOFError as error:
        raise OSError("the fork server does not answer") from error
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class Pool:
    """Workers for all matches of a server, with ``spares`` of them ready in advance."""

    def __init__(self, spares: int, memory_limit: int) -> None:
        self._size = spares
        self._memory_limit = memory_limit
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([worker_process.__name__])
        self._spares: list[Worker] = []
        self._workers: set[Worker] = set()
        self._filling: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the fork server, which blocks for some tenths of a second, and the spares."""
        await self._fill()

    async def take(self) -> Worker:
        """Return a worker that nobody else has."""
        while self._spares:
            worker = self._spares.pop(0)
            if worker.is_alive:
                break
        else:
            worker = await self._launch()
        if self._filling is None or self._filling.done():
            self._filling = asyncio.create_task(self._fill())
        return worker

    async def close(self) -> None:
        """Kill every worker, and wait until they are gone."""
        self._size = 0
        if self._filling is not None:
            await self._filling
        for worker in self._workers:
            worker.kill()
        await asyncio.gather(*(worker.gone() for worker in self._workers))
        self._workers.clear()
        self._spares.clear()

    async def _fill(self) -> None:
        try:
            while len(self._spares) < self._size:
                self._spares.append(await self._launch())
        except OSError as error:
            _log.warning("no spare worker can be started: %s", error)

    async def _launch(self) -> Worker:
        worker = await Worker.launch(self._context, self._memory_limit)
        self._workers = {other for other in self._workers if not other.is_gone} | {worker}
        return worker
