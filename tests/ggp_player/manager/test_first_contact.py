"""Player servers are asked whether they are there before a match begins."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ggp_player.errors import ServerError
from ggp_player.manager import Seat, check_reachable, seat_of
from tests.support.command_line import CLOSED

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
