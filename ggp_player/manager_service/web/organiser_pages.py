"""The pages of organisers: forms for games, players, events, decisions and invitations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import segno
from aiohttp import web
from aiohttp.web_request import FileField

from gdl.game_library import own_games
from ggp_player.errors import ManagerError, UnplayableError
from ggp_player.manager_service.scheduling.clients import check_address
from ggp_player.manager_service.storage.store import StoredPlayer
from ggp_player.manager_service.web.admission import ApiError, check_name, validated
from ggp_player.manager_service.web.manager_site import ManagerSite
from ggp_player.manager_service.web.models import MAX_RULES, EventToPost, ResultToDecide
from ggp_player.manager_service.web.pages import event_page
from ggp_player.manager_service.web.sessions import is_encrypted
from ggp_player.pages.drawing_messages import FindGame

LISTS = ("games", "players")
"""Fields of the form of an event that hold several names."""

DAYS = 14
"""For so long an invitation lasts, unless the form says otherwise."""


class OrganiserPages:
    """Shows the forms of organisers, and does what they ask for."""

    def __init__(self, site: ManagerSite) -> None:
        self._site = site
        self._api = site.api

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Have an application answer for the pages."""
        site, number = self._site, "{id:[0-9]{1,15}}"
        site.add_page(router, "/events/new", self._new_event, "organiser")
        site.add_page(router, "/games", self._games)
        site.add_page(router, "/players/new", self._new_player, "organiser")
        site.add_page(router, "/invite", self._invite, "organiser")
        forms = {
            "/events/new": self._post_event,
            f"/events/{number}/{{action:start|pause|cancel}}": self._turn_event,
            f"/events/{number}/withdraw": self._withdraw,
            f"/events/{number}/decide": self._decide,
            "/games": self._post_game,
            "/players/new": self._post_player,
            "/players/{name}/remove": self._remove_player,
            "/invite": self._post_invitation,
        }
        for path, page in forms.items():
            site.add_form(router, path, "organiser", page)

    # Events

    async def _new_event(self, request: web.Request) -> web.Response:
        return await self._event_form({}, None)

    async def _event_form(
        self, sent: Mapping[str, Any], complaint: ApiError | None
    ) -> web.Response:
        scheduler = self._api.scheduler
        put = [game.name for game in await scheduler.call(scheduler.store.games)]
        registered = sorted(scheduler.roster.presences)
        return self._site.page(
            "manager_new_event.html",
            status=200 if complaint is None else complaint.status,
            games=sorted({*put, *own_games()}, key=str.lower),
            registered=registered,
            sent=sent or {"players": registered, "games": [], "start": "true"},
            complaint=complaint,
            field=complaint.problem.where.partition(".")[0] if complaint else "",
        )

    async def _post_event(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        sent: dict[str, Any] = {key: text.strip() for key, text in _texts(form).items()}
        sent = {key: value for key, value in sent.items() if value and key not in LISTS}
        sent["games"] = [str(one) for one in form.getall("games", [])]
        sent["players"] = str(form.get("players", "")).replace(",", " ").split()
        sent["start"] = sent.get("start", "false")
        try:
            event = validated(EventToPost, lambda: EventToPost.model_validate(sent))
            made = await self._api.organising.new_event(event)
        except ApiError as error:
            return await self._event_form(sent, error)
        raise web.HTTPSeeOther(f"/events/{made.id}")

    async def _turn_event(self, request: web.Request) -> web.StreamResponse:
        event = await self._api.known_event(request)
        try:
            await self._api.organising.turn(event, request.match_info["action"])
        except ApiError as error:
            return await event_page(self._site, event, "turn", error)
        raise web.HTTPSeeOther(f"/events/{event.id}")

    async def _withdraw(self, request: web.Request) -> web.StreamResponse:
        event, sent = await self._api.known_event(request), _texts(await request.post())
        try:
            await self._api.organising.withdraw(event, sent.get("player", ""))
        except ApiError as error:
            return await event_page(self._site, event, "withdraw", error, sent)
        raise web.HTTPSeeOther(f"/events/{event.id}")

    async def _decide(self, request: web.Request) -> web.StreamResponse:
        event, sent = await self._api.known_event(request), _texts(await request.post())
        try:
            goals = sent.get("goals", "").replace(",", " ").split()
            values = {"goals": goals, "reason": sent.get("reason", "").strip()}
            decision = validated(ResultToDecide, lambda: ResultToDecide.model_validate(values))
            number = sent.get("match", "").strip()
            store = self._api.scheduler.store
            is_number = number.isascii() and number.isdigit() and len(number) < 16
            match = await self._api.scheduler.call(store.match, int(number)) if is_number else None
            if match is None or match.event != event.id:
                what = f"this event has no match {number[:20]!r}"
                raise ApiError(422, what, "match", "a number of the list")
            await self._api.organising.decide(match, decision)
        except ApiError as error:
            return await event_page(self._site, event, "decide", error, sent)
        raise web.HTTPSeeOther(f"/events/{event.id}")

    # Games

    async def _games(self, request: web.Request) -> web.Response:
        return await self._game_page(200)

    async def _game_page(self, status: int, **values: object) -> web.Response:
        scheduler = self._api.scheduler
        nothing: dict[str, Any] = {
            "complaint": "",
            "sent": {},
            "found": None,
            "drawing": None,
            "added": "",
        }
        games = await scheduler.call(scheduler.store.games)
        given = {"games": games, "own": sorted(own_games(), key=str.lower), **nothing, **values}
        return self._site.page("manager_games.html", here="/games", status=status, **given)

    async def _post_game(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        sent = _texts(form)
        name, rules = sent.get("name", "").strip(), sent.get("rules", "")
        try:
            if isinstance(file := form.get("file"), FileField) and file.filename:
                name = name or _name_of(file.filename)
                rules = _decoded(file.file.read())
            check_name(name)
            if not rules.strip() or len(rules) > MAX_RULES:
                raise ApiError(422, "there are no rules", "rules", "a file, or rules as text")
            found, drawing = await self._site.drawer.game(FindGame(rules))
            if not found.roles:
                what = "The game is not added: it cannot be played."
                sent |= {"name": name, "rules": rules}
                return await self._game_page(422, found=found, complaint=what, sent=sent)
            await self._api.organising.add_game(name, rules)
        except (ApiError, UnplayableError) as error:
            what = _capitalised(error.problem.what if isinstance(error, ApiError) else str(error))
            return await self._game_page(422, complaint=what, sent={**sent, "name": name})
        return await self._game_page(200, found=found, drawing=drawing, added=name)

    # Players

    async def _new_player(self, request: web.Request) -> web.Response:
        return self._site.page("manager_new_player.html", sent={}, complaint=None)

    async def _post_player(self, request: web.Request) -> web.StreamResponse:
        sent = {key: text.strip() for key, text in _texts(await request.post()).items()}
        name, address = sent.get("name", ""), sent.get("address", "")
        try:
            check_name(name)
            try:
                check_address(address)
            except ManagerError as error:
                raise ApiError(422, str(error).partition(": ")[2], "address") from error
            await self._api.put(StoredPlayer(name, address))
        except ApiError as error:
            values: dict[str, Any] = {"sent": sent, "complaint": error}
            return self._site.page("manager_new_player.html", status=error.status, **values)
        raise web.HTTPSeeOther("/")

    async def _remove_player(self, request: web.Request) -> web.StreamResponse:
        await self._api.scheduler.remove_player(request.match_info["name"])
        raise web.HTTPSeeOther("/")

    # Invitations

    async def _invite(self, request: web.Request) -> web.Response:
        return self._site.page("manager_invite.html", link="", code="", days=DAYS, complaint="")

    async def _post_invitation(self, request: web.Request) -> web.StreamResponse:
        sent = _texts(await request.post())
        invitations, call = self._api.invitations, self._api.scheduler.call
        if sent.get("action") == "revoke":
            await call(invitations.revoke)
            raise web.HTTPSeeOther("/invite")
        days = sent.get("days", "")
        values: dict[str, Any] = {"link": "", "code": "", "days": days, "complaint": ""}
        if not days.isdecimal() or len(days) > 3 or not 1 <= int(days) <= 365:
            values["complaint"] = "Expected 1 to 365 days."
            return self._site.page("manager_invite.html", status=422, **values)
        code = await call(invitations.new, int(days))
        scheme = "https" if is_encrypted(request) else "http"
        values["link"] = f"{scheme}://{request.host}/join/{code}"
        picture = segno.make(values["link"], error="m", micro=False)
        values["code"] = picture.svg_inline(scale=4, dark="#000", light="#fff", omitsize=True)
        return self._site.page("manager_invite.html", **values)


def _texts(form: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of a form that are no files."""
    return {key: value for key, value in form.items() if isinstance(value, str)}


def _name_of(file: str) -> str:
    """Return the name of a game by that of its file."""
    return file.rpartition("/")[2].rpartition("\\")[2].rpartition(".")[0] or file


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ApiError(422, "the file is no text in UTF-8", "file") from error


def _capitalised(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"
