"""How soon and how often a page is told."""

from __future__ import annotations

import asyncio
import json
from unittest.mock import patch

import aiohttp
from aiohttp import web

from ggp_player.pages.event_stream import BURST, PAUSE_SECONDS, event_stream


async def followed(count: int) -> tuple[list[float], list[int]]:
    """The pauses between messages, and what a page receives of so many."""
    pauses: list[float] = []
    left = iter([*(json.dumps(n).encode() for n in range(count)), None])

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def handler(request: web.Request) -> web.StreamResponse:
        with patch("ggp_player.pages.event_stream.asyncio.sleep", pause):
            async with event_stream(request) as stream:
                await stream.follow(asyncio.Event().wait, lambda: next(left))
        return stream.response

    application = web.Application()
    application.router.add_get("/", handler)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/") as answer,
    ):
        lines = (await answer.text()).splitlines()
    await runner.cleanup()
    return pauses, [int(x[6:]) for x in lines if x.startswith("data: ") and x[6:].isdigit()]


async def test_a_move_and_its_answer_come_at_once_and_not_more_than_a_page_can_show() -> None:
    pauses, received = await followed(BURST + 2)
    assert received == list(range(BURST + 2))
    assert pauses[:BURST] == [0.0] * BURST
    assert all(0 < seconds <= 2 * PAUSE_SECONDS for seconds in pauses[BURST:])
