"""A game manager that players poll, on loopback: dialect F, with a queue of messages for each."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web


class News:
    """Lets a test wait for a condition that changes when something is noticed."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notice(self) -> None:
        """Have the condition looked at again."""
        self._event.set()

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until the condition holds."""
        while not condition():
            self._event.clear()
            await self._event.wait()


class PolledManager:
    """Keeps messages until they are asked for, and the replies that come."""

    def __init__(self, name: str = "manager") -> None:
        self.name = name
        self.messages: defaultdict[str, deque[str]] = defaultdict(deque)
        self.replies: asyncio.Queue[tuple[str, str, str]] = asyncio.Queue()
        """Who has replied to which message, and what."""
        self.news = News()
        self.polls = 0
        self.refusals = 0
        """How many requests to come are refused."""
        self.port = 0
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/messages"

    def put(self, player: str, number: int, message: str) -> None:
        """Have a message wait for a player."""
        self.messages[player].append(f"message({number},{self.name},{message})")

    async def ask(self, player: str, number: int, message: str) -> str:
        """Put a message, and return the reply to it."""
        self.put(player, number, message)
        sender, answered, reply = await self.replies.get()
        assert (sender, answered) == (player, str(number))
        return reply

    async def start(self) -> None:
        """Listen, at the same port as before if there was one."""
        app = web.Application()
        app.router.add_get("/messages", self._get)
        app.router.add_post("/messages", self._post)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        assert site._server is not None
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Go away."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _get(self, request: web.Request) -> web.Response:
        self.polls += 1
        self.news.notice()
        self._refuse()
        waiting = self.messages[request.query["recipient"]]
        return web.Response(text=waiting.popleft() if waiting else "")

    async def _post(self, request: web.Request) -> web.Response:
        self._refuse()
        assert request.query["recipient"] == self.name
        reply = request.query["sender"], request.query["msgid"], await request.text()
        await self.replies.put(reply)
        return web.Response()

    def _refuse(self) -> None:
        if self.refusals:
            self.refusals -= 1
            raise web.HTTPServiceUnavailable


@asynccontextmanager
async def polled_manager() -> AsyncIterator[PolledManager]:
    """Run a manager that players poll."""
    manager = PolledManager()
    await manager.start()
    try:
        yield manager
    finally:
        await manager.stop()
