"""Every message of every dialect, byte for byte over sockets, from the files in ``transcripts``.

A file has exchanges of one connection each: the lines of a head, a body, and the body of the reply.
"""

import asyncio
import re
import socket
import tomllib
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from ggp_player.protocol import SYNTAXES
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from ggp_player.server.polling import Poller
from tests.support.serving import served

FOLDER = Path(__file__).with_name("transcripts")
POLLED = FOLDER / "f_stanford_polling.toml"
FILES = sorted({*FOLDER.glob("*.toml")} - {POLLED})

LIMIT = 60
"""Seconds for an exchange, on a machine that does much else."""

YIELDS = 20
"""How often the event loop runs between two packets, so that they arrive as two."""


@dataclass(frozen=True)
class Exchange:
    """A request as bytes, in packets, and the reply to it."""

    title: str
    packets: Sequence[bytes]
    reply: bytes
    status: bytes


def exchanges(path: Path) -> list[Exchange]:
    """Read a file."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return [_exchange(found, document["head"]) for found in document["exchange"]]


def _exchange(found: dict[str, Any], head: list[str]) -> Exchange:
    body: str = found["body"]
    lines = [line.replace("{length}", str(len(body))) for line in found.get("head", head)]
    data = "\r\n".join([*lines, "", ""]).encode() + body.encode()
    packets = list(_split(data, found["split"])) if "split" in found else [data]
    title = found.get("title", body[:40])
    return Exchange(title, packets, found["reply"].encode(), found.get("status", "200").encode())


def _split(data: bytes, sizes: Sequence[int]) -> Iterator[bytes]:
    start = 0
    for size in cycle(sizes):
        if start >= len(data):
            return
        yield data[start : start + size]
        start += size


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """Serve a player that makes the first legal move, at the port that is the value."""
    async with Player(Config(strategy="legal")) as player, served(player) as port:
        yield port


async def received(port: int, packets: Sequence[bytes]) -> bytes:
    """Send packets, and read until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for packet in packets:
        writer.write(packet)
        for _ in range(YIELDS):
            await asyncio.sleep(0)
    data = await reader.read()
    writer.close()
    await writer.wait_closed()
    return data


def assert_reply(data: bytes, exchange: Exchange) -> None:
    """Check all that game managers rely on."""
    data = data.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    headers = {name.lower(): value for name, value in (line.split(b": ", 1) for line in lines)}
    assert (status.split(b" ")[1], body) == (exchange.status, exchange.reply), exchange.title
    assert headers[b"content-length"] == str(len(body)).encode(), exchange.title
    assert headers[b"connection"] == b"close", exchange.title
    assert b"transfer-encoding" not in headers, exchange.title


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
async def test_transcript(path: Path) -> None:
    async with serving() as port:
        for exchange in exchanges(path):
            async with asyncio.timeout(LIMIT):
                assert_reply(await received(port, exchange.packets), exchange)


def test_there_is_a_transcript_of_every_message_of_every_dialect() -> None:
    for syntax in SYNTAXES.values():
        letter = str(syntax.dialect).lower().replace("'", "2")
        (path,) = FOLDER.glob(f"{letter}_*.toml")
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        texts = [found.get("body", found.get("answer")).lower() for found in document["exchange"]]
        for message in syntax.messages:
            name = message.__name__.lower()
            assert any(re.search(rf"(^|[(,]) ?{name}\b", text) for text in texts), name


class RawManager:
    """Answers polls one after the other, each as soon as the one before has its reply."""

    def __init__(self, answers: Sequence[str]) -> None:
        self.polls: set[bytes] = set()
        self.replies: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self._answers = deque(["", *answers])
        self._is_open = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection."""
        line = await reader.readline()
        head = await reader.readuntil(b"\r\n\r\n")
        answer = ""
        if line.startswith(b"POST "):
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            assert length is not None
            body = await reader.readexactly(int(length[1]))
            self._is_open = False
            await self.replies.put((line.split()[1].decode(), body.decode()))
        else:
            self.polls.add(line)
            if self._answers and not self._is_open:
                answer = self._answers.popleft()
                self._is_open = bool(answer)
        size = len(answer.encode())
        writer.write(f"HTTP/1.0 200 OK\r\nContent-Length: {size}\r\n\r\n{answer}".encode())
        await writer.drain()
        writer.close()


async def test_transcript_of_a_manager_that_is_polled() -> None:
    document = tomllib.loads(POLLED.read_text(encoding="utf-8"))
    manager = RawManager([found["answer"] for found in document["exchange"]])
    server = await asyncio.start_server(manager.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    address = f"http://127.0.0.1:{port}/messages"
    config = Config(strategy="legal", poll=address, poll_as="ann", poll_interval=0.05)
    async with server, Player(config) as player, Poller(player):
        for found in document["exchange"]:
            async with asyncio.timeout(LIMIT):
                assert await manager.replies.get() == (found["target"], found["reply"])
    assert manager.polls == {b"GET /messages?recipient=ann HTTP/1.1\r\n"}
