"""Servers in the event loop of a test, at any free port of this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from ggp_player.server.http import new_runner, new_site
from ggp_player.server.player import Player
from tests.support.stub_players import read_request


@asynccontextmanager
async def served(player: Player) -> AsyncIterator[int]:
    """Serve a player at the port that is the value."""
    runner = new_runner(player)
    await runner.setup()
    site = new_site(runner, player, port=0)
    await site.start()
    try:
        yield site.port
    finally:
        await runner.cleanup()


async def pushed(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """The messages of an event stream, as a page gets them."""
    async for line in response.content:
        if line.startswith(b"data: "):
            yield json.loads(line.removeprefix(b"data: "))


@asynccontextmanager
async def announced() -> AsyncIterator[tuple[int, asyncio.Queue[int]]]:
    """Listen for processes that announce themselves; a port and their ids are the value."""
    pids: asyncio.Queue[int] = asyncio.Queue()

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pids.put_nowait(int(await reader.readline()))
        writer.close()

    async with await asyncio.start_server(hear, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], pids


@asynccontextmanager
async def recorded(reply: Callable[[str], Awaitable[str]]) -> AsyncIterator[tuple[str, list[str]]]:
    """Reply to messages by a function: the address, and the messages that came."""
    received: list[str] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, message = await read_request(reader)
        received.append(message.decode())
        body = (await reply(received[-1])).encode()
        writer.write(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as listening:
        yield f"127.0.0.1:{listening.sockets[0].getsockname()[1]}", received
