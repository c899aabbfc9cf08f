"""Sessions of browsers: who has logged in with a token needs to give it no more.

A browser keeps the number of its session in a cookie that no script reads and that no request from
another site brings (``HttpOnly``, ``SameSite=Strict``); the token itself is in no cookie and in no
address. Sites at other ports of the same host count as the same site for cookies, so whatever
changes something must also come from a page of this manager: see :func:`check_form`.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from aiohttp import web

from ggp_player.clock import Clock, monotonic
from ggp_player.manager_service.web.admission import ApiError
from ggp_player.pages.security import is_own_page

COOKIE = "manager_session"

LIFETIME = 12 * 3600
"""Seconds after which somebody has to log in again."""

MAX_SESSIONS = 1000
"""Sessions that are kept; of more, the oldest end."""

SESSION_BYTES = 24
"""Random bytes in the number of a session."""


@dataclass(frozen=True, slots=True)
class _Session:
    secret: str
    ends: float


class Sessions:
    """The sessions, which end with the manager, and when the token is revoked.

    They are found by the hashes of their numbers, so the time that it takes tells nothing of these.
    """

    def __init__(self, clock: Clock = monotonic) -> None:
        self._clock = clock
        self._sessions: OrderedDict[bytes, _Session] = OrderedDict()

    def begin(self, request: web.Request, response: web.StreamResponse, secret: str) -> None:
        """Begin a session for who has given a token, in place of an earlier one."""
        self.end(request, response)
        number = secrets.token_urlsafe(SESSION_BYTES)
        self._sessions[_key(number)] = _Session(secret, self._clock() + LIFETIME)
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        response.set_cookie(
            COOKIE,
            number,
            max_age=LIFETIME,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=is_encrypted(request),
        )

    def end(self, request: web.Request, response: web.StreamResponse) -> None:
        """End the session of a request, if there is one."""
        self._sessions.pop(_key(request.cookies.get(COOKIE, "")), None)
        response.del_cookie(COOKIE, path="/")

    def secret_of(self, request: web.Request) -> str:
        """Return the token that a request's session began with, empty where there is none.

        Raises :class:`ApiError` where the request would change something and no page of ours sent
        it.
        """
        found = self._sessions.get(_key(request.cookies.get(COOKIE, "")))
        if found is None or found.ends < self._clock():
            return ""
        if request.method not in {"GET", "HEAD"}:
            check_form(request.headers, request.host)
        return found.secret


def check_form(headers: Mapping[str, str], host: str) -> None:
    """Raise :class:`ApiError` unless the browser says that a page of this manager sends this."""
    is_said = "Origin" in headers or "Sec-Fetch-Site" in headers
    if not is_said or not is_own_page(headers, host):
        raise ApiError(403, "only a page of this manager may change something", "Origin")


def is_encrypted(request: web.Request) -> bool:
    """Return whether the browser speaks TLS: with the manager, or with a proxy that says so."""
    return request.secure or request.headers.get("X-Forwarded-Proto", "").lower() == "https"


def _key(number: str) -> bytes:
    return sha256(number.encode("utf-8", "replace")).digest()
