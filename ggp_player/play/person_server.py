"""A person as a player server: a manager's requests and the person's page come to one socket.

=====================  =========================================================================
``POST /``             a request of the manager, in dialect A; the reply comes when the person
                       has chosen
``POST /rulesheet``    the rulesheet of the next match, with its comments
``GET`` of ``BASE/``   the page: the match under way, the one that has ended, or that none has begun
=====================  =========================================================================

and so on, as :mod:`.page` says. It is a process of its own, within bounds of memory, as the rules
of matches come from strangers, and a socket in a private folder, so that the one who started it
decides who gets here (:class:`ggp_player.manager_service.scheduling.people.People` does).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from aiohttp import web

import gdl
from gdl import GdlError
from gdl.system.helper_process import begin_helper
from ggp_player.errors import GgpPlayerError
from ggp_player.languages import Sentence
from ggp_player.pages.site import PageSite, language_of
from ggp_player.play.human import Asker, HumanPlayer
from ggp_player.play.match_pages import MatchPages
from ggp_player.play.page import SHUTDOWN_SECONDS, in_sentences
from ggp_player.play.table import Table

MAX_MEMORY = 2 * 2**30
"""Bytes of address space of the process."""

MAX_MESSAGE = 16 * 2**20
"""Bytes of the longest request of the manager: a START with its rules."""

READY_LINE = b"ready\n"
"""What the process writes when its socket is there."""


class PersonServer(Asker):
    """Serves the matches of one person, one after the other, at addresses below ``base``."""

    def __init__(self, name: str, base: str = "") -> None:
        self._name = name
        self._base = base
        self._player = HumanPlayer(self, name)
        self._site = PageSite("ggp-player")
        self._pages = MatchPages(
            base, {("GET", "/"): self._waiting_page, ("GET", "/events"): self._until_it_begins}
        )

    def application(self) -> web.Application:
        """Return the aiohttp application of the manager's requests and of the page."""
        app = web.Application(middlewares=[in_sentences], client_max_size=MAX_MESSAGE)
        app.router.add_post("/", self._request)
        app.router.add_post("/rulesheet", self._take_rulesheet)
        below = web.Application()
        self._site.add_static_route(below.router)
        below.router.add_route("*", "/{path:.*}", self._below)
        app.add_subapp(self._base or "/page", below)
        return app

    async def close(self) -> None:
        """End the page of the match."""
        await self._pages.close()

    # ---------------------------------------------------------------------- the manager

    async def _request(self, request: web.Request) -> web.Response:
        text = (await request.read()).decode("utf-8", "replace")
        try:
            reply = await self._player.send(text)
        except (GgpPlayerError, GdlError) as error:
            reply = f"error: {error}"
        return web.Response(text=reply, content_type="text/acl")

    async def _take_rulesheet(self, request: web.Request) -> web.Response:
        text = (await request.read()).decode("utf-8", "replace")
        with suppress(GdlError):  # what is wrong with it, START says
            self._player.rulesheet = await asyncio.to_thread(gdl.parse, text)
        return web.Response(status=204)

    async def begin(self, table: Table) -> None:
        """Show a match in place of the one before."""
        before = self._pages.table
        if before is not None and (result := before.result()):
            table.shown.notice = Sentence("The match before: {result}", result=result)
        await self._pages.show(table, f"{self._name}'s match")

    # ---------------------------------------------------------------------- the person

    async def _below(self, request: web.Request) -> web.StreamResponse:
        return await self._pages.answer(request, f"/{request.match_info['path']}")

    async def _waiting_page(self, request: web.Request) -> web.Response:
        number = self._pages.number
        return self._site.page(
            "seat.html", self._base, language=language_of(request), name=self._name, number=number
        )

    async def _until_it_begins(self, request: web.Request) -> web.StreamResponse:
        return await self._pages.until_it_begins(request)


async def serve_person(server: PersonServer, socket: Path, on_ready: Callable[[], None]) -> None:
    """Serve at a socket until the task is cancelled."""
    runner = web.AppRunner(
        server.application(),
        access_log=None,
        shutdown_timeout=SHUTDOWN_SECONDS,
        handler_cancellation=True,  # the manager has given up on a move
    )
    await runner.setup()
    try:
        await web.UnixSite(runner, socket).start()
        on_ready()
        await asyncio.Event().wait()
    finally:
        await server.close()
        await runner.cleanup()


def main() -> None:
    """Serve a person: the arguments are the socket, the name and the base."""
    socket, name, base = begin_helper(MAX_MEMORY)

    def say_ready() -> None:
        with suppress(OSError):
            os.write(1, READY_LINE)

    asyncio.run(serve_person(PersonServer(name, base), Path(socket), say_ready))
