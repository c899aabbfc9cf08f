"""Who may do what: reading is free unless the service is private, and changes need a token.

Requests from this machine to a service that listens here only need none. They go to a name of this
machine, as the domain name of a web page can be made to mean this address, and then the browser
takes us for the page's own server, from which it may read. And what changes something is sent by a
browser for no other site: it comes from no other origin, and its body is JSON, which no form of
another site can send.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import TypeAlias, TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from ggp_player.manager_service.scheduling.roster import Roster
from ggp_player.manager_service.storage.names import NameStore
from ggp_player.manager_service.storage.store import NAME, NAME_RULE
from ggp_player.manager_service.storage.tokens import Role, TokenHolder
from ggp_player.manager_service.web.models import ApiProblem
from ggp_player.pages.security import is_own_page
from ggp_player.server.access import names_loopback

MAX_NAMES = 8
"""Names that belong to one token of the role player."""

_EXPECTED = "another name, or that an organiser releases this one: DELETE /api/names/NAME"

_Model = TypeVar("_Model", bound=BaseModel)

Network: TypeAlias = IPv4Network | IPv6Network
"""Addresses of hosts, as CIDR has them."""


class ApiError(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, what: str, where: str = "", expected: str = "") -> None:
        self.status = status
        self.problem = ApiProblem(what=what, where=where, expected=expected)
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """``is_open``: this machine needs no token, as nobody else gets here.

    ``is_private``: looking needs a token, too. ``networks`` are where players of a token of the
    role player may be, besides where their registration comes from.
    """

    is_open: bool
    is_private: bool = False
    networks: tuple[Network, ...] = ()

    def allows(self, address: str, sender: str | None) -> bool:
        """Return whether the holder of a token of a player may have this host asked.

        ``sender`` is where the request comes from. Names of hosts are not allowed: what they mean
        can change after they were checked.
        """
        try:
            host = ip_address(address)
        except ValueError:
            return False
        return address == sender or any(host in network for network in self.networks)


def admit(
    known: TokenHolder | None, request: web.Request, role: Role | None, access: AccessPolicy
) -> TokenHolder:
    """Return who asks: whom the token belongs to, or whoever needs none.

    Raises :class:`ApiError` where the request is not allowed.
    """
    if known is None and secret_of(request):
        raise ApiError(401, "the token is not known, or was revoked", "Authorization")
    if known is None and access.is_open:
        if not names_loopback(request.host):
            what = f"this manager is for this machine only, which is not called {request.host}"
            raise ApiError(403, what, "Host", "127.0.0.1 or localhost; or a token")
        if request.method in {"GET", "HEAD"} or is_own_page(request.headers, request.host):
            known = TokenHolder("", "admin")
    if role is None and not access.is_private:
        return known or TokenHolder("", "spectator")
    needed = role or "spectator"
    if known is None:
        expected = f"Bearer TOKEN, with a token of the role {needed}"
        raise ApiError(401, "this needs a token", "Authorization", expected)
    if not known.may(needed):
        what = f"this is for the role {needed}; the token has {known.role}"
        raise ApiError(403, what, "Authorization")
    return known


def secret_of(request: web.Request) -> str:
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


class NameClaims:
    """Decides who may act for a player, and registers whose the names are."""

    def __init__(self, names: NameStore, roster: Roster) -> None:
        self._names = names
        self._roster = roster

    async def check(self, asking: TokenHolder, name: str) -> None:
        """Raise :class:`ApiError` where who asks may not act for the player."""
        if asking.may("organiser"):
            return
        owner = await asyncio.to_thread(self._names.owner, name)
        found = self._roster.presences.get(name)
        if not owner and found is not None:
            owner = found.player.owner
            if owner != asking.name:
                raise ApiError(403, f"{name} was registered by somebody else", "name", _EXPECTED)
        if owner and owner != asking.name:
            raise ApiError(403, f"the name {name} belongs to another token", "name", _EXPECTED)

    async def claim(self, asking: TokenHolder, name: str) -> str:
        """Take a name for who asks, and return the token whose it is, empty where it is nobody's.

        An organiser may use the name of another, by a token: without one it is taken for a mistake.
        Raises :class:`ApiError` where the name belongs to another token, and
        :class:`ManagerError` where this one has too many.
        """
        most = None if asking.may("organiser") else MAX_NAMES
        owner = await asyncio.to_thread(self._names.claim, name, asking.name, most)
        if owner != asking.name and not (asking.name and asking.may("organiser")):
            raise ApiError(403, f"the name {name} belongs to the token {owner}", "name", _EXPECTED)
        return owner

    def check_free(self, name: str, address: str, lifetime: int | None) -> None:
        """Raise :class:`ApiError` where another server that answers has registered the name."""
        found = self._roster.presences.get(name)
        if lifetime is None or found is None or found.player.address == address:
            return
        if found.status in {"available", "busy"}:
            what = f"the name {name} belongs to a player at another address"
            raise ApiError(409, what, "name", "another name: ggp-player serve --name")


def validated(model: type[_Model], validate: Callable[[], _Model]) -> _Model:
    """Validate what was sent, and return it. Raises :class:`ApiError` for the first error."""
    try:
        return validate()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        field = model.model_fields.get(str(first["loc"][0])) if first["loc"] else None
        expected = (field.description if field else "") or ""
        raise ApiError(422, first["msg"], where, expected) from error


def check_name(name: str) -> None:
    """Raise :class:`ApiError` unless a text is the name of a player, a game or a token."""
    if not NAME.fullmatch(name):
        raise ApiError(422, f"{name!r} is no name", "name", NAME_RULE)
