"""Helper processes: Python processes of ours that answer each line with a line.

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
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from time import monotonic

from gdl.system.children import child_environment
from gdl.system.processes import end_with_parent
from gdl.system.resources import limit_memory

_PART = 2**16
"""Bytes that are read at a time."""

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
        self._channel, theirs = socket.socketpair()
        with theirs:
            try:
                self.process = subprocess.Popen(
                    command,
                    stdin=theirs.fileno(),
                    stdout=theirs.fileno(),
                    stderr=subprocess.DEVNULL,
                    env=child_environment(),
                    start_new_session=True,  # Ctrl-C is for the parent, which ends it
                )
            except BaseException:
                self._channel.close()
                raise

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
        self._wait_until(end)
        self._channel.sendall(line)
        answer = bytearray()
        while not answer.endswith(b"\n"):
            self._wait_until(end)
            part = self._channel.recv(_PART)
            if not part:
                raise ConnectionResetError
            answer += part
            if len(answer) > most:
                raise ValueError(f"expected a line of at most {most:,} bytes")
        return bytes(answer)

    def _wait_until(self, end: float) -> None:
        self._channel.settimeout(max(0.001, end - monotonic()))  # with 0 it would not wait at all

    def close(self) -> None:
        """End the process, and wait until it has ended."""
        self.process.kill()
        self.process.wait()
        self._channel.close()
