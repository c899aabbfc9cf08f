"""A server in a process of its own, which can be killed and started again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from tests.support.left_behind import HANGING, Family, becomes_true, command_line, parent
from tests.support.paths import ROOT

FORK_SERVER, WORKER = "multiprocessing.forkserver", "multiprocessing.spawn"
"""What the commands of processes have that the fork server forks, and of those started directly."""

Address = tuple[str, int]


class ServerProcess:
    """Runs ``ggp-player serve`` at a free port, which it keeps when it is started again.

    ``command`` is another server's, such as ``manager``; it listens at ``host``, and is asked at
    ``address``.
    """

    def __init__(
        self, folder: Path, *flags: str, command: str = "serve", host: str = "127.0.0.1"
    ) -> None:
        self.log = folder / "server.log"
        self.address: Address = ("127.0.0.1", 0)
        self._command = [sys.executable, "-m", "ggp_player", command, "--host", host]
        self._flags = flags
        self._family = Family()
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> ServerProcess:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self.kill()
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    @property
    def process(self) -> subprocess.Popen[str]:
        """The server's own process."""
        assert self._process is not None
        return self._process

    def url(self, path: str = "/") -> str:
        """The address of one of its pages."""
        return "http://{}:{}{}".format(*self.address, path)

    @property
    def text(self) -> str:
        """What the server has logged, over all its starts."""
        return self.log.read_text(errors="replace")

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        host, port = self.address
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                [*self._command, "--port", str(port), *self._flags],
                cwd=ROOT,
                env={**self._family.environment, "PYTHONUNBUFFERED": "1"},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"listening\s+[\d.]+:(\d+)", line):
                self.address = (host, int(found[1]))
                return
        self.process.wait()
        self._close()
        raise AssertionError(f"the server ended before it listened:\n{self.text}")

    def kill(self) -> None:
        """End the server as ``kill -9`` does; its workers are left to themselves."""
        self.process.kill()
        self.process.wait()
        self._close()

    def stop(self, number: signal.Signals = signal.SIGTERM, limit: float = 30) -> float:
        """Send a signal, and return after how many seconds the server has ended."""
        began = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(limit)
        self._close()
        return time.monotonic() - began

    def _close(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()

    def pids(self) -> list[int]:
        """All processes that come from this server, and have not ended, without the server."""
        own = self._process.pid if self._process is not None else 0
        return [pid for pid in self._family.members() if pid != own]

    def fork_servers(self) -> list[int]:
        """The fork server, while there is one; its workers have the same command line."""
        own = self.process.pid
        return [
            pid for pid in self.pids() if FORK_SERVER in command_line(pid) and parent(pid) == own
        ]

    def workers(self) -> list[int]:
        """The worker processes that wait, or serve a match, forked or started directly."""
        others = set(self.pids()) - set(self.fork_servers())
        return [pid for pid in others if re.search(f"{FORK_SERVER}|{WORKER}", command_line(pid))]

    def wait_for(self, text: str, limit: float = HANGING) -> None:
        """Wait until the log has a text."""
        assert becomes_true(lambda: text in self.text, limit), self.text

    def wait_until_alone(self, limit: float = HANGING) -> list[int]:
        """Wait until no process of the server's is left; return those left at the limit."""
        becomes_true(lambda: not self.pids(), limit)
        return self.pids()


@contextmanager
def serving(folder: Path, *flags: str) -> Iterator[ServerProcess]:
    """Run a server, and end it gently; it must not take long, nor leave anything behind."""
    with ServerProcess(folder, *flags) as server:
        yield server
        if server.process.poll() is None:
            assert server.stop(signal.SIGINT) < 10
        assert server.process.returncode == 0, server.text
        assert server.wait_until_alone() == []
