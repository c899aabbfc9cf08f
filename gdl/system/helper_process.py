"""Helper processes: Python processes of ours that answer each line with a line, over pipes.

A helper does what may hang, crash or take all memory, as the rules of strangers may. Its ``main``
calls :func:`begin_helper`, which bounds its memory and ends it with its parent, and then
:func:`answer_lines`. Whoever asks it bounds how long an answer takes and how long it is. A helper
that fails in that is killed, as the rest of an answer may still be on its way.

:class:`HelperProcess` waits in the caller's thread; :mod:`ggp_player.async_helper` has the same for
asyncio. What is computed once, from one input to one output, needs neither: see
:func:`gdl.system.limit_helper`. This module is no part of the package's fast import.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import IO

from gdl.system.children import child_environment
from gdl.system.processes import end_with_parent
from gdl.system.resources import limit_memory

_PART = 2**16
"""Bytes that are read at a time: as many as a pipe has."""

# ---------------------------------------------------------------------- in the helper


def begin_helper(memory: int, niceness: int = 0) -> list[str]:
    """Begin a helper's ``main``: bound this process, and return its arguments.

    It ends with its parent, has at most ``memory`` bytes of address space, and lets others go
    before it by ``niceness``.
    """
    parent, *arguments = sys.argv[1:]
    end_with_parent(int(parent))
    if niceness and hasattr(os, "nice"):
        os.nice(niceness)
    limit_memory(memory)
    return arguments


def answer_lines(answer: Callable[[bytes], bytes]) -> None:
    """Answer each line of the standard input by a line, until there are no more."""
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(answer(line))
        sys.stdout.buffer.flush()


# ---------------------------------------------------------------------- in its parent


def helper_command(main: Callable[[], None], *arguments: str) -> list[str]:
    """Return the command of a helper that runs ``main``, a function of a module, with arguments."""
    program = f"from {main.__module__} import {main.__name__} as main; main()"
    return [sys.executable, "-c", program, str(os.getpid()), *arguments]


class HelperProcess:
    """A helper with a command, which is asked from any thread, by one at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=child_environment(),
            start_new_session=True,  # Ctrl-C is for the parent, which ends it
        )
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)

    @property
    def is_alive(self) -> bool:
        """Whether the process can be asked."""
        return self.process.poll() is None

    def ask(self, line: bytes, seconds: float, most: int) -> bytes:
        """Write a line, and return the line that comes in answer, of at most ``most`` bytes.

        Raises :class:`TimeoutError` where it takes longer, another OSError where the process has
        ended, and ValueError for a longer line. After any error the process is ended.

        No thread watches the time: one that is started while there is no memory may never begin to
        run, and then whoever starts it waits for ever.
        """
        try:
            return self._exchange(line, monotonic() + seconds, most)
        except BaseException:
            self.close()
            raise

    def _exchange(self, line: bytes, end: float, most: int) -> bytes:
        writer, reader = self.process.stdin, self.process.stdout
        assert writer is not None
        assert reader is not None
        left = memoryview(line)
        while left:
            _wait(writer, select.POLLOUT, end)
            left = left[os.write(writer.fileno(), left) :]
        answer = bytearray()
        while not answer.endswith(b"\n"):
            _wait(reader, select.POLLIN, end)
            part = os.read(reader.fileno(), _PART)
            if not part:
                raise ConnectionResetError
            answer += part
            if len(answer) > most:
                raise ValueError(f"expected a line of at most {most:,} bytes")
        return bytes(answer)

    def close(self) -> None:
        """End the process, and wait until it has ended."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _wait(pipe: IO[bytes], event: int, end: float) -> None:
    """Wait until a pipe can be used, or its other end is closed."""
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(max(0.0, 1000 * (end - monotonic()))):
        raise TimeoutError
