"""The requests of the API, in one table: the service and the OpenAPI document follow from it."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from aiohttp import web
from aiohttp.typedefs import Handler

from ggp_player.manager_service.storage.tokens import Role
from ggp_player.manager_service.web import models as m
from ggp_player.manager_service.web.admission import ApiError
from ggp_player.manager_service.web.api import MAX_BODY, MAX_LISTED, Api, json_answer
from ggp_player.manager_service.web.manager_site import ManagerSite
from ggp_player.manager_service.web.openapi import Route
from ggp_player.manager_service.web.organiser_pages import OrganiserPages
from ggp_player.manager_service.web.pages import SpectatorPages
from ggp_player.manager_service.web.people_pages import PeoplePages
from ggp_player.manager_service.web.visitor_pages import VisitorPages

ROUTES: tuple[Route[Api], ...] = (
    Route("GET", "/api/openapi.json", None, "This document", Api.openapi),
    Route("GET", "/api/status", None, "Count what there is", Api.status, m.StatusShown),
    Route("GET", "/api/players", None, "List players", Api.players, m.PlayerShown, is_list=True),
    Route("GET", "/api/players/{name}", None, "Show a player", Api.player, m.PlayerShown),
    Route(
        "PUT",
        "/api/players/{name}",
        "player",
        "Add, register or renew a player",
        Api.put_player,
        m.PlayerShown,
        m.PlayerToPut,
    ),
    Route(
        "DELETE",
        "/api/players/{name}",
        "player",
        "Withdraw or remove a player",
        Api.delete_player,
        m.Done,
    ),
    Route(
        "POST",
        "/api/players/{name}/check",
        "organiser",
        "Ask a player for its status",
        Api.check_player,
        m.PlayerShown,
    ),
    Route(
        "GET",
        "/api/names",
        "organiser",
        "List the names that belong to tokens",
        Api.names,
        m.NameShown,
        is_list=True,
    ),
    Route(
        "DELETE",
        "/api/names/{name}",
        "organiser",
        "Release a name, for any token to take it",
        Api.release_name,
        m.Done,
    ),
    Route(
        "POST",
        "/api/people",
        "player",
        "Have somebody play by hand, on a page",
        Api.post_person,
        m.SeatTaken,
        m.PersonToSeat,
    ),
    Route(
        "GET",
        "/api/poll",
        "player",
        "Hand out what waits for a player that polls (dialect F)",
        Api.poll,
        query={"recipient": "the name of the player, which is registered by that"},
        is_text=True,
    ),
    Route(
        "POST",
        "/api/poll",
        "player",
        "Take the reply of a player that polls",
        Api.take_reply,
        query={
            "sender": "the name of the player",
            "recipient": "the sender of the message that is answered",
            "msgid": "its number",
        },
        is_text=True,
    ),
    Route("GET", "/api/games", None, "List games", Api.games, m.GameShown, is_list=True),
    Route("GET", "/api/games/{name}", None, "Show a game", Api.game, m.GameShown),
    Route(
        "PUT",
        "/api/games/{name}",
        "organiser",
        "Add or replace a game",
        Api.put_game,
        m.GameShown,
        m.GameToPut,
    ),
    Route("GET", "/api/events", None, "List events", Api.events, m.EventShown, is_list=True),
    Route(
        "POST",
        "/api/events",
        "organiser",
        "Begin an event",
        Api.post_event,
        m.EventShown,
        m.EventToPost,
    ),
    Route("GET", "/api/events/{id}", None, "Show an event", Api.event, m.EventShown),
    Route(
        "POST",
        "/api/events/{id}/start",
        "organiser",
        "Begin an event that is planned, or go on with one that is paused",
        Api.start_event,
        m.EventShown,
    ),
    Route(
        "POST",
        "/api/events/{id}/pause",
        "organiser",
        "Begin no match of an event until it is started again",
        Api.pause_event,
        m.EventShown,
    ),
    Route(
        "POST",
        "/api/events/{id}/withdraw",
        "organiser",
        "Withdraw a player from an event",
        Api.withdraw,
        m.EventShown,
        m.PlayerToWithdraw,
    ),
    Route(
        "GET",
        "/api/events/{id}/crosstable",
        None,
        "Points of each player against each other",
        Api.cross_table,
        m.CrossTableShown,
    ),
    Route(
        "GET",
        "/api/events/{id}/test",
        None,
        "Where a sequential test stands",
        Api.test,
        m.SequentialTestShown,
    ),
    Route(
        "POST",
        "/api/events/{id}/cancel",
        "organiser",
        "Cancel an event",
        Api.cancel_event,
        m.EventShown,
    ),
    Route(
        "GET",
        "/api/events/{id}/standings",
        None,
        "Points and ratings of an event",
        Api.standings,
        m.StandingsShown,
        is_list=True,
    ),
    Route(
        "GET",
        "/api/ratings",
        None,
        "Points and ratings over all events",
        Api.ratings,
        m.StandingsShown,
        is_list=True,
    ),
    Route(
        "GET",
        "/api/matches",
        None,
        "List matches",
        Api.matches,
        m.MatchShown,
        is_list=True,
        query={
            "event": "of this event only",
            "status": "waiting, running, completed, failed or cancelled",
            "after": "those with a larger id",
            "limit": f"so many, at most {MAX_LISTED}",
        },
    ),
    Route("GET", "/api/matches/{id}", None, "Show a match", Api.match, m.MatchShown),
    Route(
        "POST",
        "/api/matches/{id}/result",
        "organiser",
        "Give a match a result by decision",
        Api.decide,
        m.MatchShown,
        m.ResultToDecide,
    ),
    Route("GET", "/api/matches/{id}/record", None, "The record, ggp.org JSON", Api.record),
    Route(
        "GET",
        "/api/news",
        None,
        "Live events, server-sent",
        Api.follow,
        m.Followed,
        is_stream=True,
    ),
    Route(
        "GET", "/api/tokens", "admin", "List tokens", Api.list_tokens, m.TokenShown, is_list=True
    ),
    Route(
        "POST",
        "/api/tokens",
        "admin",
        "Make a token",
        Api.post_token,
        m.TokenShown,
        m.TokenToPost,
    ),
    Route(
        "DELETE",
        "/api/tokens/{name}",
        "admin",
        "Revoke a token",
        Api.delete_token,
        m.Done,
    ),
)
"""All requests but those for pages, each for a role and those above it, or for everybody."""

_log = logging.getLogger(__name__)


def new_application(api: Api) -> web.Application:
    """Create the application that answers for the API, and the page."""
    application = web.Application(client_max_size=MAX_BODY, middlewares=[_errors_as_json])
    for route in ROUTES:
        application.router.add_route(
            route.method, route.path, _admitted(api, route.role, partial(route.handler, api))
        )
    add_pages(application, api)
    PeoplePages(api).add_routes(application.router)
    return application


def add_pages(application: web.Application, api: Api) -> None:
    """Have an application answer for the pages of spectators, organisers and visitors."""
    site = ManagerSite(api)
    application.on_cleanup.append(site.close)
    site.add_static_route(application.router)
    OrganiserPages(site).add_routes(application.router)
    SpectatorPages(site).add_routes(application.router)
    VisitorPages(site).add_routes(application.router)


def _admitted(api: Api, role: Role | None, handler: Handler) -> Handler:
    async def answer(request: web.Request) -> web.StreamResponse:
        await api.admit(request, role)
        return await handler(request)

    return answer


@web.middleware
async def _errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except ApiError as error:
        return _refusal(error)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return _refusal(ApiError(error.status, error.reason))
    except (ConnectionError, asyncio.CancelledError):
        raise
    except Exception:
        _log.exception("%s %s has failed", request.method, request.path)
        return _refusal(ApiError(500, "the manager has failed; its log says how"))


def _refusal(error: ApiError) -> web.Response:
    response = json_answer(m.ProblemShown(error=error.problem), error.status)
    if error.status == 401:
        response.headers["WWW-Authenticate"] = 'Basic realm="manager", charset="UTF-8"'
    return response
