"""Replies of players to our game manager: each is a text or a sentence that says what is wrong.

An input is what a player server on the loopback sends, byte for byte; then it closes.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import cache

import gdl
from ggp_player.errors import ProtocolError, ServerError
from ggp_player.manager.players import MAX_REPLY, RemotePlayer
from ggp_player.protocol.prefix import parse_info_reply
from tests.fuzz.mutators import token_mutator
from tests.fuzz.target import Target

LIMIT = 5.0
"""The seconds for which a game manager waits; a player that has closed is not waited for."""


def _reply(body: bytes, *lines: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.0 200 OK", *lines, b"", body])


SEEDS = (
    _reply(b"( mark 1 1 )", b"Content-Type: text/acl", b"Content-Length: 12"),
    _reply(b"((name x) (status available))", b"Content-Length: 29", b"Connection: close"),
    _reply(b"noop"),
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nnoop\r\n0\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nSet-Cookie: a=b; Path=/\r\n\r\n",
    _reply(
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03K,\x06\x00C\xbe\xb7\xe8",
        b"Content-Encoding: gzip",
    ),
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    b"noop",
    b"",
)

DONORS = (
    *(b"\r\n", b"\n", b" ", b":", b"HTTP/1.1", b"HTTP/1.0", b"200", b"999", b"-1", b"204", b"101"),
    *(b"Content-Length: 5\r\n", b"Content-Length: -5\r\n", b"Content-Length: 99999999999\r\n"),
    *(
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: deflate\r\n",
        b"Content-Encoding: br\r\n",
    ),
    *(
        b"Content-Type: ;\r\n",
        b"Content-Type: text/acl; charset=x\r\n",
        b"Set-Cookie: \xff=\x01\r\n",
    ),
    *(
        b"Location: http://[\r\n",
        b"Upgrade: websocket\r\n",
        b"Link: <http://[>; rel=x\r\n",
        b"\0",
        b"\xff",
    ),
    *(
        b"Content-Encoding: zstd\r\n",
        b"Set-Cookie: a; Domain=..; Max-Age=x; Expires=y\r\n",
        b"noop",
    ),
)

mutate = token_mutator(rb"\r?\n|[A-Za-z-]+|\d+|[^A-Za-z0-9\r\n]|\r", DONORS)


class PlayerServer:
    """Sends the same bytes to whoever connects, and closes."""

    def __init__(self) -> None:
        self.data = b""
        self.loop = asyncio.new_event_loop()
        server = self.loop.run_until_complete(asyncio.start_server(self._answer, "127.0.0.1", 0))
        self.player = RemotePlayer("127.0.0.1", server.sockets[0].getsockname()[1])

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(self.data)
            await writer.drain()
        writer.close()

    def ask(self, data: bytes) -> str:
        """Have the game manager ask while the player answers so."""
        self.data = data
        asking = asyncio.wait_for(self.player.send("( INFO )"), LIMIT)
        return self.loop.run_until_complete(asking)


@cache
def _server() -> PlayerServer:
    return PlayerServer()


def check(data: bytes) -> None:
    """Read a reply as the game manager does."""
    try:
        text = _server().ask(data)
    except ServerError as error:
        assert str(error)
        return
    assert len(text) <= MAX_REPLY
    with suppress(ProtocolError):
        parse_info_reply(text)
    with suppress(gdl.GdlSyntaxError):
        gdl.parse_term(text)


TARGET = Target("replies", check, lambda: SEEDS, mutate, max_bytes=2048)
