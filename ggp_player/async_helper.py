"""Asks helper processes from an event loop; :mod:`gdl.system.helper_process` says what they are."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress

from gdl.system import child_environment

LEFT_OVER_SECONDS = 1.0
"""How long the rest of an answer is read: what a helper has started may hold its pipe."""


class AsyncHelper:
    """A helper with a command, started when it is first asked, and anew after it has failed.

    It is asked by one at a time. What it answers has at most ``most`` bytes; its errors go to
    ``stderr``. With ``stdin`` other than a pipe it can only be listened to.
    """

    def __init__(
        self,
        command: Sequence[str],
        most: int = 2**16,
        stdin: int = PIPE,
        stderr: int | None = DEVNULL,
    ) -> None:
        self.process: Process | None = None
        self._ending: asyncio.Task[None] | None = None
        self._command = command
        self._most = most
        self._stdin = stdin
        self._stderr = stderr

    @property
    def is_alive(self) -> bool:
        """Whether the process is there, and can be asked."""
        return self.process is not None and self.process.returncode is None

    async def start(self) -> None:
        """Start the process where there is none that can be asked. Raises OSError."""
        if self.is_alive:
            return
        await self.close()
        self.process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=self._stdin,
            stdout=PIPE,
            stderr=self._stderr,
            env=child_environment(),
            limit=self._most,
            start_new_session=True,  # Ctrl-C is for the parent, which ends it
        )

    async def ask(self, line: bytes, seconds: float) -> bytes:
        """Write a line, or nothing, and return the line that comes.

        Raises :class:`TimeoutError` where it takes longer, another OSError where the process cannot
        be started or has ended, and ValueError for a line that is too long. After any error, as
        when the caller is cancelled, the process is ended, and the next to ask has another.
        """
        try:
            async with asyncio.timeout(seconds):
                await self.start()
                assert self.process is not None
                writer, reader = self.process.stdin, self.process.stdout
                assert reader is not None
                if writer is not None:
                    writer.write(line)
                    await writer.drain()
                answer = await reader.readline()
            if not answer.endswith(b"\n"):
                raise ConnectionResetError
        except (Exception, asyncio.CancelledError):  # what comes later would answer the next line
            await self.close()
            raise
        return answer

    async def close(self) -> None:
        """End the process, and wait until it has ended, also where another has begun to end it."""
        process, self.process = self.process, None
        if process is not None:
            self._ending = asyncio.create_task(_end(process))
        if self._ending is not None:
            await asyncio.shield(self._ending)


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    assert process.stdout is not None
    # What nobody has read keeps the pipe open. RuntimeError: another task is reading it.
    with suppress(RuntimeError, TimeoutError):
        async with asyncio.timeout(LEFT_OVER_SECONDS):
            await process.stdout.read()
    await process.wait()
