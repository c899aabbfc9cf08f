"""What strangers on the network can do to a match: nothing. The real server, over real sockets."""

import gzip
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

import gdl
from tests.support.loop_watch import MARK
from tests.support.paths import ROOT
from tests.support.raw_manager import Match, RawManager, Report, exchange
from tests.support.strangers import (
    HALF_BODY,
    HALF_HEAD,
    Address,
    all_the_while,
    open_connections,
    post,
    send,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="attacks as on Linux")

MANY_FILES = 1024
"""The files that the server may open: as many as a usual shell allows."""

GAME = gdl.load(ROOT / "games" / "ticTacToe.kif")

MEGABYTE = 10**6


@dataclass(frozen=True)
class Served:
    """A server in a process of its own, and its log."""

    address: Address
    pid: int
    log: Path

    def long_callbacks(self) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if MARK in line]


@contextmanager
def server(folder: Path, *flags: str) -> Iterator[Served]:
    """Run ``ggp-player serve`` with a watch on its event loop."""
    command = [sys.executable, "-m", "tests.support.loop_watch", "serve", "--host", "127.0.0.1"]
    log = folder / "log"
    with (
        log.open("ab") as errors,
        subprocess.Popen(
            [*command, "--port", "0", *flags],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (MANY_FILES, MANY_FILES)),
        ) as process,
    ):
        assert process.stdout is not None
        try:
            found = (re.search(r"listening\s+127\.0\.0\.1:(\d+)", line) for line in process.stdout)
            port = next(int(match[1]) for match in found if match)
            yield Served(("127.0.0.1", port), process.pid, log)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with server(tmp_path, "--strategy", "uct", "--search-memory", "64") as served:
        exchange(served.address, "( INFO )", 60)
        time_to_rest(served)
        yield served


def time_to_rest(served: Served) -> None:
    """Play a match, so that what is done once is done."""
    play(served)
    served.log.write_bytes(b"")


def play(served: Served) -> Report:
    report = RawManager(served.address, Match(GAME, 2, 1, match_id=f"m{time.time_ns()}")).run()
    assert (report.illegal, report.late) == ([], [])
    return report


def idle(address: Address) -> AbstractContextManager[None]:
    return open_connections(address, 1100)


def half_sent(address: Address) -> AbstractContextManager[None]:
    return open_connections(address, 100, HALF_HEAD)


def half_a_body(address: Address) -> AbstractContextManager[None]:
    return open_connections(address, 100, HALF_BODY)


def nested_moves(address: Address) -> AbstractContextManager[None]:
    nested = b"(PLAY unknown (" + b"(f " * 900 + b"a" + b")" * 900 + b"(a b)" * 11000 + b"))"
    return all_the_while(lambda: void(send(address, post(nested))), 4)


def inflated(address: Address) -> AbstractContextManager[None]:
    data = post(gzip.compress(b"(" + b" " * 64 * MEGABYTE), "Content-Encoding: gzip")
    return all_the_while(lambda: void(send(address, data)), 4)


def large_starts(address: Address) -> AbstractContextManager[None]:
    data = post(b"(START other x (" + b"(a b)" * MEGABYTE + b") 1 1)")
    return all_the_while(lambda: void(send(address, data)))


def void(_reply: bytes) -> None:
    """Make a function of an expression whose value nobody needs."""


ATTACKS = (idle, half_sent, half_a_body, nested_moves, inflated, large_starts)


def quiet(_address: Address) -> AbstractContextManager[None]:
    return nullcontext()


@pytest.mark.parametrize("attack", [quiet, *ATTACKS])
def test_no_turn_is_lost_and_no_callback_holds_the_loop(
    attack: Callable[[Address], AbstractContextManager[None]], served: Served
) -> None:
    with attack(served.address):
        assert play(served).steps >= 5
    assert served.long_callbacks() == []
    assert served.log.stat().st_size < MEGABYTE
    assert "Traceback" not in served.log.read_text()
