"""What the page of a replay asks for besides its steps: positions, and analyses of them.

==============================================  ================================================
``GET /archive/NUMBER/position?step=&line=``    a position: drawing, legal moves, goals
``POST /archive/NUMBER/analyses``               begin to analyse one: ``{"step", "line",
                                                "strategy"}``; the reply has the ``key``
``POST /archive/NUMBER/analyses/KEY``           go on with another: ``{"step", "line"}``
``POST /archive/NUMBER/analyses/KEY/end``       end
``GET /archive/NUMBER/analyses/KEY/events``     what it finds, as server-sent events
==============================================  ================================================

What cannot be done is answered with a sentence. Only a page of this server may analyse
(:class:`WriteGuard`); looking at a position changes nothing.
"""

from __future__ import annotations

import asyncio
import re
from functools import wraps
from pathlib import Path
from typing import Annotated

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import to_json

from gdl.analysis.move_names import MoveNames
from ggp_player.archive import open_archive
from ggp_player.archive.archived_match import ArchivedMatch
from ggp_player.errors import AnalysisError, ArchiveError, PositionError
from ggp_player.front.connections import Streams
from ggp_player.pages.analyses import STRATEGIES, Analyses, AnalysisSubject
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import Drawing, DrawPosition
from ggp_player.pages.event_stream import counted, event_stream
from ggp_player.pages.positions import MAX_VARIATION_TEXT, ShownPosition
from ggp_player.pages.security import UNSTORED_HEADERS, WriteGuard
from ggp_player.pages.site import PageSite

CHANGING_PATHS = re.compile(r"/archive/[^/]+/analyses(?:/[0-9a-f]+(?:/end)?)?")
"""The paths to which pages of this server send a POST."""

MAX_STEP = 10**6

MAX_REQUEST = 2**14
"""Bytes of the longest request."""


class AskedPosition(BaseModel):
    """What a page sends, or has in an address: a position, and what searches it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    step: Annotated[int, Field(ge=0, le=MAX_STEP)] = 0
    line: Annotated[str, Field(max_length=MAX_VARIATION_TEXT)] = ""
    strategy: Annotated[str, Field(max_length=100)] = STRATEGIES[0]


class PositionPages:
    """Answers requests for positions and analyses of the matches of one archive."""

    def __init__(
        self, site: PageSite, path: Path, drawer: Drawer, analyses: Analyses, streams: Streams
    ) -> None:
        self.guard = WriteGuard()
        self._site = site
        self._path = path
        self._drawer = drawer
        self._analyses = analyses
        self._streams = streams

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Have an application answer these requests."""
        match = "/archive/{match}"
        one = f"{match}/analyses/{{key}}"
        router.add_get(f"{match}/position", with_sentences(self._position), allow_head=False)
        router.add_get(f"{one}/events", with_sentences(self._events), allow_head=False)
        router.add_post(f"{match}/analyses", with_sentences(self._begin))
        router.add_post(one, with_sentences(self._go_on))
        router.add_post(f"{one}/end", with_sentences(self._end))

    async def _position(self, request: web.Request) -> web.Response:
        try:
            asked = AskedPosition.model_validate(dict(request.query))
        except ValidationError as error:
            raise web.HTTPBadRequest(reason="the link has no position that can be read") from error
        found = await self._found(request)
        position, drawing = await self._drawn(request, found, asked)
        names = await self._drawer.names(found.rules, asker=request.remote or "")
        body = await asyncio.to_thread(_as_json, position, drawing, names)
        return self._site.json(body)

    async def _begin(self, request: web.Request) -> web.Response:
        asked = await self._asked(request)
        found = await self._found(request)
        position = await self._analysed(request, found, asked)
        subject = AnalysisSubject(found.summary.match_id, found.rules, asked.strategy)
        analysis = self._analyses.begin(subject, position)
        return self._site.json(to_json({"key": analysis.key}))

    async def _go_on(self, request: web.Request) -> web.Response:
        asked = await self._asked(request)
        self._analyses.find(request.match_info["key"])
        position = await self._analysed(request, await self._found(request), asked)
        self._analyses.find(request.match_info["key"]).go_to(position)
        return self._site.json(b"{}")

    async def _end(self, request: web.Request) -> web.Response:
        await self._asked(request)
        self._analyses.find(request.match_info["key"]).end()
        return self._site.json(b"{}")

    async def _events(self, request: web.Request) -> web.StreamResponse:
        analysis, version = self._analyses.find(request.match_info["key"]), 0
        is_told = False

        def next_message() -> bytes | None:
            nonlocal version, is_told
            if is_told:
                return None
            is_told = analysis.is_over
            version, message = analysis.message(version)
            return message or (None if is_told else b"")

        with counted(self._streams, request), analysis.looked_at():
            async with event_stream(request) as stream:
                await stream.follow(analysis.news, next_message)
        return stream.response

    # ---------------------------------------------------------------------- reading

    async def _asked(self, request: web.Request) -> AskedPosition:
        """What a page sends; checks that it may."""
        self.guard.check(request)
        if request.content_length is None or request.content_length > MAX_REQUEST:
            raise web.HTTPRequestEntityTooLarge(MAX_REQUEST, request.content_length or 0)
        try:
            return AskedPosition.model_validate_json(await request.read())
        except ValidationError as error:
            raise web.HTTPBadRequest(reason="that is no position to analyse") from error

    async def _found(self, request: web.Request) -> ArchivedMatch:
        reference = request.match_info["match"]
        return await asyncio.to_thread(lambda: open_archive(self._path).match(reference))

    async def _analysed(
        self, request: web.Request, found: ArchivedMatch, asked: AskedPosition
    ) -> ShownPosition:
        """A position to analyse: none in which a running match waits for its moves."""
        if found.summary.status == "running" and asked.step >= len(found.moves):
            raise AnalysisError("this position is played now; it can be analysed after the move")
        position, _ = await self._drawn(request, found, asked)
        return position

    async def _drawn(
        self, request: web.Request, found: ArchivedMatch, asked: AskedPosition
    ) -> tuple[ShownPosition, Drawing]:
        match, length = request.match_info["match"], len(found.steps)
        wanted = DrawPosition(str(self._path), match, asked.step, asked.line, length)
        return await self._drawer.position(wanted, request.remote or "")


def _as_json(position: ShownPosition, drawing: Drawing, names: MoveNames) -> bytes:
    made = (move for joint_move in position.variation for move in joint_move)
    known = {
        "step": position.step,
        "line": position.line,
        "roles": position.roles,
        "variation": position.variation,
        "legal": position.legal,
        "goals": position.goals,
        "svg": drawing.svg,
        "facts": drawing.facts,
        "cells": drawing.cells,
        "ending": str(drawing.ending),
        "names": names.told(made, position.legal.values()),
    }
    return to_json(known)


def with_sentences(handler: Handler) -> Handler:
    """Answer what cannot be done with a sentence for the page."""

    @wraps(handler)
    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPException as error:
            return _sentence(error.status, error.reason)
        except PositionError as error:
            return _sentence(400, str(error))
        except ArchiveError as error:
            return _sentence(404, str(error))
        except AnalysisError as error:
            return _sentence(409, str(error))

    return answer


def _sentence(status: int, sentence: str) -> web.Response:
    return web.Response(
        status=status, text=" ".join(sentence.split())[:500], headers=UNSTORED_HEADERS
    )
