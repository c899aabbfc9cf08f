"""The pages on which people play: they are served by processes of their own, and passed on here.

A page shows what its person may see and nobody else, so looking at it needs the same token as
moving on it: that of the player, or of an organiser. A link of another site may open the page, and
that is all: whoever plays is here while the page follows its events, so these, and whatever else
has an effect, must be asked for by a page of this manager. The process also asks for the token of
the page itself where something is changed.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress

import aiohttp
from aiohttp import web
from yarl import URL

from ggp_player.errors import ServerError
from ggp_player.front.connections import Streams
from ggp_player.front.front import front_of
from ggp_player.manager_service.scheduling.clients import is_person
from ggp_player.manager_service.scheduling.people import Person, base_of
from ggp_player.manager_service.web.admission import ApiError
from ggp_player.manager_service.web.api import Api
from ggp_player.pages.security import PAGE_HEADERS, TOKEN_HEADER, is_own_page
from ggp_player.pages.site import LANGUAGE_COOKIE, language_of

MAX_PASSED_ON = 64
"""Requests of people that are passed on at a time; each open page is one."""

MAX_BODY = 2**14
"""Bytes of the longest request of a page."""

_PASSED_BACK = ("Content-Type", "Cache-Control", "Content-Disposition")
"""Headers of replies that are passed on, besides those that keep pages safe."""

_log = logging.getLogger(__name__)


class PeoplePages:
    """Passes the requests of people on to what serves their pages."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._people = api.scheduler.roster.clients.people
        self._passed_on = Streams(MAX_PASSED_ON, MAX_PASSED_ON)

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Have an application answer for the pages."""
        router.add_get("/people/{name}", self._to_page, allow_head=False)
        router.add_get("/people/{name}/{path:.*}", self._look, allow_head=False)
        router.add_post("/people/{name}/{path:.*}", self._act)

    async def _to_page(self, request: web.Request) -> web.StreamResponse:
        await self._api.admit(request, "player")
        raise web.HTTPFound(f"{base_of(request.match_info['name'])}/")

    async def _look(self, request: web.Request) -> web.StreamResponse:
        name, path = await self._name_of(request), request.match_info["path"]
        if not _opens_page(request):
            _check_own_page(request)
            await self._api.renew_person(name)
        return await self._pass_on(request, name, is_viewer=path == "events")

    async def _act(self, request: web.Request) -> web.StreamResponse:
        name = await self._name_of(request)
        _check_own_page(request)
        return await self._pass_on(request, name)

    async def _name_of(self, request: web.Request) -> str:
        """Return whose page it is, if who asks may see it."""
        await self._api.admit(request, "player")
        name = request.match_info["name"]
        found = self._api.scheduler.roster.presences.get(name)
        if found is None or not is_person(found.player):
            raise ApiError(404, f"nobody called {name} plays here", "name")
        await self._api.check_owner(name)
        return name

    async def _pass_on(
        self, request: web.Request, name: str, is_viewer: bool = False
    ) -> web.StreamResponse:
        address = _address_below(base_of(name), request)
        if not self._passed_on.has_room(request.remote):
            raise ApiError(503, f"{MAX_PASSED_ON} pages of people are open already")
        if (front := front_of(request)) is not None:
            front.keep()  # somebody moves here, or is asked for a move
            if is_viewer:
                front.begin_stream()
        try:
            person = await self._people.start(name)  # first: a match begins with the first viewer
            watching = self._people.viewing(name) if is_viewer else nullcontext()
            with self._passed_on.counted(request.remote), watching:
                async with _asked(person, request, address) as reply:
                    return await _passed_back(request, reply)
        except (ServerError, aiohttp.ClientError, OSError) as error:
            _log.warning("the page of %s: %s", name, error)
            raise ApiError(503, f"the page of {name} does not answer; load it again") from error


@asynccontextmanager
async def _asked(
    person: Person, request: web.Request, address: URL
) -> AsyncIterator[aiohttp.ClientResponse]:
    body = await request.content.read(MAX_BODY) if request.method == "POST" else None
    names = ("Accept", "Content-Type", TOKEN_HEADER)
    headers = {key: request.headers[key] for key in names if key in request.headers}
    headers["Cookie"] = f"{LANGUAGE_COOKIE}={language_of(request).code}"  # and no other one
    async with (
        person.session() as session,
        session.request(request.method, address, data=body, headers=headers) as reply,
    ):
        yield reply


async def _passed_back(request: web.Request, reply: aiohttp.ClientResponse) -> web.StreamResponse:
    """Send a reply on as it comes: what changes is pushed, so it may have no end."""
    kept = {key: value for key, value in reply.headers.items() if key in _PASSED_BACK}
    response = web.StreamResponse(status=reply.status, headers={**PAGE_HEADERS, **kept})
    with suppress(ConnectionError, aiohttp.ClientError):  # the page has gone, or its process
        await response.prepare(request)
        async for part in reply.content.iter_any():
            await response.write(part)
        await response.write_eof()
    return response


def _address_below(base: str, request: web.Request) -> URL:
    """Return the address of a request as the process gets it, without ``..``.

    Raises :class:`ApiError` where that is not below the page's: there the manager asks for moves.
    """
    address = URL("http://person/").join(request.rel_url).relative()
    if not address.raw_path.startswith(f"{base}/"):
        raise ApiError(404, "there is no such page", "path")
    return address


def _opens_page(request: web.Request) -> bool:
    """Whether the browser of a person opens the page, in a window of its own."""
    asked = (request.headers.get("Sec-Fetch-Mode"), request.headers.get("Sec-Fetch-Dest"))
    return not request.match_info["path"] and asked == ("navigate", "document")


def _check_own_page(request: web.Request) -> None:
    """Raise :class:`ApiError` where a page of another site has sent a request."""
    if not is_own_page(request.headers, request.host):
        raise ApiError(403, "no page of another site plays here", "Origin")
