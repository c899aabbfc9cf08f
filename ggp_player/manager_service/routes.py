"""The requests of the API, in one table, and who may make them.

Reading is free unless the service is private. Whatever changes something needs a token, but for
requests from this machine to a service that listens here only; a browser must not send them for
another site, so they are JSON and come from no other origin, under a name of this machine.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import logging
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from hashlib import sha256
from typing import Any, TypeAlias, TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from gdl.version import __version__
from ggp_player.clock import wall_clock
from ggp_player.errors import ManagerError
from ggp_player.manager_service import models
from ggp_player.manager_service.clients import check_address, speaks
from ggp_player.manager_service.event_formats import check_plan
from ggp_player.manager_service.games import own_game
from ggp_player.manager_service.models import Problem
from ggp_player.manager_service.openapi import Route, openapi_document
from ggp_player.manager_service.pages import ManagerPage
from ggp_player.manager_service.roster import Presence
from ggp_player.manager_service.rules_pool import RulesPool
from ggp_player.manager_service.scheduler import Scheduler, check_known, player_roles
from ggp_player.manager_service.store import StoredEvent, StoredGame, StoredMatch, StoredPlayer
from ggp_player.manager_service.summary import summarise
from ggp_player.manager_service.tokens import Identity, Role, TokenStore
from ggp_player.pages.event_stream import KEEP_ALIVE_SECONDS, EventStream
from ggp_player.pages.security import PAGE_HEADERS, is_own_page
from ggp_player.server import is_loopback

MAX_BODY = 16 * 2**20
"""The longest request, in bytes: a rulesheet as JSON."""

MAX_FOLLOWERS = 100
"""Connections that follow the live events."""

MAX_LISTED = 1000
"""The most matches of one answer."""

_Model = TypeVar("_Model", bound=BaseModel)

_log = logging.getLogger(__name__)


class RefusedError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, what: str, where: str = "", expected: str = "") -> None:
        self.status = status
        self.problem = Problem(what=what, where=where, expected=expected)
        super().__init__(what)


Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Api:
    """Answers the requests. ``is_open``: this machine needs no token, as nobody else gets here."""

    def __init__(
        self,
        scheduler: Scheduler,
        rules: RulesPool,
        tokens: TokenStore,
        is_open: bool,
        is_private: bool,
    ) -> None:
        self.scheduler = scheduler
        self._rules = rules
        self._tokens = tokens
        self._is_open = is_open
        self._is_private = is_private
        self._checking = asyncio.Semaphore(2)
        self.routes = self._table()
        self._document = openapi_document(self.routes)

    def _table(self) -> tuple[Route, ...]:
        """List all requests of the API: the document of OpenAPI and the service follow from it."""
        m = models
        return (
            Route("GET", "/api/openapi.json", None, "This document", self._openapi),
            Route("GET", "/api/status", None, "Count what there is", self._status, m.StatusShown),
            Route("GET", "/api/players", None, "List players", self._players, list[m.PlayerShown]),
            Route("GET", "/api/players/{name}", None, "Show a player", self._player, m.PlayerShown),
            Route(
                *("PUT", "/api/players/{name}", "player", "Add, register or renew a player"),
                *(self._put_player, m.PlayerShown, m.PlayerToPut),
            ),
            Route(
                *("DELETE", "/api/players/{name}", "player", "Withdraw or remove a player"),
                *(self._delete_player, m.Done),
            ),
            Route(
                *("POST", "/api/players/{name}/check", "organiser", "Ask a player for its status"),
                *(self._check_player, m.PlayerShown),
            ),
            Route("GET", "/api/games", None, "List games", self._games, list[m.GameShown]),
            Route("GET", "/api/games/{name}", None, "Show a game", self._game, m.GameShown),
            Route(
                *("PUT", "/api/games/{name}", "organiser", "Add or replace a game"),
                *(self._put_game, m.GameShown, m.GameToPut),
            ),
            Route("GET", "/api/events", None, "List events", self._events, list[m.EventShown]),
            Route(
                *("POST", "/api/events", "organiser", "Begin an event"),
                *(self._post_event, m.EventShown, m.EventToPost),
            ),
            Route("GET", "/api/events/{id}", None, "Show an event", self._event, m.EventShown),
            Route(
                *("POST", "/api/events/{id}/cancel", "organiser", "Cancel an event"),
                *(self._cancel_event, m.EventShown),
            ),
            Route(
                *("GET", "/api/events/{id}/standings", None, "Points and ratings of an event"),
                *(self._standings, list[m.StandingsShown]),
            ),
            Route(
                *("GET", "/api/ratings", None, "Points and ratings over all events"),
                *(self._ratings, list[m.StandingsShown]),
            ),
            Route(
                *("GET", "/api/matches", None, "List matches", self._matches, list[m.MatchShown]),
                query={
                    "event": "of this event only",
                    "status": "waiting, running, completed, failed or cancelled",
                    "after": "those with a larger id",
                    "limit": f"so many, at most {MAX_LISTED}",
                },
            ),
            Route("GET", "/api/matches/{id}", None, "Show a match", self._match, m.MatchShown),
            Route(
                "GET", "/api/matches/{id}/record", None, "The record, ggp.org JSON", self._record
            ),
            Route(
                *("GET", "/api/news", None, "Live events, server-sent", self._follow, m.Followed),
                is_stream=True,
            ),
            Route(
                "GET", "/api/tokens", "admin", "List tokens", self._list_tokens, list[m.TokenShown]
            ),
            Route(
                *("POST", "/api/tokens", "admin", "Make a token"),
                *(self._post_token, m.TokenShown, m.TokenToPost),
            ),
            Route(
                *("DELETE", "/api/tokens/{name}", "admin", "Revoke a token"),
                *(self._delete_token, m.Done),
            ),
        )

    # Who asks

    async def admit(self, request: web.Request, role: Role | None) -> Identity:
        """Return who asks. Raises :class:`RefusedError` where that is not allowed."""
        secret = _secret(request)
        identity: Identity | None = None
        if secret:
            identity = await self.scheduler.call(self._tokens.identify, secret)
            if identity is None:
                raise RefusedError(401, "the token is not known, or was revoked", "Authorization")
        elif self._is_open and _is_from_here(request):
            identity = Identity("", "admin")
        if role is None and not self._is_private:
            return identity or Identity("", "spectator")
        needed = role or "spectator"
        if identity is None:
            raise RefusedError(
                *(401, "this needs a token", "Authorization"),
                f"Bearer TOKEN, with a token of the role {needed}",
            )
        if not identity.may(needed):
            raise RefusedError(
                403,
                f"this is for the role {needed}; the token has {identity.role}",
                "Authorization",
            )
        return identity

    # Players

    async def _players(self, request: web.Request) -> web.Response:
        found = self.scheduler.roster.presences
        return _json([_player_shown(found[name]) for name in sorted(found)])

    async def _player(self, request: web.Request) -> web.Response:
        return _json(_player_shown(self._presence(request)))

    async def _put_player(self, request: web.Request) -> web.Response:
        name, sent = request.match_info["name"], await _body(request, models.PlayerToPut)
        _check_name(name)
        identity: Identity = request["identity"]
        self._check_owner(name, identity)
        if sent.lifetime is None and not identity.may("organiser"):
            raise RefusedError(
                403, "a player that stays is added by an organiser", "lifetime", "seconds"
            )
        address = sent.address
        if not address:
            if sent.port is None or request.remote is None:
                raise RefusedError(422, "where is it?", "address", "host:port, or port alone")
            address = f"{request.remote}:{sent.port}{sent.path if sent.path != '/' else ''}"
        self._check_player_address(address, identity)
        if not speaks(sent.dialects):
            raise RefusedError(422, "the manager speaks none of these", "dialects", "A, B or D")
        expires = None if sent.lifetime is None else wall_clock() + 1000 * sent.lifetime
        player = StoredPlayer(
            *(name, address, sent.dialects, sent.versions, identity.name), expires=expires
        )
        await self.scheduler.put_player(player)
        return _json(_player_shown(self._presence(request)))

    def _check_player_address(self, address: str, identity: Identity) -> None:
        try:
            check_address(address)
        except ManagerError as error:
            raise RefusedError(422, str(error), "address", "host:port") from error
        if ":" not in address and not identity.may("organiser"):
            raise RefusedError(
                403, "strategies are run for organisers only", "address", "host:port"
            )

    def _check_owner(self, name: str, identity: Identity) -> None:
        found = self.scheduler.roster.presences.get(name)
        if found and found.player.owner != identity.name and not identity.may("organiser"):
            raise RefusedError(403, f"{name} was registered with another token", "name")

    async def _delete_player(self, request: web.Request) -> web.Response:
        name = self._presence(request).player.name
        self._check_owner(name, request["identity"])
        await self.scheduler.remove_player(name)
        return _json(models.Done())

    async def _check_player(self, request: web.Request) -> web.Response:
        presence = self._presence(request)
        await self.scheduler.roster.check(presence.player.name)
        return _json(_player_shown(presence))

    def _presence(self, request: web.Request) -> Presence:
        name = request.match_info["name"]
        found = self.scheduler.roster.presences.get(name)
        if found is None:
            raise RefusedError(404, f"there is no player {name}", "name")
        return found

    # Games

    async def _games(self, request: web.Request) -> web.Response:
        found = await self.scheduler.call(self.scheduler.store.games)
        return _json([_game_shown(game) for game in found])

    async def _game(self, request: web.Request) -> web.Response:
        game = await self._known_game(request.match_info["name"])
        return _json(_game_shown(game).model_copy(update={"rules": game.rules}))

    async def _put_game(self, request: web.Request) -> web.Response:
        name, sent = request.match_info["name"], await _body(request, models.GameToPut)
        _check_name(name)
        return _json(_game_shown(await self._add_game(name, sent.rules)))

    async def _add_game(self, name: str, rules: str) -> StoredGame:
        async with self._checking:
            try:
                roles = await asyncio.to_thread(self._rules.check, rules)
            except ManagerError as error:
                expected = "rules of a game that can be played"
                raise RefusedError(422, str(error), "rules", expected) from error
        game = StoredGame(name, sha256(rules.encode()).hexdigest(), roles, rules)
        await self.scheduler.call(self.scheduler.store.put_game, game)
        return game

    async def _known_game(self, name: str) -> StoredGame:
        game = await self.scheduler.call(self.scheduler.store.game, name)
        if game is not None:
            return game
        rules = own_game(name)
        if rules is None:
            raise RefusedError(404, f"there is no game {name}", "games", "a game that was put")
        return await self._add_game(name, rules)

    # Events

    async def _events(self, request: web.Request) -> web.Response:
        found = await self.scheduler.call(self.scheduler.store.events)
        return _json([await self._event_shown(event) for event in found])

    async def _event(self, request: web.Request) -> web.Response:
        return _json(await self._event_shown(await self._known_event(request)))

    async def _post_event(self, request: web.Request) -> web.Response:
        sent = await _body(request, models.EventToPost)
        games = [await self._known_game(name) for name in sent.games]
        settings = sent.model_dump(mode="json", exclude={"name", "games"})
        digests = {game.name: game.digest for game in games}
        trial = StoredEvent(0, sent.name, settings, digests, "", 0)
        try:
            if len(digests) != len(sent.games):
                raise ManagerError("games: expected each once")
            check_known(sent.players, self.scheduler.roster)
            if not sent.players and sent.format != "ladder":
                raise ManagerError("players: expected names; only a ladder is for all there are")
            check_plan(await self.scheduler.event_plan(trial))
        except ManagerError as error:
            where, _, what = str(error).partition(": ")
            raise RefusedError(422, what, where) from error
        event = await self.scheduler.add_event(sent.name, settings, digests)
        return _json(await self._event_shown(event), 201)

    async def _cancel_event(self, request: web.Request) -> web.Response:
        event = await self._known_event(request)
        if not await self.scheduler.cancel_event(event.id):
            raise RefusedError(
                409, f"the event is {event.status}", "id", "an event that is running"
            )
        return _json(await self._event_shown(await self._known_event(request)))

    async def _standings(self, request: web.Request) -> web.Response:
        event = await self._known_event(request)
        results = await self.scheduler.results(event.id)
        ratings = await self.scheduler.call(self.scheduler.store.ratings, event.id)
        return _json(await asyncio.to_thread(summarise, results, ratings or None))

    async def _ratings(self, request: web.Request) -> web.Response:
        results = await self.scheduler.results()
        return _json(await asyncio.to_thread(summarise, results))

    async def _known_event(self, request: web.Request) -> StoredEvent:
        event = await self.scheduler.call(self.scheduler.store.event, _number(request))
        if event is None:
            raise RefusedError(404, f"there is no event {request.match_info['id']}", "id")
        return event

    async def _event_shown(self, event: StoredEvent) -> models.EventShown:
        counts = await self.scheduler.call(self.scheduler.store.counts, event.id)
        return models.EventShown(
            id=event.id,
            name=event.name,
            status=event.status,
            created=event.created,
            ended=event.ended,
            settings={**event.settings, "games": list(event.digests)},
            matches=counts,
        )

    # Matches

    async def _matches(self, request: web.Request) -> web.Response:
        event, after = _query(request, "event", None), _query(request, "after", 0)
        limit = min(_query(request, "limit", 100) or 1, MAX_LISTED)
        status = request.query.get("status", "")
        found = await self.scheduler.call(
            self.scheduler.store.matches, event, (status,) if status else (), after or 0, limit
        )
        return _json([self._match_shown(match) for match in found])

    async def _match(self, request: web.Request) -> web.Response:
        return _json(self._match_shown(await self._known_match(request)))

    async def _record(self, request: web.Request) -> web.Response:
        match = await self._known_match(request)
        record = await self.scheduler.call(self.scheduler.store.record, match.id)
        if not record:
            raise RefusedError(404, f"the match is {match.status}", "id", "a match that has ended")
        return web.Response(text=record, content_type="application/json")

    async def _known_match(self, request: web.Request) -> StoredMatch:
        match = await self.scheduler.call(self.scheduler.store.match, _number(request))
        if match is None:
            raise RefusedError(404, f"there is no match {request.match_info['id']}", "id")
        return match

    def _match_shown(self, match: StoredMatch) -> models.MatchShown:
        values = {
            key: value for key, value in asdict(match).items() if key not in {"place", "digest"}
        }
        running = self.scheduler.running.get(match.id)
        return models.MatchShown(**values, step=running.step if running else None)

    # Everything else

    async def _openapi(self, request: web.Request) -> web.Response:
        return web.json_response(self._document)

    async def _status(self, request: web.Request) -> web.Response:
        store = self.scheduler.store
        return _json(
            models.StatusShown(
                version=__version__,
                players=len(self.scheduler.roster.presences),
                events=len(await self.scheduler.call(store.events)),
                matches=await self.scheduler.call(store.counts),
            )
        )

    async def _follow(self, request: web.Request) -> web.StreamResponse:
        news = self.scheduler.news
        if news.followers >= MAX_FOLLOWERS:
            raise RefusedError(503, f"{MAX_FOLLOWERS} follow already")
        with news.follow() as queue:
            async with EventStream(request) as stream:
                while True:
                    try:
                        async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                            item = await queue.get()
                    except TimeoutError:
                        await stream.keep_alive()
                        continue
                    if item is None:
                        break
                    await stream.send(item)
        return stream.response

    async def _list_tokens(self, request: web.Request) -> web.Response:
        found = await self.scheduler.call(self._tokens.list)
        return _json([models.TokenShown(**asdict(token)) for token in found])

    async def _post_token(self, request: web.Request) -> web.Response:
        sent = await _body(request, models.TokenToPost)
        try:
            secret = await self.scheduler.call(self._tokens.create, sent.name, sent.role)
        except ManagerError as error:
            raise RefusedError(409, str(error), "name", "another name") from error
        return _json(models.TokenShown(name=sent.name, role=sent.role, secret=secret), 201)

    async def _delete_token(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if not await self.scheduler.call(self._tokens.revoke, name):
            raise RefusedError(404, f"there is no token {name} in use", "name")
        return _json(models.Done())


def new_application(api: Api) -> web.Application:
    """Create the application that answers for the API, and the page."""
    application = web.Application(client_max_size=MAX_BODY, middlewares=[_errors_as_json])
    for route in api.routes:
        application.router.add_route(
            route.method, route.path, _admitted(api, route.role, route.handler)
        )
    page = ManagerPage(api.scheduler)
    page.add_routes(application.router, lambda handler: _admitted(api, None, handler))
    return application


def _admitted(api: Api, role: Role | None, handler: Handler) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        request["identity"] = await api.admit(request, role)
        return await handler(request)

    return answer


@web.middleware
async def _errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except RefusedError as error:
        return _refusal(error)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return _refusal(RefusedError(error.status, error.reason))
    except (ConnectionError, asyncio.CancelledError):
        raise
    except Exception:
        _log.exception("%s %s has failed", request.method, request.path)
        return _refusal(RefusedError(500, "the manager has failed; its log says how"))


def _refusal(error: RefusedError) -> web.Response:
    response = _json(models.ProblemShown(error=error.problem), error.status)
    if error.status == 401:
        response.headers["WWW-Authenticate"] = 'Basic realm="manager", charset="UTF-8"'
    return response


def _json(value: BaseModel | list[Any], status: int = 200) -> web.Response:
    if isinstance(value, BaseModel):
        text = value.model_dump_json()
    else:
        text = f"[{','.join(one.model_dump_json() for one in value)}]"
    headers = {**PAGE_HEADERS, "Cache-Control": "no-store"}
    return web.Response(text=text, status=status, content_type="application/json", headers=headers)


async def _body(request: web.Request, model: type[_Model]) -> _Model:
    if request.content_type != "application/json":
        raise RefusedError(415, "the body is sent as JSON", "Content-Type", "application/json")
    try:
        return model.model_validate_json(await request.read())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        field = model.model_fields.get(str(first["loc"][0])) if first["loc"] else None
        expected = (field.description if field else "") or ""
        raise RefusedError(422, first["msg"], where, expected) from error


def _secret(request: web.Request) -> str:
    """Return the token of a request: as a bearer token, or as the password a browser asks for."""
    kind, _, value = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    if kind.lower() == "basic":
        try:
            return base64.b64decode(value).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return value
    return ""


def _is_from_here(request: web.Request) -> bool:
    """Return whether a request without a token may be trusted: no other site can have sent it."""
    host = request.url.host or ""
    if not is_loopback(host):
        return False
    return request.method in {"GET", "HEAD"} or is_own_page(request.headers, request.host)


def _check_name(name: str) -> None:
    if (
        not name.isascii()
        or not 0 < len(name) <= 80
        or not all(c.isalnum() or c in "_-" for c in name)
    ):
        raise RefusedError(422, f"{name!r} is no name", "name", "1 to 80 letters, digits, _ and -")


def _number(request: web.Request) -> int:
    text = request.match_info["id"]
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise RefusedError(404, f"{text!r} is no number", "id", "a number")
    return int(text)


def _query(request: web.Request, key: str, default: int | None) -> int | None:
    text = request.query.get(key)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise RefusedError(422, f"{text!r} is no number", key, "a number")
    return int(text)


def _player_shown(presence: Presence) -> models.PlayerShown:
    player = presence.player
    host, colon, rest = player.address.rpartition(":")
    address = f"{host}:{rest.partition('/')[0]}" if colon else player.address
    return models.PlayerShown(
        name=player.name,
        address=address,
        dialects=player.dialects,
        versions=dict(player.versions or {}),
        status=presence.status,
        problem=presence.problem,
        match=presence.match_id,
        expires=player.expires,
    )


def _game_shown(game: StoredGame) -> models.GameShown:
    return models.GameShown(name=game.name, digest=game.digest, roles=player_roles(game.roles))
