"""The pages for organisers and spectators: players, events, standings, matches; all read only.

Apart from the table of the API, whose answers are JSON: what people look at is HTML.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Handler

from ggp_player.manager_service.scheduling.scheduler import Scheduler
from ggp_player.manager_service.storage.faces import ENDED
from ggp_player.manager_service.web.summary import summarise
from ggp_player.pages.site import PageSite

MATCHES_SHOWN = 50
"""Matches of each kind on the page: the latest."""

EVENTS_SHOWN = 20
"""Events on the page: the latest."""


class ManagerPage:
    """Renders the page at ``/``, which reloads its figures when something happens."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._site = PageSite("Manager", (("/", "Events"), ("/api/openapi.json", "API")))

    def add_routes(self, router: web.UrlDispatcher, admitted: Callable[[Handler], Handler]) -> None:
        """Have an application answer for the page."""
        self._site.add_static_route(router)
        router.add_get("/", admitted(self._front), allow_head=False)
        router.add_get("/events/{id:[0-9]{1,15}}", admitted(self._event), allow_head=False)

    async def _front(self, request: web.Request) -> web.Response:
        scheduler, public = self._scheduler, self._scheduler.public
        events = (await scheduler.call(public.events))[: -EVENTS_SHOWN - 1 : -1]
        counts = [await scheduler.call(public.counts, event.id) for event in events]
        ended = await scheduler.call(public.matches, None, ENDED, 0, MATCHES_SHOWN, True)
        presences = scheduler.roster.presences
        return self._site.page(
            "manager.html",
            here="/",
            players=[presences[name] for name in sorted(presences)],
            events=list(zip(events, counts, strict=True)),
            matches=public.matches_of_players(),
            running=list(public.running.values())[:MATCHES_SHOWN],
            ended=ended,
        )

    async def _event(self, request: web.Request) -> web.Response:
        scheduler, public = self._scheduler, self._scheduler.public
        number = int(request.match_info["id"])
        event = await scheduler.call(public.event, number)
        if event is None:
            return self._site.error(404, f"there is no event {number}")
        results = await scheduler.call(public.results, number)
        ratings = await scheduler.call(public.ratings, number)
        rows = await asyncio.to_thread(summarise, results, ratings or None)
        ended = await scheduler.call(public.matches, number, ENDED, 0, MATCHES_SHOWN, True)
        counts = await scheduler.call(public.counts, number)
        return self._site.page(
            "manager_event.html", here="", event=event, rows=rows, ended=ended, counts=counts
        )
