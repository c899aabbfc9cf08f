"""The pages for spectators: players, events, standings, matches and live boards; all read only.

Who is an organiser finds the forms of :mod:`.organiser_pages` on them.
"""

from __future__ import annotations

from aiohttp import web

from ggp_player.manager_service.storage.faces import ENDED
from ggp_player.manager_service.storage.store import EventMatch, StoredEvent
from ggp_player.manager_service.web.admission import ApiError
from ggp_player.manager_service.web.live_boards import LiveBoards
from ggp_player.manager_service.web.manager_site import ManagerSite, sentence_of
from ggp_player.pages.security import UNSTORED_HEADERS

MATCHES_SHOWN = 50
"""Matches of each kind on the page: the latest."""

DECIDABLE = ("running", *ENDED)
"""The matches that organisers are offered to decide."""

EVENTS_SHOWN = 20
"""Events on the page: the latest."""


class SpectatorPages:
    """Shows what happens; the pages load their figures again when something does."""

    def __init__(self, site: ManagerSite) -> None:
        self._site = site
        self._api = site.api
        self._boards = LiveBoards(site.api.scheduler, site.drawer)

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Have an application answer for the pages."""
        number = "{id:[0-9]{1,15}}"
        self._site.add_page(router, "/", self._front)
        self._site.add_page(router, "/live", self._live)
        self._site.add_page(router, f"/events/{number}", self._event)
        self._site.add_page(router, f"/events/{number}/matches.csv", self._csv)
        self._site.add_page(router, f"/events/{number}/event.json", self._json)

    async def _front(self, request: web.Request) -> web.Response:
        scheduler, public = self._api.scheduler, self._api.scheduler.public
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

    async def _live(self, request: web.Request) -> web.Response:
        boards = await self._boards.boards()
        running = len(self._api.scheduler.public.running)
        return self._site.page("manager_live.html", here="/live", boards=boards, running=running)

    async def _event(self, request: web.Request) -> web.Response:
        return await event_page(self._site, await self._api.known_event(request))

    async def _csv(self, request: web.Request) -> web.Response:
        event = await self._api.known_event(request)
        text = await self._api.tables.csv_of_matches(event)
        return _file(text, "text/csv", f"event{event.id}.csv")

    async def _json(self, request: web.Request) -> web.Response:
        event = await self._api.known_event(request)
        shown = await self._api.event_shown(event)
        text = await self._api.tables.json_of_event(event, shown.model_dump())
        return _file(text, "application/json", f"event{event.id}.json")


async def event_page(
    site: ManagerSite,
    event: StoredEvent,
    form: str = "",
    complaint: ApiError | None = None,
    sent: dict[str, str] | None = None,
) -> web.Response:
    """Show an event; a ``complaint`` stands beside its ``form``, which keeps what was ``sent``.

    Spectators may see it with a delay; what an organiser can do with it follows from what it is.
    """
    api, scheduler = site.api, site.api.scheduler
    public, store = scheduler.public, scheduler.store
    own: StoredEvent | None = None
    decidable: list[EventMatch] = []
    if api.asking.may("organiser"):
        own = await scheduler.call(store.event, event.id)
        decidable = await scheduler.call(store.matches, event.id, DECIDABLE, 0, MATCHES_SHOWN, True)
    ended = await scheduler.call(public.matches, event.id, ENDED, 0, MATCHES_SHOWN, True)
    table = await api.tables.cross_table(event)
    withdrawn = event.settings.get("withdrawn", {})
    names = event.settings["players"] or sorted(scheduler.roster.presences)
    return site.page(
        "manager_event.html",
        status=200 if complaint is None else complaint.status,
        event=event,
        own=own,
        decidable=decidable,
        rows=await api.tables.standings(event),
        ended=ended,
        counts=await scheduler.call(public.counts, event.id),
        table=table,
        cells={(cell.player, cell.opponent): cell for cell in table.cells},
        test=await api.tables.test(event),
        withdrawn=withdrawn,
        staying=[name for name in dict.fromkeys(names) if name not in withdrawn],
        form=form,
        complaint="" if complaint is None else sentence_of(complaint),
        sent=sent or {},
    )


def _file(text: str, content_type: str, name: str) -> web.Response:
    headers = {**UNSTORED_HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
    return web.Response(text=text, content_type=content_type, headers=headers)
