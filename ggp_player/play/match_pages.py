"""The pages of matches that follow each other: at the same addresses, the newest one is served."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from aiohttp import web
from aiohttp.typedefs import Handler

from ggp_player.languages import Sentence
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.event_stream import event_stream
from ggp_player.play.page import PlayPage
from ggp_player.play.table import Table


class MatchPages:
    """Serves the newest match at addresses below ``base``; ``waiting`` answers before the first.

    ``gallery`` is the address of the page on which another match can be begun, if there is one.
    All matches are drawn by one process, as to start one takes longer than to draw many boards.
    """

    def __init__(
        self, base: str, waiting: Mapping[tuple[str, str], Handler], gallery: str = ""
    ) -> None:
        self.number = 0
        self._base = base
        self._waiting = waiting
        self._gallery = gallery
        self._drawer = Drawer(for_person=True)
        self._page: PlayPage | None = None
        self._has_begun = asyncio.Event()

    @property
    def table(self) -> Table | None:
        """The newest match."""
        return None if self._page is None else self._page.table

    async def warm_up(self) -> None:
        """Start the process that draws, so that the first match need not wait for it."""
        await self._drawer.warm_up()

    async def show(self, table: Table, title: str) -> None:
        """Show a match in place of the one before, whose open pages load this one."""
        before = self._page
        self.number += 1
        self._page = PlayPage(table, self._drawer, title, self._base, self.number, self._gallery)
        await self._page.start()
        self._has_begun.set()
        if before is not None:
            before.table.end_viewing()
            await before.close()

    async def close(self) -> None:
        """End the page of the newest match, once the open pages show its last state."""
        if self._page is not None:
            await self._page.close()
        await self._drawer.close()

    async def answer(self, request: web.Request, path: str) -> web.StreamResponse:
        """Answer a request of a path below the base. Raises HTTPNotFound for others."""
        number = str(self.number)
        if path == "/events" and request.query.get("page", number) != number:
            return await self._ended(request)
        handlers = self._waiting if self._page is None else self._page.handlers()
        handler = handlers.get((request.method, path))
        if handler is None:
            raise web.HTTPNotFound(reason=Sentence("there is no such page here"))
        return await handler(request)

    async def until_it_begins(self, request: web.Request) -> web.StreamResponse:
        """Tell a page that waits when the first match has begun, by the end of the stream."""
        await self.warm_up()
        async with event_stream(request) as stream:
            is_told = self._has_begun.is_set
            await stream.follow(self._has_begun.wait, lambda: None if is_told() else b"")
        return stream.response

    async def _ended(self, request: web.Request) -> web.StreamResponse:
        """Tell a page at once that another one has taken its place before its events were asked."""
        async with event_stream(request) as stream:
            await stream.follow(self._has_begun.wait, lambda: None)
        return stream.response
