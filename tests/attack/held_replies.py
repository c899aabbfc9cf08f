"""Strangers who ask for replies and do not receive them, from the game manager's own address."""

from __future__ import annotations

import asyncio
import re
import socket
from pathlib import Path

from ggp_player.archive.writer import ArchiveWriter
from ggp_player.events import EventBus, MatchPublisher
from tests.attack.attacks import Stranger, attack
from tests.support.events import started
from tests.support.paths import ROOT

UNREAD = 64
"""Replies that are held: as many as the connections that an address may have."""

LONG_MOVE = f"({'move ' * 12_000})"
"""A move as long as a message may have it; a match of so many steps is what a page is sent."""

LONG_STEPS = 130

ARCHIVED = 2
"""The number of the match in the archive that can be analysed; the one before it is long."""

_ESTABLISHED = 1


def write_archive(path: Path) -> None:
    """Write an archive with a match of long moves, and one of tic-tac-toe without a move."""
    bus = EventBus()
    with ArchiveWriter(path, bus):
        long = MatchPublisher(bus)
        long.started(started("long"))
        for turn in range(LONG_STEPS):
            long.turn_asked(turn, (LONG_MOVE, "noop") if turn else (), 5.0, 4.5)
        long.ended("aborted")
        rules = (ROOT / "games" / "ticTacToe.kif").read_text()
        small = MatchPublisher(bus)
        small.started(started("small", "xplayer", rules))
        small.ended("aborted")


async def _hold(stranger: Stranger, head: bytes) -> None:
    """Ask for a reply, and keep the connection until the server closes it."""
    loop = asyncio.get_running_loop()
    with socket.socket() as connection:
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        try:
            await loop.sock_connect(connection, ("127.0.0.1", stranger.port))
            await loop.sock_sendall(connection, head)
            while _is_open(connection):  # noqa: ASYNC110 the system does not tell when
                await asyncio.sleep(0.2)
        except OSError:
            await asyncio.sleep(0.2)


def _is_open(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == _ESTABLISHED


@attack("unread replies", has_archive=True)
async def _unread(stranger: Stranger) -> None:
    head = f"GET /archive/{ARCHIVED - 1}/data HTTP/1.0\r\n\r\n".encode()

    async def hold_again() -> None:
        while True:
            await _hold(stranger, head)

    await asyncio.gather(*(hold_again() for _ in range(stranger.times(UNREAD))))


@attack("streams of one analysis", has_archive=True)
async def _streams(stranger: Stranger) -> None:
    host = f"Host: 127.0.0.1:{stranger.port}\r\n"
    page = await _answer(stranger, f"GET /archive/{ARCHIVED} HTTP/1.0\r\n{host}\r\n")
    token = re.search(rb'data-token="([^"]+)"', page)
    body = '{"step": 0, "line": "", "strategy": "uct"}'
    head = (
        f"POST /archive/{ARCHIVED}/analyses HTTP/1.0\r\n{host}"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"X-Page-Token: {token[1].decode() if token else ''}\r\n\r\n"
    )
    key = re.search(rb'"key":"([0-9a-f]+)"', await _answer(stranger, head + body))
    if key is None:
        await asyncio.sleep(0.2)
        return
    path = f"/archive/{ARCHIVED}/analyses/{key[1].decode()}/events"
    follow = f"GET {path} HTTP/1.0\r\n{host}\r\n".encode()
    await asyncio.gather(*(_hold(stranger, follow) for _ in range(stranger.times(UNREAD))))


async def _answer(stranger: Stranger, text: str) -> bytes:
    """Send a request, and return the whole answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", stranger.port)
    writer.write(text.encode())
    answer = await reader.read()
    writer.close()
    return answer
