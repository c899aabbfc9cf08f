"""The player over HTTP, spoken to byte by byte as game managers, schedulers and browsers do."""

import asyncio
import os
import re
import resource
import signal
import struct
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from ggp_player.errors import ServerError
from ggp_player.front.request_reader import MAX_MESSAGE
from ggp_player.server import http
from ggp_player.server.config import Config
from ggp_player.server.http import (
    FILES_PER_MATCH,
    RESERVED_FILES,
    connection_bounds,
    serve,
)
from ggp_player.server.player import Player
from ggp_player.server.reply_deadline import (
    ENOUGH_REPLIES,
    MAX_MARGIN_SHARE,
    UNFORESEEN_SHARE,
    UNKNOWN_ROUND_TRIP,
    ReplyDeadline,
)
from tests.ggp_player.conftest import Ear
from tests.support.paths import ROOT
from tests.support.serving import announced, served

Naming = Callable[[str], str]

INFO = b"( ( name ggp-player ) ( status available ) )"


@pytest.fixture
async def port() -> AsyncIterator[int]:
    """Serve a player that makes the first legal move, at the port that is the value."""
    async with Player(Config(strategy="legal")) as player, served(player) as port:
        yield port


Reply = tuple[bytes, dict[str, str], bytes]
"""Status, head and body."""


async def exchange(port: int, data: bytes) -> Reply:
    """Send bytes, read until the server closes the connection; return status, head and body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    received = await reader.read()
    writer.close()
    await writer.wait_closed()
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    pairs = (line.decode().split(": ", 1) for line in lines)
    return status, {name.lower(): value for name, value in pairs}, body


def ggp_base(text: str) -> bytes:
    """Return a request as ggp-base's manager writes it."""
    head = (
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n"
        f"Receiver: \r\nContent-Type: text/acl\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    return f"{head}{text}".encode()


async def test_the_reply_is_what_every_manager_reads(port: int) -> None:
    status, head, body = await exchange(port, ggp_base("( INFO )"))
    assert (status.split(b" ", 1)[1], body) == (b"200 OK", INFO)
    assert head["content-length"] == str(len(INFO))
    assert head["content-type"] == "text/acl"
    assert head["connection"] == "close"
    assert "transfer-encoding" not in head


async def test_a_match_over_sockets(port: int, fields: str) -> None:
    for text, reply in [
        (f"( START m xena ({' '.join(fields.split(chr(10))[2:])} ) 10 10)", b"ready"),
        ("( PLAY m NIL )", b"(claim 1)"),
        ("( PLAY m (( claim 3 ) noop ) )", b"noop"),
        ("( STOP m (noop ( claim 2 ) ) )", b"done"),
    ]:
        assert (await exchange(port, ggp_base(text)))[2] == reply


@pytest.mark.parametrize(
    ("title", "request_"),
    [
        ("Tiltyard, empty", b"POST / HTTP/1.1\r\nHost: x\r\nReceiver: PLAYER\r\n"
         b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n\r\n"),
        ("Tiltyard, form", b"POST / HTTP/1.1\r\nHost: x\r\nReceiver: PLAYER\r\n"
         b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 8\r\n\r\n( INFO )"),
        ("Dresden, no Host", b"POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: Gamecontroller\r\n"
         b"Receiver: p\r\nContent-Type: text/acl\r\nContent-Length: 6\r\n\r\n(INFO)"),
        ("keep-alive is not kept", b"POST / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n"
         b"Content-Length: 6\r\n\r\n(info)"),
        ("a byte order mark", b"POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n\xef\xbb\xbf(info)"),
        ("a path", b"POST /player HTTP/1.0\r\nContent-Length: 6\r\n\r\n(info)"),
        ("GET", b"GET /%28%20INFO%20%29 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("GET with +", b"GET /(+info+) HTTP/1.0\r\n\r\n"),
        ("HTTP/1.1 without Host", b"POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n(info)"),
        ("no length", b"POST / HTTP/1.0\r\n\r\n( INFO )\r\n"),
        ("no length and no body", b"POST / HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("chunks", b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
         b"4\r\n(inf\r\n2\r\no)\r\n0\r\n\r\n"),
        ("more than it says", b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(info)\r\n\r\n"),
        ("blanks in an address", b"GET /( INFO ) HTTP/1.0\r\n\r\n"),
        ("no slash, no version", b"GET ( INFO )\r\n\r\n"),
        ("a program", b"GET / HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n"),
    ],
)  # fmt: skip
async def test_ways_to_ask_for_info(title: str, request_: bytes, port: int) -> None:
    status, head, body = await exchange(port, request_)
    assert status.endswith(b"200 OK"), title
    assert body == INFO
    assert head["connection"] == "close"
    assert head["server"] == "ggp-player"


async def test_a_whole_start_in_an_address() -> None:
    config = Config(strategy="legal", allow_get=True)
    async with Player(config) as player, served(player) as port:
        assert await start_and_play_by_address(port) == (b"ready", b"go")


async def start_and_play_by_address(port: int) -> tuple[bytes, bytes]:
    """Send a START and a PLAY as addresses; return the replies."""
    rules = "(role+you)(legal+you+go)(<=+terminal+(true+?x))(goal+you+0)"
    line = f"GET /(start+m+you+({rules})+9+9) HTTP/1.0\r\n\r\n".encode()
    _, _, started = await exchange(port, line)
    _, _, move = await exchange(port, b"GET /(play%20m%20nil) HTTP/1.0\r\n\r\n")
    return started, move


async def test_replies_are_measured_until_they_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_delays", lambda _: (0.0, 0.0))
    rules = "(role you) (legal you go) (<= terminal (true over)) (goal you 0)"
    standing_still = Player(Config(strategy="legal"), clock=lambda: 100.0)
    async with standing_still as player, served(player) as port:
        await exchange(port, ggp_base(f"(START m you ({rules}) 0 0)"))
        for _ in range(ENOUGH_REPLIES - 1):
            assert player.new_deadline().for_clock(1).remaining == pytest.approx(
                1 - MAX_MARGIN_SHARE
            )
            await exchange(port, ggp_base("(PLAY m (go))"))
        assert player.new_deadline().for_clock(1).remaining == pytest.approx(1 - UNFORESEEN_SHARE)


class Spy(Player):
    """Keeps what was measured of each request: its round trip, and how long it waited."""

    def __init__(self) -> None:
        super().__init__(Config(strategy="legal"))
        self.seen: list[tuple[float, float]] = []

    def new_deadline(
        self, round_trip: float = 0.0, waited: float = 0.0, unsure: float = 0.0
    ) -> ReplyDeadline:
        self.seen.append((round_trip, waited))
        return super().new_deadline(round_trip, waited, unsure)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")
async def test_the_round_trip_and_the_wait_for_the_server_are_measured() -> None:
    player = Spy()
    async with player, served(player) as port:
        await exchange(port, ggp_base("(INFO)"))
        await exchange(port, b"GET /(+info+) HTTP/1.0\r\n\r\n")
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(ggp_base("(INFO)"))
        time.sleep(0.5)  # noqa: ASYNC251 it holds the event loop on purpose
        assert (await reader.read()).endswith(INFO)
        writer.close()
    round_trips, waits = zip(*player.seen, strict=True)
    assert len(round_trips) == 3
    assert all(0 <= seconds < UNKNOWN_ROUND_TRIP for seconds in round_trips)
    assert waits[0] < 0.4 <= waits[2]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems are not asked")
async def test_a_system_that_tells_less_of_a_connection_is_one_that_tells_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "_TCP_INFO", struct.Struct("52x I 12x I 900x"))
    player = Spy()
    async with player, served(player) as port:
        _, _, body = await exchange(port, ggp_base("(INFO)"))
        assert body == INFO
    assert player.seen == [(UNKNOWN_ROUND_TRIP, 0.0)]


PREFLIGHT = b"OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://a\r\n\r\n"


@pytest.mark.parametrize(("allowed", "named"), [("*", "*"), ("http://a", "http://a")])
async def test_a_page_that_may_drive_the_player(allowed: str, named: str) -> None:
    config = Config(strategy="legal", allow_origin=(allowed,))
    async with Player(config) as player, served(player) as port:
        status, head, body = await exchange(port, PREFLIGHT)
    assert (status, body) == (b"HTTP/1.1 200 OK", b"")
    assert head["access-control-allow-origin"] == named
    assert head["access-control-allow-methods"] == "POST, GET, OPTIONS"
    assert head["access-control-allow-headers"] == "Sender, Receiver, Content-Type, Accept"
    assert head["access-control-max-age"] == "86400"
    assert head["content-length"] == "0"


async def test_other_pages_may_not(port: int) -> None:
    status, head, body = await exchange(port, PREFLIGHT)
    assert (status, body) == (b"HTTP/1.1 200 OK", b"")
    assert not [name for name in head if name.startswith("access-control")]


async def test_a_message_that_cannot_be_understood(port: int) -> None:
    status, head, body = await exchange(port, ggp_base("(PLAY"))
    assert status.endswith(b"200 OK")
    assert body.startswith(b"error: character 6: expected ')'")
    assert head["content-length"] == str(len(body))


async def test_rules_that_are_no_utf_8(port: int) -> None:
    text = b"(start m you ((role you) (legal you r\xe9) (<= terminal (true x)) (goal you 0)) 9 9)"
    request = b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text)
    assert (await exchange(port, request))[2] == b"ready"
    assert (await exchange(port, ggp_base("(play m nil)")))[2] == b"r\xe9"


async def in_pieces(port: int, *pieces: bytes, half_closed: bool = False) -> bytes:
    """Send bytes piece by piece, and return all that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)
    if half_closed:
        writer.write_eof()
    received = await reader.read()
    writer.close()
    await writer.wait_closed()
    return received


async def test_a_body_in_pieces(port: int) -> None:
    pieces = (b"POST / HTTP/1.0\r\nContent-Le", b"ngth: 8\r\n\r\n( IN", b"FO )")
    assert (await in_pieces(port, *pieces)).endswith(INFO)


@pytest.mark.thorough
async def test_a_half_closed_request_gets_its_reply(words: str, bad: Naming) -> None:
    async with Player(Config(strategy=bad("Spinning"))) as player, served(player) as port:
        start = ggp_base(f"(START m xena ({words}) 2 1)")
        assert (await in_pieces(port, start, half_closed=True)).endswith(b"ready")
        assert (await in_pieces(port, ggp_base("(PLAY m NIL)"), half_closed=True)).endswith(b"3)")


@pytest.mark.parametrize("counted", ["characters", "bytes"])
async def test_rules_in_utf_8_with_either_length(counted: str, port: int) -> None:
    text = "(START m yoü ((role yoü) (legal yoü gö) ; ½\n (<= terminal (true x))) 9 9)"
    body = text.encode()
    length = len(text) if counted == "characters" else len(body)
    head = f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n".encode()
    assert (await exchange(port, head + body))[2] == b"ready"
    status, head_of_reply, move = await exchange(port, ggp_base("(PLAY m NIL)"))
    assert status == b"HTTP/1.0 200 OK"
    assert move == "gö".encode()
    assert head_of_reply["content-length"] == str(len(move))


async def test_a_sender_that_asks_whether_to_go_on(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head)
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    writer.write(b"(info)")
    assert (await reader.read()).endswith(INFO)
    writer.close()
    await writer.wait_closed()


async def test_a_body_of_megabytes(port: int) -> None:
    text = f"(start m x ({'(padding)' * 900_000}) soon 1)"
    assert len(text) > 8_000_000
    body = (await exchange(port, ggp_base(text)))[2]
    assert b"expected the start clock in START" in body


async def test_a_body_beyond_the_limit(port: int) -> None:
    head = f"POST / HTTP/1.0\r\nContent-Length: {MAX_MESSAGE + 2}\r\n\r\n"
    status, _, _ = await exchange(port, head.encode() + b" " * (MAX_MESSAGE + 2))
    assert status.split()[1] == b"413"  # versions of Python differ in its name


async def test_other_methods(port: int) -> None:
    status, _, body = await exchange(port, b"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert status.endswith(b"405 Method Not Allowed")
    assert body == b"error: DELETE is not answered; a message is sent by POST"


async def test_requests_are_answered_side_by_side(words: str, bad: Naming, ear: Ear) -> None:
    async with Player(Config(strategy=bad("Spinning"))) as player, served(player) as port:
        starting = asyncio.create_task(exchange(port, ggp_base(f"(start m xena ({words}) 99 99)")))
        await ear.hear("match m, tracker: the rules are parsed")
        assert (await exchange(port, ggp_base("( INFO )")))[2].endswith(b"( status busy ) )")
        playing = asyncio.create_task(exchange(port, ggp_base("(play m nil)")))
        assert (await starting)[2] == b"ready"
        assert (await exchange(port, ggp_base("(abort m)")))[2] == b"aborted"
        assert (await playing)[2] in {b"(say 1)", b"(say 3)"}


async def test_every_message_is_a_line_in_the_log(port: int, ear: Ear) -> None:
    await exchange(port, ggp_base("(preview\n(" + "(padding)" * 50 + ") -1)"))
    line = await ear.hear("127.0.0.1: (preview ((padding)")
    assert re.search(r"\.\.\. -> ready, \d+\.\d\d s$", line)
    assert len(line) < 200


@pytest.mark.thorough
async def test_requests_that_are_no_http() -> None:
    async with serve_command() as (process, port):
        for request in (
            b"( INFO )\r\n\r\n",
            b"POST\r\n\r\n",
            b"POST / HTTP/1.0\r\nno header\r\n\r\n",
            b"POST / HTTP/1.0\r\nContent-Length: many\r\n\r\n",
        ):
            status, head, body = await exchange(port, request)
            assert status == b"HTTP/1.0 400 Bad Request"
            assert body.startswith(b"error: ")
            assert head["content-length"] == str(len(body))
        assert (await exchange(port, ggp_base("( INFO )")))[2] == INFO
        process.send_signal(signal.SIGINT)
        output = (await process.communicate())[0].decode()
    assert "127.0.0.1 is refused: this is no HTTP" in output
    assert "Traceback" not in output


async def test_a_port_that_is_taken(port: int) -> None:
    config = Config(host="127.0.0.1", port=port)
    with pytest.raises(ServerError) as caught:
        await serve(config, lambda host, port: None)
    assert str(caught.value) == (
        f"cannot listen at 127.0.0.1:{port}: another program listens there; "
        "stop it or choose another --port"
    )


async def test_an_address_that_is_not_ours() -> None:
    with pytest.raises(ServerError, match=r"cannot listen at 192\.0\.2\.1:0: "):
        await serve(Config(host="192.0.2.1", port=0), lambda host, port: None)


def test_files_are_reserved_for_matches() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    bounds = connection_bounds(Config(max_connections=10000, max_matches=64))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    reserved = RESERVED_FILES + FILES_PER_MATCH * 66
    assert bounds.connections == min(10000, max(8, soft - reserved))
    assert soft == min(hard, max(soft, 10000 + reserved))


# ---------------------------------------------------------------------- the command


@asynccontextmanager
async def serve_command(*flags: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """Run ``ggp-player serve`` at any free port; the process and the port are the value."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ggp_player", "serve", "--host", "127.0.0.1", "--port", "0"),
        *flags,
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        line = b""
        while b"listening" not in line:  # it can say before that it has found strays
            line = await process.stdout.readline()
            assert line, "the server ended before it listened"
        yield process, int(line.split(b":")[-1])
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def ended(pid: int) -> None:
    """Wait until a process that is no child of ours has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    has_ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(descriptor, has_ended.set)
    await has_ended.wait()
    asyncio.get_running_loop().remove_reader(descriptor)
    os.close(descriptor)


@asynccontextmanager
async def preparing(
    strategy: str, words: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, int, asyncio.Task[Reply]]]:
    """Run a server whose search has begun: its process, the search's, and the START under way."""
    async with (
        announced() as (port, pids),
        serve_command("--strategy", f"{strategy}:port={port}") as (process, address),
    ):
        start = ggp_base(f"(start m xena ({words}) 99 99)")
        starting = asyncio.create_task(exchange(address, start))
        yield process, await pids.get(), starting


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_the_server_after_open_requests_are_answered(
    number: signal.Signals, words: str, bad: Naming
) -> None:
    async with preparing(bad("Announcing"), words) as (process, worker, starting):
        process.send_signal(number)
        assert (await starting)[2] == b"ready"
        output = (await process.communicate())[0].decode()
        assert process.returncode == 0
        assert "Traceback" not in output
        await ended(worker)


@pytest.mark.thorough
async def test_workers_do_not_outlive_a_server_that_is_killed(words: str, bad: Naming) -> None:
    async with preparing(bad("Announcing"), words) as (process, worker, starting):
        process.kill()
        await ended(worker)
        assert (await starting)[2] == b""


@pytest.mark.thorough
async def test_the_server_says_what_it_is() -> None:
    async with serve_command("--name", "Ada", "--strategy", "minimax") as (process, address):
        assert (await exchange(address, ggp_base("(info)")))[2] == INFO.replace(
            b"ggp-player", b"Ada"
        )
        process.send_signal(signal.SIGINT)
        output = (await process.communicate())[0].decode()
    assert "name       Ada" in output
    assert "strategy   minimax" in output
    assert "access     managers on this machine; for others, --host 0.0.0.0 --allow" in output
    assert f"give your game manager the address 127.0.0.1:{address}" in output
