"""The pages of the player server.

=============================  =================================================================
``/``                          the matches that the player is in, and those before
``/events``                    the same as it changes
``/matches/KEY``               a match, live: board, clocks, moves, what the search thinks
``/matches/KEY/events``        what changes there
``/archive``                   all matches ever, with filters, where there is an archive
``/archive/NUMBER``            a match step by step; a key is taken, too, and leads there
``/archive/NUMBER/boards``     drawings of some of its states, as JSON
``/archive/NUMBER/position``   a position of it, or of a variation, as JSON
``/archive/NUMBER/steps``      a textbook search of it, node by node: :mod:`.step_pages`
``/archive/NUMBER/analyses``   searches that viewers ask for: :mod:`.position_pages`
``/static/VERSION/NAME``       style sheets and modules
=============================  =================================================================

They are read only, except for the analyses, which are begun by POST and change no match. None of
these addresses is a message of the protocol, which is spoken at the same port; ``/`` is a page for
those that ask for HTML.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from gdl.system import available_cpus
from ggp_player.events import EventBus
from ggp_player.front.connections import Streams
from ggp_player.pages.analyses import Analyses, AnalysisLimits, Means
from ggp_player.pages.archive_pages import ArchivePages
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.event_stream import counted, event_stream
from ggp_player.pages.live_matches import LiveMatches
from ggp_player.pages.position_pages import PositionPages
from ggp_player.pages.site import NO_PAGE, STATIC, PageSite
from ggp_player.worker.pool import TakeWorker

PAGE_PATHS = ("/events", "/matches/", "/archive", f"/{STATIC}/")
"""How the addresses of pages begin, besides ``/``."""


class PlayerPages:
    """Answers requests for pages, while it is entered.

    ``archive`` is the file of the archive, None where there is none. ``streams`` bounds how many
    pages are kept up to date. ``base_of`` tells what stands before the path of a request.
    ``workers`` search for viewers who analyse; without them there are no analyses. ``gallery`` is
    the address of the page of all games, if there is one.
    """

    def __init__(
        self,
        name: str,
        bus: EventBus,
        archive: Path | None,
        streams: Streams,
        base_of: Callable[[web.Request], str] = lambda request: "",
        workers: TakeWorker | None = None,
        gallery: str = "",
    ) -> None:
        links = (("/", "Live"), ("/archive", "Archive")) if archive else (("/", "Live"),)
        self._site = PageSite(name, links)
        self._live = LiveMatches(bus, Drawer(for_archive=archive is not None))
        self._archive = archive
        self._streams = streams
        self._base_of = base_of
        self._gallery = gallery
        self._analyses = self._new_analyses(workers) if workers and archive else None

    async def start(self, _application: web.Application) -> None:
        """Begin to follow the matches."""
        await self._live.__aenter__()

    async def close(self, _application: web.Application) -> None:
        """End the open streams and the analyses."""
        if self._analyses is not None:
            await self._analyses.close()
        await self._live.close()

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Have an application answer for the pages, except for ``/``: see :meth:`front_page`."""
        self._site.add_static_route(router)
        handlers: dict[str, Handler] = {
            "/events": self._list_events,
            "/matches/{match}": self._match,
            "/matches/{match}/events": self._match_events,
        }
        if self._archive is not None:
            token = self._add_analyses(router, self._archive)
            drawer = self._live.drawer
            pages = ArchivePages(self._site, self._archive, drawer, self._base_of, token)
            handlers |= pages.handlers
        for path, handler in handlers.items():
            router.add_get(path, self._with_errors_as_pages(handler), allow_head=False)

    def _new_analyses(self, workers: TakeWorker) -> Analyses:
        def running_matches() -> int:
            return sum(not view.is_over for view in self._live.matches.values())

        limits = AnalysisLimits(cores=available_cpus())
        return Analyses(Means(workers, self._live.drawer), running_matches, limits)

    def _add_analyses(self, router: web.UrlDispatcher, archive: Path) -> str:
        """Have the application answer for analyses; return the token that allows them."""
        if self._analyses is None:
            return ""
        drawer, analyses = self._live.drawer, self._analyses
        pages = PositionPages(self._site, archive, drawer, analyses, self._streams)
        pages.add_routes(router)
        return pages.guard.token

    async def front_page(self, request: web.Request) -> web.Response:
        """The list of matches."""
        self._live.expect_viewers()
        return self._site.page(
            "matches.html",
            self._base_of(request),
            here="/",
            matches=self._live.summaries(),
            has_archive=self._archive is not None,
            gallery=self._gallery,
        )

    def not_found(self, request: web.Request) -> web.Response:
        """A page that says that there is none, such as that of an archive that is not kept."""
        return self._site.error(404, NO_PAGE, self._base_of(request))

    async def _match(self, request: web.Request) -> web.Response:
        key = request.match_info["match"]
        view = self._live.matches.get(key)
        if view is None:
            if self._archive is not None:
                raise web.HTTPFound(f"{self._base_of(request)}/archive/{key}")
            raise web.HTTPNotFound(reason="there is no such match; it may have ended long ago")
        has_archive, base = self._archive is not None, self._base_of(request)
        return self._site.page("live.html", base, here="", view=view, has_archive=has_archive)

    async def _list_events(self, request: web.Request) -> web.StreamResponse:
        sent = b""

        def next_message() -> bytes | None:
            nonlocal sent
            if self._live.is_closing:
                return None
            matches = self._live.list_message()
            if matches == sent:
                return b""
            sent = matches
            return sent

        return await self._stream(request, "", next_message)

    async def _match_events(self, request: web.Request) -> web.StreamResponse:
        key, version = request.match_info["match"], 0
        if key not in self._live.matches:
            raise web.HTTPNotFound(reason="there is no such match")

        def next_message() -> bytes | None:
            nonlocal version
            if self._live.is_closing or key not in self._live.matches:
                return None
            version, message = self._live.message(key, version)
            return message

        return await self._stream(request, key, next_message)

    async def _stream(
        self, request: web.Request, match: str, next_message: Callable[[], bytes | None]
    ) -> web.StreamResponse:
        with counted(self._streams, request), self._live.look(match):
            async with event_stream(request) as stream:
                await stream.follow(self._live.news, next_message)
        return stream.response

    def _with_errors_as_pages(self, handler: Handler) -> Handler:
        @wraps(handler)
        async def answer(request: web.Request) -> web.StreamResponse:
            self._live.expect_viewers()
            try:
                return await handler(request)
            except web.HTTPRedirection:
                raise
            except web.HTTPException as error:
                return self._site.error(error.status, error.reason, self._base_of(request))

        return answer
