"""A table on a page: people click moves, and whatever changes is pushed to the page.

=================  =============================================================================
``GET /``          the page
``GET /rules``     the rules in GDL, as text
``GET /events``    what changes, as server-sent events
``GET /record``    the match record so far, as a file
``POST /move``     a move: ``{"role", "move", "step", "match"}``
``POST /NAME``     ``back``, ``flip``, ``new``, ``resign``, ``hint``: ``{"step", "match"}``
``POST /think``    ``{"on"}``: show what a search thinks, or no longer
=================  =============================================================================

A request that comes too late, is not allowed or cannot be done is answered with a sentence. Only
pages of this server may change something (:class:`ggp_player.pages.WriteGuard`), and only this
machine is answered, by a name of its own.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Annotated, TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from pydantic_core import to_json

from gdl.analysis.move_names import MoveNames
from gdl.language import format_text, opening_comment
from ggp_player.errors import PlayError, ServerError
from ggp_player.languages import Language, Sentence, sentence_of
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.event_stream import event_stream
from ggp_player.pages.security import UNSTORED_HEADERS, WriteGuard
from ggp_player.pages.site import NO_PAGE, PageSite, asks_for_page, language_of
from ggp_player.pages.told_moves import moves_of_view
from ggp_player.play.levels import remembered_level
from ggp_player.play.session import PlaySession
from ggp_player.play.table import Table, told_of_ending
from ggp_player.play.table_boards import TableBoard, TableBoards
from ggp_player.play.table_view import names_told, view_of

LOOPBACK = "127.0.0.1"

NAMES = (LOOPBACK, "localhost")
"""By what names the page is asked for: another one is of a site that points here."""

MAX_REQUEST = 2**14
"""Bytes of the longest request."""

MAX_VIEWERS = 20
"""Pages that are kept up to date at a time."""

UNSEEN_SECONDS = 15.0
"""How long searches think on in people's time while no page is seen.

A page that is loaded again, and most that are left for another tab, are back before that; and what
a search is told after it goes on from what it had found.
"""

SHUTDOWN_SECONDS = 1.0

LAST_SECONDS = 3.0
"""How long a table that ends waits until the open pages show its last state."""

_log = logging.getLogger(__name__)

_Text: TypeAlias = Annotated[str, StringConstraints(max_length=4000)]


class _Request(BaseModel):
    """What a page sends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    step: int = -1
    match: int = -1
    role: _Text = ""
    move: _Text = ""
    on: bool = False


class PlayPage:
    """Serves a table, while it is served: see :func:`serve_table`.

    ``base`` stands before the paths of the page's addresses. A page with a ``number`` is loaded
    again when its events end: another one, with another number, has taken its place. ``gallery`` is
    the address of the page from which the match was begun, if it was. The ``drawer`` is its
    owner's, who closes it. The ``pause`` is for :data:`UNSEEN_SECONDS`.
    """

    def __init__(
        self,
        table: Table,
        drawer: Drawer,
        title: str = "",
        base: str = "",
        number: int = 0,
        gallery: str = "",
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.table = table
        self.guard = WriteGuard()
        self._pause = pause
        self._title = title or Sentence("A game")
        self._base = base
        self._number = number
        self._gallery = gallery
        self._site = PageSite("ggp-player")
        self._boards = TableBoards(table, drawer)
        self._viewers: list[_Seen] = []
        self._leaving: asyncio.Task[None] | None = None
        self._told = asyncio.Event()

    def application(self) -> web.Application:
        """Return the aiohttp application of the page."""
        app = web.Application(
            middlewares=[by_name_of_this_machine, in_sentences], client_max_size=MAX_REQUEST
        )
        for (method, path), handler in self.handlers().items():
            app.router.add_route(method, path, handler)
        self._site.add_static_route(app.router)
        return app

    def handlers(self) -> dict[tuple[str, str], Handler]:
        """Return the request handlers by method and path."""
        changes = ("move", "back", "flip", "new", "resign", "hint", "think")
        return {
            ("GET", "/"): self._page,
            ("GET", "/rules"): self._rules,
            ("GET", "/events"): self._events,
            ("GET", "/record"): self._record,
            **{("POST", f"/{name}"): self._change for name in changes},
        }

    async def start(self) -> None:
        """Begin to draw."""
        self._boards.start()
        self._note_viewers()

    async def close(self) -> None:
        """Draw no more, once the open pages show the last state."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_SECONDS):
                await self._all_told()
        self.table.end_viewing()
        if self._leaving is not None:
            self._leaving.cancel()
            await asyncio.gather(self._leaving, return_exceptions=True)
        await self._boards.close()

    async def _all_told(self) -> None:
        """Wait until the open pages were told all that there is."""
        while self._viewers and not self.table.is_closing:
            if self._boards.is_whole and all(map(self._is_up_to_date, self._viewers)):
                return
            self._told.clear()
            await self._told.wait()

    def _is_up_to_date(self, seen: _Seen) -> bool:
        return (seen.table, seen.board) == (self.table.version, self._boards.version)

    # ---------------------------------------------------------------------- requests

    async def _page(self, request: web.Request) -> web.Response:
        table = self.table
        if isinstance(table, PlaySession) and (level := remembered_level(request.cookies)):
            await table.meet(level)
        return self._site.page(
            "play.html",
            self._base,
            language=language_of(request),
            token=self.guard.token,
            number=self._number,
            gallery=self._gallery,
            game=self._title,
            persons=table.persons_in_words(),
            is_session=isinstance(table, PlaySession),
            rules=opening_comment(table.ruleset.source.text),
        )

    async def _rules(self, _request: web.Request) -> web.Response:
        text = self.table.ruleset.source.text
        if "\n" not in text.strip():  # as it comes from a game manager
            text = await asyncio.to_thread(format_text, str(self.table.ruleset))
        return web.Response(text=text, headers=UNSTORED_HEADERS)

    async def _record(self, _request: web.Request) -> web.Response:
        table = self.table
        if not isinstance(table, PlaySession):
            raise web.HTTPNotFound(reason=Sentence("the game manager has the record of this match"))
        if table.is_veiled:
            raise PlayError(
                Sentence("the record tells what is hidden from you; it is there at the end")
            )
        response = self._site.json(table.record().to_json().encode())
        name = "".join(c if c.isalnum() or c in ".-_" else "_" for c in table.match_id)
        response.headers["Content-Disposition"] = f'attachment; filename="{name}.json"'
        return response

    async def _change(self, request: web.Request) -> web.Response:
        self.guard.check(request)
        try:
            asked = _Request.model_validate_json(await request.read())
        except ValidationError as error:
            raise web.HTTPBadRequest(reason=Sentence("that is no request of a page")) from error
        name = request.path.rpartition("/")[2]
        if name == "move":
            self.table.choose(asked.role, asked.move, asked.step, asked.match)
        else:
            await self._act(name, asked)
        return self._site.json(b"{}")

    async def _act(self, name: str, asked: _Request) -> None:
        session = self.table
        if not isinstance(session, PlaySession):
            raise PlayError(Sentence("the game manager decides on that"))
        step, match = asked.step, asked.match
        actions: Mapping[str, Callable[[], Awaitable[object]]] = {
            "back": lambda: session.take_back(step, match),
            "flip": lambda: session.flip(step, match),
            "new": lambda: session.new_match(match),
            "resign": lambda: session.resign(step, match),
            "hint": lambda: session.hint(step, match),
            "think": lambda: session.think(asked.on),
        }
        await actions[name]()

    # ---------------------------------------------------------------------- pushing

    async def _events(self, request: web.Request) -> web.StreamResponse:
        if len(self._viewers) >= MAX_VIEWERS:
            raise web.HTTPServiceUnavailable(reason=Sentence("too many pages are open"))
        seen = _Seen(language_of(request))
        self._viewers.append(seen)
        self._note_viewers()
        try:
            async with event_stream(request) as stream:
                await stream.follow(self.table.news, lambda: self._next_message(seen))
        finally:
            self._viewers.remove(seen)
            self._note_viewers()
            self._told.set()
        return stream.response

    def _note_viewers(self) -> None:
        """Tell the table that somebody looks, or, a while later, that nobody does any more."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        if self._viewers:
            self.table.watch(True)
        elif not self.table.is_closing:
            self._leaving = asyncio.create_task(self._watch_no_longer())

    async def _watch_no_longer(self) -> None:
        await self._pause(UNSEEN_SECONDS)
        self.table.watch(False)

    def _next_message(self, seen: _Seen) -> bytes | None:
        """What has changed since a page was told last; empty where nothing has.

        All that is shown of a position comes at once, with its board, and so waits for that.
        """
        table = self.table
        if table.is_closing:
            return None
        self._told.set()  # what was returned before is sent
        message: dict[str, object] = {}
        if not self._is_up_to_date(seen) and (board := self._boards.newest()) is not None:
            names = self._names_in(seen.language)
            view = view_of(table, seen.language, names)
            position = {**view, "names": names_told(names, table)}
            if seen.board != self._boards.version:
                position["board"] = _board_message(board, seen.language)
            message["position"] = position
            seen.table, seen.board = table.version, self._boards.version
        if seen.thoughts != table.thoughts_version:
            seen.thoughts = table.thoughts_version
            message["thoughts"] = _thoughts_message(table, self._names_in(seen.language))
        if not message:
            return b""
        return to_json(message)

    def _names_in(self, language: Language) -> MoveNames:
        """What moves are called in a language: the words that are not of the rules are in it."""
        column, row = language.say(Sentence("column")), language.say(Sentence("row"))
        return replace(self._boards.names, column=column, row=row)


@dataclass(slots=True, eq=False)
class _Seen:
    """The versions of which a page was told, in its ``language``."""

    language: Language
    table: int = 0
    board: int = 0
    thoughts: int = 0


def _board_message(board: TableBoard, language: Language) -> dict[str, object]:
    key, drawing = board.key, board.drawing
    return {
        "svg": drawing.svg,
        "facts": drawing.facts,
        "cells": drawing.cells,
        "ending": language.say(told_of_ending(drawing.ending)),
        "advised": drawing.line[0] if key.advised and drawing.line else (),
    }


def _thoughts_message(table: Table, names: MoveNames) -> dict[str, object] | None:
    view = table.shown.thoughts
    if view is None:
        return None
    told = names.told(moves_of_view(view))
    return {"role": table.shown.thinker, "view": view, "names": told}


@web.middleware
async def by_name_of_this_machine(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer nobody who has asked for another name: that is of a site that points here."""
    if request.host.rpartition(":")[0] not in NAMES:
        return _sentence(403, "the name in Host is not one of this machine")
    return await handler(request)


@web.middleware
async def in_sentences(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer what cannot be done with a sentence."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        language = language_of(request)
        if error.status == 404 and asks_for_page(request):
            sentence = error.reason if isinstance(error.reason, Sentence) else NO_PAGE
            return PageSite("ggp-player").error(404, sentence, language=language)
        return _sentence(error.status, language.say(error.reason))
    except PlayError as error:
        return _sentence(409, language_of(request).say(sentence_of(error)))


def _sentence(status: int, sentence: str) -> web.Response:
    return web.Response(status=status, text=sentence, headers=UNSTORED_HEADERS)


@asynccontextmanager
async def listening(application: web.Application, port: int) -> AsyncIterator[str]:
    """Serve an application on the loopback address, at any free port; yield the address.

    Raises :class:`ServerError` where the port is taken.
    """
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, LOOPBACK, port).start()
        except OSError as error:
            taken = "another program listens there"
            reason = taken if error.errno == errno.EADDRINUSE else error.strerror or error
            raise ServerError(f"the page cannot be served at port {port}: {reason}") from error
        yield f"http://{LOOPBACK}:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def serve_table(table: Table, title: str = "", port: int = 0) -> AsyncIterator[str]:
    """Serve a table on the loopback address, as :func:`listening` does; yield the address."""
    drawer = Drawer(for_person=True)
    page = PlayPage(table, drawer, title)
    async with listening(page.application(), port) as address:
        try:
            await page.start()
            yield address
        finally:
            with suppress(asyncio.CancelledError):
                await page.close()
            await drawer.close()
