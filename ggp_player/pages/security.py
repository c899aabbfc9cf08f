"""What keeps pages safe: their headers, and who may have them change something.

Pages load nothing from elsewhere and run no script that stands in them, so that text of a rulesheet
that got into a page as markup would still do nothing. The address of a page can hold the server's
secret, which is why no other site gets to see it.

A request that changes something is a POST of JSON that comes from a page of this server. Three
things say so, and all are checked: what the browser says of the page (``Sec-Fetch-Site``), its
``Origin``, and a token that only the page can know. The token is asked for on the loopback address,
too: other pages in the same browser can reach it.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping

from aiohttp import web

from ggp_player.languages import Sentence

PAGE_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""The headers of every response to a page."""

UNSTORED_HEADERS: Mapping[str, str] = {**PAGE_HEADERS, "Cache-Control": "no-store"}
"""The same for what no browser is to keep."""

NOT_JSON = Sentence("what changes something is sent as JSON")
NOT_A_PAGE = Sentence("only a page of this server may change something")
OLD_PAGE = Sentence("the page is older than the server; load it again")

TOKEN_HEADER = "X-Page-Token"
"""The header in which a page gives the token of :class:`WriteGuard`."""


class WriteGuard:
    """Decides whether a request may change something; ``token`` is for the pages of this server."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)

    def check(self, request: web.Request) -> None:
        """Raise an HTTP error where the request may change nothing, and say why."""
        if request.method != "POST":
            raise web.HTTPMethodNotAllowed(request.method, ["POST"])
        if request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(reason=NOT_JSON)
        if not is_own_page(request.headers, request.host):
            raise web.HTTPForbidden(reason=NOT_A_PAGE)
        given = request.headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise web.HTTPForbidden(reason=OLD_PAGE)


def is_own_page(headers: Mapping[str, str], host: str) -> bool:
    """Check whether a request comes from a page of the server that is called ``host``.

    Of one without ``Origin`` nothing is known but that no other site's page has sent it by POST.
    """
    origin, site = headers.get("Origin", ""), headers.get("Sec-Fetch-Site", "").lower()
    is_same = not origin or origin.partition("://")[2].lower() == host.lower()
    return is_same and site in {"", "same-origin"}
