"""The pages of the archive: matches with filters, and a match step by step.

The database is read in a thread, and states are computed and drawn in the drawing process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic_core import to_json

from ggp_player.archive import open_archive
from ggp_player.archive.archived_match import (
    STATUSES,
    ArchivedChoice,
    ArchivedMatch,
    MatchFilter,
    MatchPage,
)
from ggp_player.errors import ArchiveError
from ggp_player.events import MoveThought
from ggp_player.pages.analyses import STRATEGIES
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import Drawing, DrawSteps
from ggp_player.pages.site import PageSite
from ggp_player.pages.step_pages import StepPages
from ggp_player.pages.told_moves import moves_of_match

PAGE_LENGTH = 50
"""Matches on a page of the list."""

MAX_BOARDS = 16
"""Drawings that are sent at a time."""

MAX_DATA = 8 * 2**20
"""Bytes of what a page gets of a match, before it is drawn."""

MAX_REST = 1.0
"""The longest rest in seconds after a match was read."""

MAX_READERS = 8
"""Requests for matches, of which one is read at a time."""

MAX_OFFSET = 10**9

OUTCOMES = ("win", "draw", "loss")

FILTERS = ("game", "player", "role", "outcome", "status")
"""What the list can be filtered by, in its address."""

_Found = TypeVar("_Found")


class ArchivePages:
    """Answers requests for the pages of one archive; ``handlers`` are by their path.

    With ``token`` the page of a match may ask for analyses.
    """

    def __init__(
        self,
        site: PageSite,
        path: Path,
        drawer: Drawer,
        base_of: Callable[[web.Request], str],
        token: str = "",
    ) -> None:
        self._token = token
        self._site = site
        self._path = path
        self._drawer = drawer
        self._base_of = base_of
        self._reading = asyncio.Lock()
        self._readers = 0
        self.handlers: dict[str, Handler] = {
            "/archive": self._list,
            "/archive/{match}": self._replay,
            "/archive/{match}/data": self._data,
            "/archive/{match}/names": self._names,
            "/archive/{match}/boards": self._boards,
            **StepPages(site, path, drawer, base_of, self._found).handlers,
        }

    async def _list(self, request: web.Request) -> web.Response:
        texts = {name: request.query.get(name, "").strip()[:200] for name in FILTERS}
        offset = _number(request, "offset", 0, MAX_OFFSET)
        chosen = MatchFilter(
            game=texts["game"],
            role=texts["role"],
            player=texts["player"],
            outcome=texts["outcome"],
            status=texts["status"],
        )
        page = MatchPage((), 0)
        if await asyncio.to_thread(self._path.is_file):
            page = await self._read(
                lambda: open_archive(self._path).list(chosen, PAGE_LENGTH, offset)
            )
        earlier = offset + PAGE_LENGTH
        return self._site.page(
            "archive.html",
            self._base_of(request),
            here="/archive",
            page=page,
            query=texts,
            outcomes=OUTCOMES,
            statuses=STATUSES,
            newer=_page_from(max(0, offset - PAGE_LENGTH), texts) if offset else "",
            older=_page_from(earlier, texts) if earlier < page.total else "",
        )

    async def _replay(self, request: web.Request) -> web.Response:
        found = await self._found(request)
        base = self._base_of(request)
        return self._site.page(
            "replay.html",
            base,
            here="",
            match=found.summary,
            token=self._token,
            strategies=STRATEGIES if self._token else (),
        )

    async def _data(self, request: web.Request) -> web.Response:
        return await self._read_by_turns(request, _as_json)

    async def _names(self, request: web.Request) -> web.Response:
        """What the moves of a match are called, by their texts."""
        rules = (await self._found(request)).rules
        if not rules:
            return self._site.json(b"{}")
        names = await self._drawer.names(rules, asker=request.remote or "")
        return await self._read_by_turns(
            request, lambda match: to_json(names.told(moves_of_match(match)))
        )

    async def _read_by_turns(
        self, request: web.Request, encode: Callable[[ArchivedMatch], bytes]
    ) -> web.Response:
        if self._readers >= MAX_READERS:
            raise web.HTTPServiceUnavailable(reason="too many matches are read now; try again")
        self._readers += 1
        try:
            async with self._reading:
                body = await self._in_half_of_the_time(request, encode)
        finally:
            self._readers -= 1
        if len(body) > MAX_DATA:
            reason = f"the match has more than {MAX_DATA} bytes; see ggp-player matches show"
            raise web.HTTPRequestEntityTooLarge(MAX_DATA, len(body), reason=reason)
        return self._site.json(body)

    async def _in_half_of_the_time(
        self, request: web.Request, encode: Callable[[ArchivedMatch], bytes]
    ) -> bytes:
        """Read a match, then rest as long: threads that compute delay the replies of matches."""
        now = asyncio.get_running_loop().time
        began = now()
        body = await asyncio.to_thread(encode, await self._found(request))
        await asyncio.sleep(min(now() - began, MAX_REST))
        return body

    async def _boards(self, request: web.Request) -> web.Response:
        found = DrawSteps(
            str(self._path),
            request.match_info["match"],
            _number(request, "first", 0, MAX_OFFSET),
            _number(request, "count", 1, MAX_BOARDS),
            _number(request, "length", 0, MAX_OFFSET),
        )
        drawings = await self._drawer.draw(found, request.remote or "")
        return self._site.json(await asyncio.to_thread(_boards_as_json, drawings))

    async def _found(self, request: web.Request) -> ArchivedMatch:
        reference = request.match_info["match"]
        return await self._read(lambda: open_archive(self._path).match(reference), 404)

    async def _read(self, read: Callable[[], _Found], status: int = 503) -> _Found:
        """Read in a thread; what cannot be read is an error of HTTP."""
        try:
            return await asyncio.to_thread(read)
        except ArchiveError as error:
            kind = web.HTTPNotFound if status == 404 else web.HTTPServiceUnavailable
            raise kind(reason=" ".join(str(error).split())[:300]) from error


def _page_from(offset: int, texts: Mapping[str, str]) -> str:
    """What follows the path of the list, for a page of it."""
    given = {name: text for name, text in texts.items() if text}
    return "?" + urlencode({**given, "offset": offset} if offset else given)


def _as_json(match: ArchivedMatch) -> bytes:
    """The match for the page, without its rules."""
    known = {
        "summary": match.summary,
        "about_game": match.details.get("about_game", ""),
        "steps": match.steps,
        "choices": [replace(choice, thoughts=_with_rows(choice)) for choice in match.choices],
        "problems": match.problems,
    }
    return to_json(known)


def _with_rows(choice: ArchivedChoice) -> Mapping[str, object] | None:
    """What the search thought; matches of earlier versions have no texts of their moves."""
    thoughts = choice.thoughts
    moves = thoughts.get("moves") if thoughts else None
    if thoughts is None or not isinstance(moves, list) or all("cells" in move for move in moves):
        return thoughts
    return {**thoughts, "moves": [MoveThought(**move) for move in moves]}


def _boards_as_json(drawings: Iterable[Drawing]) -> bytes:
    boards = [
        {"svg": one.svg, "facts": one.facts, "line": one.line, "ending": str(one.ending)}
        for one in drawings
    ]
    return to_json(boards)


def _number(request: web.Request, name: str, default: int, most: int) -> int:
    """A whole number of a query, within bounds."""
    text = request.query.get(name, "")
    return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 12 else default
