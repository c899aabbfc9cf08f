"""A reply is read within bounds, and whoever sends more is not listened to."""

from __future__ import annotations

import asyncio

import pytest

from ggp_player.errors import ServerError
from ggp_player.manager.players import RemotePlayer
from ggp_player.manager.reply_reader import MAX_FRAMING, MAX_HEADS, MAX_INTERIM, ReplyParser

OK = b"HTTP/1.1 200 OK\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def read(*pieces: bytes, limit: int = 100) -> bytes:
    """Read a reply that comes in pieces, and ends with them."""
    parser = ReplyParser(limit)
    for piece in pieces:
        if (body := parser.feed(piece)) is not None:
            return body
    return parser.end()


REPLIES = [
    (OK + b"Content-Length: 4\r\n\r\nnoop and more", b"noop"),
    (OK + b"content-length:4\n\nnoop", b"noop"),
    (OK + b"\r\nnoop", b"noop"),
    (OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\n2;x=y\r\nop\r\n0\r\n\r\n", b"noop"),
    (CONTINUE * MAX_INTERIM + OK + b"Content-Length: 0\r\n\r\n", b""),
    (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK + b"\r\nnoop", b"noop"),
    (b"HTTP/1.0 404\r\n\r\nnoop", b"noop"),
    (OK + b"\r\n" + b"x" * 200, b"x" * 100),
    (OK + b"Content-Length: 200\r\n\r\n" + b"x" * 200, b"x" * 100),
    (OK + b"Transfer-Encoding: chunked\r\n\r\nff\r\n" + b"x" * 200, b"x" * 100),
]


@pytest.mark.parametrize(("reply", "body"), REPLIES)
def test_replies_are_read_whole_and_byte_by_byte(reply: bytes, body: bytes) -> None:
    assert read(reply) == body
    assert read(*(reply[index : index + 1] for index in range(len(reply)))) == body


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (CONTINUE * 100_000, f"it sends more than {MAX_INTERIM} heads before its reply"),
        (OK + b"X: more\r\n" * MAX_HEADS, f"the head of its reply has more than {MAX_HEADS:,}"),
        (b"noop\r\n\r\n", "what listens there does not speak HTTP"),
        (b"noop", "what listens there does not speak HTTP"),
        (OK + b"Content-Length: -1\r\n\r\n", "what listens there does not speak HTTP"),
        (b"", "the connection was closed without a reply"),
        (OK + b"Content-Length: 5\r\n\r\nnoop", "the connection was closed within the reply"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"z" * 2000, "does not speak HTTP"),
    ],
)
def test_what_is_no_reply_is_said(reply: bytes, sentence: str) -> None:
    with pytest.raises(ServerError, match=sentence):
        read(reply)


def test_chunks_of_a_byte_are_bounded() -> None:
    chunks = b"1;" + b"x" * 100 + b"\r\nn\r\n"
    with pytest.raises(ServerError, match=f"take more than {MAX_FRAMING:,} bytes"):
        read(OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks * 1000, limit=10_000)


async def test_a_player_that_sends_without_end_is_not_listened_to() -> None:
    sent = 0
    closed = asyncio.Event()

    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        try:
            while True:
                writer.write(CONTINUE * 1000)
                sent += len(CONTINUE) * 1000
                await writer.drain()
        except ConnectionError:
            closed.set()

    async with await asyncio.start_server(flood, "127.0.0.1", 0) as server:
        player = RemotePlayer("127.0.0.1", server.sockets[0].getsockname()[1])
        async with asyncio.timeout(10):
            with pytest.raises(ServerError, match="more than 4 heads"):
                await player.send("( PLAY m NIL )")
            await closed.wait()
    assert sent < 50_000_000  # what fits into the buffers of the system
