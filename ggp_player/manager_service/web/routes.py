"""The requests of the API, in one table: the service and the OpenAPI document follow from it."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from aiohttp import web
from aiohttp.typedefs import Handler

from ggp_player.errors import StoppingError
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
from ggp_player.pages.site import NO_PAGE, asks_for_page

ROUTES: tuple[Route[Api], ...] = (
    Route("GET /api/openapi.json", Api.openapi),
    Route("GET /api/status", Api.status, m.StatusShown),
    Route("GET /api/players", Api.players, m.PlayerShown, is_list=True),
    Route("GET /api/players/{name}", Api.player, m.PlayerShown),
    Route("PUT /api/players/{name}", Api.put_player, m.PlayerShown, m.PlayerToPut, role="player"),
    Route("DELETE /api/players/{name}", Api.delete_player, m.Done, role="player"),
    Route("POST /api/players/{name}/check", Api.check_player, m.PlayerShown, role="organiser"),
    Route("GET /api/names", Api.names, m.NameShown, role="organiser", is_list=True),
    Route("DELETE /api/names/{name}", Api.release_name, m.Done, role="organiser"),
    Route("POST /api/people", Api.post_person, m.SeatTaken, m.PersonToSeat, role="player"),
    Route(
        "GET /api/poll",
        Api.poll,
        role="player",
        is_text=True,
        query={"recipient": "the name of the player, which is registered by that"},
    ),
    Route(
        "POST /api/poll",
        Api.take_reply,
        role="player",
        is_text=True,
        query={
            "sender": "the name of the player",
            "recipient": "the sender of the message that is answered",
            "msgid": "its number",
        },
    ),
    Route("GET /api/games", Api.games, m.GameShown, is_list=True),
    Route("GET /api/games/{name}", Api.game, m.GameShown),
    Route("PUT /api/games/{name}", Api.put_game, m.GameShown, m.GameToPut, role="organiser"),
    Route("GET /api/events", Api.events, m.EventShown, is_list=True),
    Route("POST /api/events", Api.post_event, m.EventShown, m.EventToPost, role="organiser"),
    Route("GET /api/events/{id}", Api.event, m.EventShown),
    Route("POST /api/events/{id}/start", Api.start_event, m.EventShown, role="organiser"),
    Route("POST /api/events/{id}/pause", Api.pause_event, m.EventShown, role="organiser"),
    Route(
        "POST /api/events/{id}/withdraw",
        Api.withdraw,
        m.EventShown,
        m.PlayerToWithdraw,
        role="organiser",
    ),
    Route("GET /api/events/{id}/crosstable", Api.cross_table, m.CrossTableShown),
    Route("GET /api/events/{id}/test", Api.test, m.SequentialTestShown),
    Route("POST /api/events/{id}/cancel", Api.cancel_event, m.EventShown, role="organiser"),
    Route("GET /api/events/{id}/standings", Api.standings, m.StandingsShown, is_list=True),
    Route("GET /api/ratings", Api.ratings, m.StandingsShown, is_list=True),
    Route(
        "GET /api/matches",
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
    Route("GET /api/matches/{id}", Api.match, m.MatchShown),
    Route(
        "POST /api/matches/{id}/result",
        Api.decide,
        m.MatchShown,
        m.ResultToDecide,
        role="organiser",
    ),
    Route("GET /api/matches/{id}/record", Api.record),
    Route("GET /api/news", Api.follow, m.Followed, is_stream=True),
    Route("GET /api/tokens", Api.list_tokens, m.TokenShown, role="admin", is_list=True),
    Route("POST /api/tokens", Api.post_token, m.TokenShown, m.TokenToPost, role="admin"),
    Route("DELETE /api/tokens/{name}", Api.delete_token, m.Done, role="admin"),
)
"""All requests but those for pages, each for a role and those above it, or for everybody."""

_SITE = web.AppKey("site", ManagerSite)

_log = logging.getLogger(__name__)


def new_application(api: Api) -> web.Application:
    """Create the application that answers for the API, and the pages."""
    application = web.Application(client_max_size=MAX_BODY, middlewares=[_errors_as_json])
    for route in ROUTES:
        application.router.add_route(
            route.method, route.path, _admitted(api, route.role, partial(route.handler, api))
        )
    application[_SITE] = site = ManagerSite(api)
    application.on_cleanup.append(site.close)
    site.add_static_route(application.router)
    OrganiserPages(site).add_routes(application.router)
    SpectatorPages(site).add_routes(application.router)
    VisitorPages(site).add_routes(application.router)
    PeoplePages(api).add_routes(application.router)
    return application


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
        if error.status == 404 and asks_for_page(request) and not request.path.startswith("/api/"):
            return request.app[_SITE].error(ApiError(404, NO_PAGE))
        return _refusal(ApiError(error.status, error.reason))
    except StoppingError as error:
        return _refusal(ApiError(503, str(error)))
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
