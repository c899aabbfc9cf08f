"""What strangers on the network can do to a match: nothing. The real server, over real sockets."""

import gzip
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import gdl
from tests.support.left_behind import HANGING, becomes_true, parent, stat_fields
from tests.support.loop_watch import MARK, MOST_SECONDS, is_long
from tests.support.paths import ROOT
from tests.support.raw_manager import Match, RawManager, Report, exchange

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="attacks as on Linux")

MANY_FILES = 1024
"""The files that the server may open: as many as a usual shell allows."""

GAME = gdl.load(ROOT / "games" / "ticTacToe.kif")

HALF_HEAD = b"POST / HTTP/1.0\r\nContent-Le"
HALF_BODY = b"POST / HTTP/1.0\r\nContent-Length: 1000\r\n\r\n(PLAY "

Address = tuple[str, int]

MEGABYTE = 10**6

ATTEMPTS = 3
"""Matches, one of which is to have no long callback: the machine itself can stop for a moment."""

MOST_SECONDS_ATTACKED = 0.1
"""How long a callback may hold the loop while other threads of the server lex what strangers send.

It waits for each of them to hand over the interpreter, up to 5 ms at a time.
"""


@dataclass(frozen=True)
class Served:
    """A server in a process of its own, and its log."""

    address: Address
    pid: int
    log: Path

    def long_callbacks(self, most_seconds: float) -> list[str]:
        lines = self.log.read_text().splitlines()
        return [line for line in lines if MARK in line and is_long(line, most_seconds)]


def raise_our_limit() -> None:
    """Let this process open as many sockets as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2**14)), hard))


@contextmanager
def open_connections(address: Address, count: int, data: bytes = b"") -> Iterator[None]:
    """Keep connections open that have sent so much, and never send more."""
    raise_our_limit()
    sockets = []
    try:
        for _ in range(count):
            connection = socket.socket()
            connection.setblocking(False)
            sockets.append(connection)
            with suppress(BlockingIOError):
                connection.connect(address)
        for connection in sockets if data else ():
            connection.settimeout(5)
            with suppress(OSError):  # it has been closed already
                connection.send(data)
        yield
    finally:
        for connection in sockets:
            connection.close()


@contextmanager
def all_the_while(attack: Callable[[], None], threads: int = 1) -> Iterator[None]:
    """Repeat an attack in threads."""
    is_over = threading.Event()

    def repeat() -> None:
        while not is_over.is_set():
            with suppress(OSError):
                attack()

    running = [threading.Thread(target=repeat) for _ in range(threads)]
    for thread in running:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in running:
            thread.join()


def send(address: Address, data: bytes, limit: float = HANGING) -> bytes:
    """Send bytes, and return all that comes back."""
    received = b""
    with socket.create_connection(address, timeout=limit) as connection:
        with suppress(ConnectionError):  # refused before all is sent
            connection.sendall(data)
        with suppress(ConnectionError):
            while chunk := connection.recv(2**16):
                received += chunk
    return received


def post(body: bytes, *headers: str) -> bytes:
    """Write a request as a careful sender does."""
    lines = ("POST / HTTP/1.0", f"Content-Length: {len(body)}", *headers, "", "")
    return "\r\n".join(lines).encode() + body


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


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that all attacks are made on, one after the other."""
    folder = tmp_path_factory.mktemp("served")
    with server(folder, "--strategy", "uct", "--search-memory", "64") as served:
        exchange(served.address, "( INFO )", 60)
        time_to_rest(served)
        yield served


def time_to_rest(served: Served) -> None:
    """Play a match, so that what is done once is done."""
    play(served)
    served.log.write_bytes(b"")


def play(served: Served) -> Report:
    report = RawManager(served.address, Match(GAME, 3, 1, match_id=f"m{time.time_ns()}")).run()
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
    # A clock that is none, as a START that is accepted has the seat of the next match.
    data = post(b"(START other x (" + b"(a b)" * MEGABYTE + b") 1 one)")
    return all_the_while(lambda: void(send(address, data)))


def void(_reply: bytes) -> None:
    """Make a function of an expression whose value nobody needs."""


ATTACKS = (idle, half_sent, half_a_body, nested_moves, inflated, large_starts)


def quiet(_address: Address) -> AbstractContextManager[None]:
    return nullcontext()


@pytest.mark.thorough
@pytest.mark.parametrize("attack", [quiet, *ATTACKS])
def test_no_turn_is_lost_and_no_callback_holds_the_loop(
    attack: Callable[[Address], AbstractContextManager[None]], served: Served
) -> None:
    most_seconds = MOST_SECONDS if attack is quiet else MOST_SECONDS_ATTACKED
    with attack(served.address):
        was_fluent = any(no_callback_is_long(served, most_seconds) for _ in range(ATTEMPTS))
    assert was_fluent, served.long_callbacks(most_seconds)
    assert served.log.stat().st_size < MEGABYTE
    assert "Traceback" not in served.log.read_text()


def no_callback_is_long(served: Served, most_seconds: float) -> bool:
    before = len(served.long_callbacks(most_seconds))
    assert play(served).steps >= 5
    return len(served.long_callbacks(most_seconds)) == before


# ---------------------------------------------------------------------- one connection


@pytest.mark.thorough
def test_a_connection_that_sends_nothing_is_closed(tmp_path: Path) -> None:
    with server(tmp_path, "--head-timeout", "0.2", "--body-timeout", "0.4") as served:
        assert send(served.address, b"") == b""
        for data, what in ((HALF_HEAD, b"head"), (HALF_BODY, b"body")):
            reply = send(served.address, data)
            assert reply.startswith(b"HTTP/1.0 408 ")
            assert reply.endswith(b"error: the %b of the request did not come in time" % what)


@pytest.mark.thorough
def test_a_manager_is_served_where_its_own_address_has_all_connections(tmp_path: Path) -> None:
    flags = ("--max-connections", "8", "--max-connections-per-address", "4")
    with server(tmp_path, *flags) as served, open_connections(served.address, 50, HALF_BODY):
        for _ in range(20):
            assert b"status available" in send(served.address, post(b"(INFO)"))


@pytest.mark.thorough
def test_a_compressed_message_is_refused(tmp_path: Path) -> None:
    with server(tmp_path) as served:
        data = post(gzip.compress(b"(INFO)"), "Content-Encoding: gzip")
        reply = send(served.address, data)
    assert reply.startswith(b"HTTP/1.0 415 ")
    assert b"error: compressed messages are not read" in reply


# ---------------------------------------------------------------------- whose match it is


RULES = b"((role you) (legal you go) (legal you stop) (<= terminal (true x)) (goal you 0))"


def ask(served: Served, text: bytes, source: str = "127.0.0.1", path: str = "/") -> bytes:
    """Send a message from one of our addresses, and return the reply."""
    head = f"POST {path} HTTP/1.0\r\nContent-Length: {len(text)}\r\n\r\n".encode()
    with socket.create_connection(
        served.address, HANGING, source_address=(source, 0)
    ) as connection:
        connection.sendall(head + text)
        return b"".join(iter(lambda: connection.recv(2**16), b"")).partition(b"\r\n\r\n")[2]


STRANGER = "127.0.0.2"


@pytest.fixture(scope="module")
def legal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server for tests that end what they begin."""
    with server(tmp_path_factory.mktemp("legal"), "--strategy", "legal") as served:
        yield served


@pytest.mark.thorough
def test_a_match_belongs_to_the_address_of_its_start(legal: Served) -> None:
    assert ask(legal, b"(START m you %b 9 9)" % RULES) == b"ready"
    for text in (b"(ABORT m)", b"(STOP m (go))", b"(PLAY m NIL)", b"(PLAY m (stop))"):
        assert ask(legal, text, STRANGER) == b"busy"
    assert ask(legal, b"(PLAY m NIL)") == b"go"
    assert ask(legal, b"(PLAY m NIL)", STRANGER) == b"busy"
    assert ask(legal, b"(STOP m (go))") == b"done"
    assert ask(legal, b"(START n you %b 9 9)" % RULES, STRANGER) == b"ready"
    assert ask(legal, b"(ABORT n)") == b"busy"
    assert ask(legal, b"(ABORT n)", STRANGER) == b"aborted"


@pytest.mark.thorough
def test_a_match_may_be_played_from_anywhere_on_request(tmp_path: Path) -> None:
    with server(tmp_path, "--strategy", "legal", "--bind-matches", "false") as served:
        assert ask(served, b"(START m you %b 9 9)" % RULES) == b"ready"
        assert ask(served, b"(PLAY m NIL)", STRANGER) == b"go"


@pytest.mark.thorough
def test_a_secret_makes_addresses_equal(tmp_path: Path) -> None:
    secret = "a-secret-of-some-length"
    with server(tmp_path, "--strategy", "legal", "--token", secret) as served:
        assert ask(served, b"(INFO)").startswith(b"error: the secret is missing")
        start = b"(START m you %b 9 9)" % RULES
        assert ask(served, start, path=f"/{secret}") == b"ready"
        assert ask(served, b"(PLAY m NIL)", STRANGER, f"/{secret}") == b"go"
        assert ask(served, b"(ABORT m)").startswith(b"error: ")
        command = [sys.executable, "-m", "ggp_player", "info", f"127.0.0.1:{served.address[1]}"]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 1
        command[-1] += f"/{secret}"
        assert b"busy" in subprocess.check_output(command)


def test_a_page_in_a_browser_cannot_drive_the_player(legal: Served) -> None:
    start = b"(START m you %b 9 9)" % RULES
    for header in ("Origin: http://a", "Sec-Fetch-Site: cross-site", "Host: a.example.org"):
        assert b"HTTP/1.0 403 " in send(legal.address, post(start, header))
    assert b"HTTP/1.0 403 " in send(legal.address, b"GET /(START+m+you+(x)+9+9) HTTP/1.0\r\n\r\n")
    assert b"status available" in ask(legal, b"(INFO)")


# ---------------------------------------------------------------------- seats


@pytest.mark.thorough
def test_clocks_have_a_ceiling(tmp_path: Path) -> None:
    with server(tmp_path, "--max-clock", "20") as served:
        for clocks in (b"21 9", b"9 21", b"999999999 1"):
            reply = ask(served, b"(START m you %b %b)" % (RULES, clocks))
            assert reply == b"error: a clock is longer than 20 s, the most that is accepted here"
        assert b"status available" in ask(served, b"(INFO)")


@pytest.mark.parametrize(
    "start",
    [b"(START m nobody %b 99 99)" % RULES, b"(START m you ((role you) (not)) 99 99)"],
    ids=["a role that does not exist", "rules without a meaning"],
)
def test_what_cannot_be_played_takes_no_seat(start: bytes, legal: Served) -> None:
    assert ask(legal, start).startswith(b"error: the game cannot be played")
    assert b"status available" in ask(legal, b"(INFO)")
    assert ask(legal, b"(PLAY m NIL)") == b"busy"


def cpu_seconds_of(pid: int) -> float:
    fields = stat_fields(pid)
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def cpu_seconds(served: Served) -> float:
    """The CPU time of the server's processes that are alive."""
    pids = [path.name for path in Path("/proc").glob("[0-9]*")]
    parents = {int(pid): parent(int(pid)) for pid in pids}
    family = {served.pid}
    for _ in range(4):
        family |= {pid for pid, parent_pid in parents.items() if parent_pid in family}
    return sum(map(cpu_seconds_of, family))


@pytest.mark.thorough
def test_a_match_that_nobody_drives_rests_and_ends(tmp_path: Path) -> None:
    with server(tmp_path, "--strategy", "uct", "--idle-limit", "8") as served:
        manager = RawManager(served.address, Match(GAME, 1, 1))
        manager.start()
        wait_for(served, "no request for long, the search rests")
        before = cpu_seconds(served)
        wait_for(served, "no request for too long, dropped")
        assert cpu_seconds(served) - before <= 1
        assert b"status available" in ask(served, b"(INFO)")


def wait_for(served: Served, words: str) -> None:
    """Wait for a line of the log."""
    assert becomes_true(lambda: words in served.log.read_text()), words
