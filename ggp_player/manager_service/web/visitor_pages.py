"""The pages on which visitors log in with a token, or join by an invitation.

Opening a link of an invitation changes nothing; the form on it makes a token of the role player.
The browser that sends it is logged in with that, and may take a seat or start a server.
"""

from __future__ import annotations

from aiohttp import web

from ggp_player.errors import ManagerError
from ggp_player.manager_service.web.admission import ApiError, check_name
from ggp_player.manager_service.web.manager_site import ManagerSite, sentence_of
from ggp_player.manager_service.web.sessions import is_encrypted

MAX_TOKEN = 200
"""Characters of a token that is looked up."""


class VisitorPages:
    """Lets people in."""

    def __init__(self, site: ManagerSite) -> None:
        self._site = site
        self._api = site.api

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Have an application answer for the pages."""
        self._site.add_open_page(router, "/login", self._login)
        self._site.add_open_form(router, "/login", self._post_login)
        self._site.add_open_form(router, "/logout", self._logout)
        self._site.add_open_page(router, "/join/{code}", self._join)
        self._site.add_open_form(router, "/join/{code}", self._post_join)

    async def _login(self, request: web.Request) -> web.Response:
        return self._site.login()

    async def _post_login(self, request: web.Request) -> web.StreamResponse:
        secret = str((await request.post()).get("token", "")).strip()
        if len(secret) > MAX_TOKEN or await self._api.identify(secret) is None:
            return self._site.login(401, "This token is not known, or was revoked.")
        response = web.HTTPSeeOther("/")
        self._api.sessions.begin(request, response, secret)
        raise response

    async def _logout(self, request: web.Request) -> web.StreamResponse:
        response = web.HTTPSeeOther("/")
        self._api.sessions.end(request, response)
        raise response

    async def _join(self, request: web.Request) -> web.Response:
        complaint = (
            "" if await self._is_invited(request) else "The invitation is not valid any more."
        )
        return self._site.visitor_page("manager_join.html", complaint=complaint)

    async def _post_join(self, request: web.Request) -> web.StreamResponse:
        name = str((await request.post()).get("name", "")).strip()
        try:
            if not await self._is_invited(request):
                raise ApiError(403, "the invitation is not valid any more")
            check_name(name)
            secret = await self._api.scheduler.call(self._api.invitations.join, name)
        except (ApiError, ManagerError) as error:
            status = error.status if isinstance(error, ApiError) else 409
            what = sentence_of(error) if isinstance(error, ApiError) else str(error)
            return self._site.visitor_page("manager_join.html", status, complaint=what, name=name)
        scheme = "https" if is_encrypted(request) else "http"
        address = f"{scheme}://{request.host}"
        response = self._site.visitor_page(
            "manager_joined.html", who=name, name=name, secret=secret, address=address
        )
        self._api.sessions.begin(request, response, secret)
        return response

    async def _is_invited(self, request: web.Request) -> bool:
        code = request.match_info["code"]
        return await self._api.scheduler.call(self._api.invitations.is_valid, code)
