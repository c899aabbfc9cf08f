"""Remote players speak to player servers as ggp-base's manager does."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ggp_player.errors import ConfigError, ServerError
from ggp_player.manager.players import MAX_REPLY, RemotePlayer, Seat, check_reachable, seat_of
from ggp_player.protocol import Dialect
from ggp_player.server.config import Config
from tests.support.command_line import CLOSED
from tests.support.stub_players import read_request

REQUEST = b"""POST / HTTP/1.0\r
Host: 127.0.0.1:%d\r
Accept: text/delim\r
Sender: GAMESERVER\r
Receiver: 127.0.0.1:%d\r
Content-Type: text/acl\r
Content-Length: 8\r
\r
( INFO )"""


def http(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.0 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


@asynccontextmanager
async def server(answer: bytes) -> AsyncIterator[tuple[RemotePlayer, list[bytes]]]:
    """Run a server that gives every request the same answer, and keeps what it was sent."""
    received: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(b"".join(await read_request(reader)))
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        yield RemotePlayer("127.0.0.1", port), received


async def test_the_request_has_the_headers_of_ggp_base() -> None:
    async with server(http(b"( ( name ann ) )")) as (player, received):
        assert await player.send("( INFO )") == "( ( name ann ) )"
        head, body = received[0].split(b"\r\n\r\n")
        expected_head, expected_body = (REQUEST % (player.port, player.port)).split(b"\r\n\r\n")
        assert body == expected_body
        assert head.split(b"\r\n")[0] == b"POST / HTTP/1.0"
        assert sorted(head.split(b"\r\n")) == sorted(expected_head.split(b"\r\n"))


@pytest.mark.parametrize("status", [b"400 Bad Request", b"500 Oops", b"301 Moved"])
async def test_the_status_of_a_reply_is_not_looked_at(status: bytes) -> None:
    async with server(http(b"noop", status)) as (player, _):
        assert await player.send("( PLAY m NIL )") == "noop"


async def test_each_request_has_a_connection_of_its_own() -> None:
    async with server(http(b"ready")) as (player, received):
        for _ in range(3):
            await player.send("( PING )")
        assert len(received) == 3


async def test_a_reply_without_a_length_ends_with_the_connection() -> None:
    async with server(b"HTTP/1.0 200 OK\r\n\r\n(mark 1 1)") as (player, _):
        assert await player.send("( PLAY m NIL )") == "(mark 1 1)"


async def test_an_endless_reply_is_cut() -> None:
    async with server(http(b"x" * (MAX_REPLY + 1000))) as (player, _):
        assert await player.send("( PLAY m NIL )") == "x" * MAX_REPLY


async def test_bytes_that_are_no_text_are_replaced() -> None:
    async with server(http(b"\xff\xfe")) as (player, _):
        assert await player.send("( PLAY m NIL )") == "\N{REPLACEMENT CHARACTER}" * 2


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"", "the connection was closed without a reply"),
        (b"not http\r\n\r\n", "what listens there does not speak HTTP"),
        (b"HTTP/1.0 200 OK\r\nContent-L", "what listens there does not speak HTTP"),
    ],
)
async def test_a_broken_answer_is_a_connection_error(answer: bytes, sentence: str) -> None:
    async with server(answer) as (player, _):
        with pytest.raises(ServerError, match=rf"^{sentence}$"):
            await player.send("( INFO )")


async def test_a_refused_connection_is_a_connection_error() -> None:
    async with server(b"") as (player, _):
        pass
    with pytest.raises(ServerError, match=r"^nothing listens there$"):
        await player.send("( INFO )")


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        ("localhost:9147", "localhost", 9147),
        ("10.0.0.1:1", "10.0.0.1", 1),
        ("[::1]:9147", "::1", 9147),
        ("::1:9147", "::1", 9147),
    ],
)
def test_addresses_are_recognised(address: str, host: str, port: int) -> None:
    assert RemotePlayer.at(address) == RemotePlayer(host, port)


def test_an_address_may_have_a_path_which_is_not_shown() -> None:
    player = RemotePlayer.at("localhost:9147/secret")
    assert player == RemotePlayer("localhost", 9147, "/secret")
    assert player.name == "localhost:9147"


@pytest.mark.parametrize("dialect", ["A", "B", "C", "C'", "D", "E"])
def test_an_address_may_name_a_dialect(dialect: str) -> None:
    expected = RemotePlayer("localhost", 9147, "/secret", dialect=Dialect(dialect))
    assert RemotePlayer.named(f"localhost:9147/secret#{dialect}") == expected
    assert seat_of(f"localhost:9147/secret#{dialect}") == expected
    assert RemotePlayer.at(f"localhost:9147/secret#{dialect}") is None


def test_without_a_dialect_a_player_server_speaks_that_of_ggp_base() -> None:
    player = RemotePlayer.named("localhost:9147")
    assert player == RemotePlayer("localhost", 9147, dialect=Dialect.GGP_BASE)


@pytest.mark.parametrize("dialect", ["", "F", "X", "c", "CC"])
def test_an_address_with_another_dialect_is_refused(dialect: str) -> None:
    with pytest.raises(
        ConfigError, match=f"expected a dialect .* A, B, C, C', D, E; .*#{dialect}$"
    ):
        seat_of(f"localhost:9147#{dialect}")


@pytest.mark.parametrize(
    "text",
    ["minimax", "bounded_minimax:upper=51", "a.b:Class", "host:0", "host:65536", "host:", ":1"],
)
def test_other_texts_are_no_addresses(text: str) -> None:
    assert RemotePlayer.at(text) is None


@pytest.mark.parametrize("text", ["host:0", "host:65536", ":1", "host:0#C"])
def test_an_address_with_an_impossible_port_is_no_strategy(text: str) -> None:
    with pytest.raises(ConfigError, match=f"expected host:port .* 1 to 65535; found {text}"):
        seat_of(text)


async def test_a_request_counts_as_sent_when_the_system_has_taken_all_of_it() -> None:
    read = asyncio.Event()
    rules = "( START m a (" + "(role a) " * 2_000_000 + ") 1 1)"

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read.wait()
        await read_request(reader)
        writer.write(http(b"ready"))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as listening:
        player = RemotePlayer("127.0.0.1", listening.sockets[0].getsockname()[1])
        sent = asyncio.Event()
        asking = asyncio.create_task(player.send(rules, sent.set))
        with pytest.raises(TimeoutError):  # nobody has read it, and it is longer than buffers are
            async with asyncio.timeout(0.2):
                await sent.wait()
        read.set()
        await sent.wait()
        assert await asking == "ready"


REPLY = b"HTTP/1.0 400 no\r\nContent-Length: 2\r\n\r\nno"


@asynccontextmanager
async def listening(reply: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that replies to everything alike, and what it has heard; empty is no reply."""
    heard: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(2**16))
        if reply:
            writer.write(reply)
            writer.close()
        else:
            await reader.read()
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", heard


async def test_whatever_replies_is_there() -> None:
    async with listening(REPLY) as (address, heard):
        await check_reachable([seat_of(address), seat_of("legal"), seat_of("human")])
        assert b"INFO" in heard[0]


async def test_all_that_are_not_there_are_named_with_the_reason() -> None:
    seats: list[Seat] = [seat_of(CLOSED), seat_of("nowhere.invalid:9147")]
    with pytest.raises(ServerError) as caught:
        await check_reachable(seats)
    first, second, last = str(caught.value).split("; ")
    assert first == f"{CLOSED} cannot be reached: nothing listens there"
    assert second.startswith("nowhere.invalid:9147 cannot be reached: the host ")
    assert last == "no match is begun"


async def test_a_server_that_never_replies_is_not_there() -> None:
    async with listening(b"") as (address, _):
        with pytest.raises(ServerError, match=r"no reply came in 0\.01 s"):
            await check_reachable([seat_of(address)], seconds=0.01)


@pytest.mark.parametrize("dialect", ["B", "C"])
async def test_a_dialect_without_info_is_only_connected_to(dialect: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        await check_reachable([seat_of(f"127.0.0.1:{server.getsockname()[1]}#{dialect}")])
    with pytest.raises(ServerError, match="cannot be reached"):
        await check_reachable([seat_of(f"{CLOSED}#{dialect}")])


def test_a_strategy_of_a_match_leaves_the_state_folder_to_the_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GGP_PLAYER_STATE_DIR", str(tmp_path))
    seat = seat_of("legal")
    assert isinstance(seat, Config)
    assert seat.state_dir is None
