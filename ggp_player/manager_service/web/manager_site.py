"""What all pages of the manager share: who looks at them, their errors, and the drawing process.

Forms work without scripts: a form is sent by POST, and what it has done is seen on the page that
the answer leads to. An error is a sentence beside the form, which keeps what was written in it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler

from ggp_player.manager_service.storage.tokens import Role
from ggp_player.manager_service.web.admission import ApiError
from ggp_player.manager_service.web.api import Api
from ggp_player.manager_service.web.sessions import check_form
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.site import PageSite

Page: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

LINKS = (("/", "Events"), ("/live", "Live"), ("/games", "Games"), ("/api/openapi.json", "API"))


class ManagerSite:
    """Renders the pages of the manager, for whom they are meant."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.drawer = Drawer()
        self._site = PageSite("Manager", LINKS)

    def add_static_route(self, router: web.UrlDispatcher) -> None:
        """Have an application serve the static files."""
        self._site.add_static_route(router)

    async def close(self, application: web.Application) -> None:
        """End the process that draws."""
        await self.drawer.close()

    def add_page(
        self, router: web.UrlDispatcher, path: str, page: Page, role: Role | None = None
    ) -> None:
        """Have an application show a page to those who have a role, or else to all who may look."""
        router.add_get(path, self._answering(page, role), allow_head=False)

    def add_form(self, router: web.UrlDispatcher, path: str, role: Role, page: Page) -> None:
        """Have an application take a form from those who have a role."""
        self.add_open_form(router, path, self._answering(page, role))

    def add_open_page(self, router: web.UrlDispatcher, path: str, page: Page) -> None:
        """Have an application show a page to everybody, also where looking needs a token."""
        router.add_get(path, page, allow_head=False)

    def add_open_form(self, router: web.UrlDispatcher, path: str, page: Page) -> None:
        """Have an application take a form from everybody, also where looking needs a token."""

        async def answer(request: web.Request) -> web.StreamResponse:
            try:
                check_form(request.headers, request.host)
                return await page(request)
            except ApiError as error:
                return self.error(error)

        router.add_post(path, answer)

    def _answering(self, page: Page, role: Role | None) -> Handler:
        async def answer(request: web.Request) -> web.StreamResponse:
            try:
                await self.api.admit(request, role)
                return await page(request)
            except ApiError as error:
                if error.status == 401:
                    return self.login(401, "" if role is None else "This is for organisers.")
                return self.error(error)

        return answer

    def page(
        self,
        template: str,
        here: str = "",
        status: int = 200,
        **values: Any,  # noqa: ANN401
    ) -> web.Response:
        """Render a page for who asks."""
        asking = self.api.asking
        return self._rendered(
            template,
            status,
            here=here,
            who=asking.name,
            is_organiser=asking.may("organiser"),
            **values,
        )

    def visitor_page(
        self,
        template: str,
        status: int = 200,
        complaint: str = "",
        **values: Any,  # noqa: ANN401
    ) -> web.Response:
        """Render a page for somebody who has no token yet."""
        given = {"here": "", "who": "", "is_organiser": False, "name": "", "complaint": complaint}
        return self._rendered(template, status, **{**given, **values})

    def login(self, status: int = 200, complaint: str = "") -> web.Response:
        """Render the page on which a token is given."""
        return self.visitor_page("manager_login.html", status, complaint)

    def error(self, error: ApiError) -> web.Response:
        """Render a page that says what is wrong."""
        return self._site.error(error.status, sentence_of(error))

    def _rendered(
        self,
        template: str,
        status: int,
        **values: Any,  # noqa: ANN401 - what the template shows
    ) -> web.Response:
        response = self._site.page(template, status=status, **values)
        # With no-referrer, a browser would not say which page a form comes from.
        response.headers["Referrer-Policy"] = "same-origin"
        return response


def sentence_of(error: ApiError) -> str:
    """Say what is wrong, and what was expected."""
    problem = error.problem
    expected = f"; expected {problem.expected}" if problem.expected else ""
    return f"{problem.what}{expected}"
