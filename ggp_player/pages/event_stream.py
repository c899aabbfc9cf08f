"""Server-sent events: pushes news to a page for as long as it is open.

The page's :class:`EventSource` connects again by itself after a failure, and then gets all there is
to know once more. So nothing is kept here of what was sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, suppress

from aiohttp import web

from ggp_player.front.connections import Streams
from ggp_player.front.front import front_of
from ggp_player.pages.security import UNSTORED_HEADERS

PAUSE_SECONDS = 0.25
"""The time between messages to a page for as long as there is always another one."""

BURST = 24
"""How many messages come at once before that: a move and its answer take up to six."""

KEEP_ALIVE_SECONDS = 3.0
"""The longest silence: a viewer that has left is noticed when something is sent to it, twice."""

WRITE_SECONDS = 10.0
"""How long a page may take to receive a message, before its stream ends."""

_HEADERS = {**UNSTORED_HEADERS, "Content-Type": "text/event-stream"}


def counted(streams: Streams, request: web.Request) -> AbstractContextManager[None]:
    """Count a stream while the result is entered. Raises HTTP 503 where there are too many."""
    if not streams.has_room(request.remote):
        raise web.HTTPServiceUnavailable(reason="too many pages are open; see --max-viewers")
    return streams.counted(request.remote)


@asynccontextmanager
async def event_stream(request: web.Request) -> AsyncIterator[EventStream]:
    """Open a stream to a page; leaving the block ends it, and so does a page that has gone."""
    stream = EventStream(web.StreamResponse(headers=_HEADERS))
    if (front := front_of(request)) is not None:
        front.begin_stream()
    with suppress(ConnectionError):
        await stream.response.prepare(request)
    with suppress(ConnectionError, TimeoutError):
        yield stream
        with suppress(RuntimeError):
            await stream.response.write_eof()


class EventStream:
    """Sends JSON to a page, as long as it listens; a handler returns its ``response``."""

    def __init__(self, response: web.StreamResponse) -> None:
        self.response = response

    async def send(self, body: bytes, event: str = "message") -> None:
        """Send one JSON text without line ends. Raises ConnectionError where the page has gone."""
        await self._write(b"event: " + event.encode() + b"\ndata: " + body + b"\n\n")

    async def keep_alive(self) -> None:
        """Send what the page ignores."""
        await self._write(b":\n\n")

    async def follow(
        self, news: Callable[[], Awaitable[object]], next_message: Callable[[], bytes | None]
    ) -> None:
        """Send a message whenever there is one, at once, but no more than a page can show.

        These are :data:`BURST` at once, and then one every :data:`PAUSE_SECONDS`; the time in
        which none comes counts for those that come at once later.

        ``next_message`` returns one, an empty text where there is none before the next ``news()``,
        and None where there will be none, upon which the page does not connect again.
        """
        now = asyncio.get_running_loop().time
        sent = paid = now()
        while (body := next_message()) is not None:
            if body:
                await self.send(body)
                paid = max(paid, now()) + PAUSE_SECONDS  # when all messages have had their time
                await asyncio.sleep(max(0.0, paid - BURST * PAUSE_SECONDS - now()))
            elif not await _comes_until(news, sent + KEEP_ALIVE_SECONDS):
                await self.keep_alive()
            else:
                continue
            sent = now()
        await self.send(b"{}", "end")

    async def _write(self, data: bytes) -> None:
        async with asyncio.timeout(WRITE_SECONDS):
            await self.response.write(data)


async def _comes_until(news: Callable[[], Awaitable[object]], end: float) -> bool:
    """Wait for news until an instant of the event loop's clock; return whether some came."""
    with suppress(TimeoutError):
        async with asyncio.timeout_at(end):
            await news()
            return True
    return False
