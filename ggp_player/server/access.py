"""Who may talk to the player, and as whom: addresses, a secret, and what browsers say of a page.

The protocol knows neither names nor passwords, so a sender is known by its address, or by a secret
that it gives: as the first part of the path, ``http://host:9147/SECRET``, which is all that a
manager's address can hold, or as ``Authorization: Bearer SECRET``. A match belongs to the sender of
its START.

A web page can have its reader's browser send a request anywhere, also to the loopback address. It
cannot keep the browser from saying so: ``Origin`` and ``Sec-Fetch-Site`` name a page. And where a
page has its own domain name point at our address, so that the browser takes us for its own server,
``Host`` holds that name. Names without a dot are no public domains, and IP addresses no names.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import unquote_plus

from ggp_player.front.admission import Admission
from ggp_player.front.request_reader import Refusal, RequestHead
from ggp_player.protocol import may_change_a_match

METHODS = ("POST", "GET", "OPTIONS")

HEALTH_PAGES = ("/healthz", "/readyz")
"""What this machine may ask without the secret, as the health check of a container does."""

ANY_ORIGIN = "*"

TOKEN_SENDER = "token"
"""The sender of every request that gives the secret, whatever its address."""

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class AccessRules:
    """What decides who may talk to the player.

    Without ``networks`` every address may. ``hosts`` are names of this server, in lower case;
    ``origins`` are the web pages that may drive it. With ``get_changes`` a GET may change a match.
    ``pages`` are how the addresses of our own pages begin, which may ask for one another, and
    ``page_changes`` are the paths to which they may send a POST.
    """

    networks: tuple[Network, ...] = ()
    token: str = ""
    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()
    get_changes: bool = False
    pages: tuple[str, ...] = ()
    page_changes: re.Pattern[str] | None = None

    def check(self, head: RequestHead, address: str) -> Admission | Refusal:
        """Decide on a request by its head and the address that it comes from."""
        if not self._admits_address(address):
            return _forbidden(f"requests from {address} are not answered; see --allow")
        if head.method not in METHODS:
            sentence = f"{head.method} is not answered; a message is sent by POST"
            return Refusal(HTTPStatus.METHOD_NOT_ALLOWED, sentence)
        sender, base = address, ""
        if self.token and not _is_own_health_check(head, address):
            without_token = self._without_token(head)
            if without_token is None:
                return _forbidden("the secret is missing or wrong; see --token")
            if without_token.target != head.target:
                base = "/" + head.target.removeprefix("/").partition("/")[0]
            sender, head = TOKEN_SENDER, without_token
        elif not self._is_our_name(head.header("host")):
            return _forbidden("the name in Host is not one of this server; see --allow-host")
        if refusal := self._refusal_of_page(head):
            return refusal
        return Admission(sender, head, base)

    def allowed_origin(self, origin: str) -> str:
        """What ``Access-Control-Allow-Origin`` is to say, empty where a page may not read us."""
        if ANY_ORIGIN in self.origins:
            return ANY_ORIGIN
        return origin if origin in self.origins else ""

    def _admits_address(self, address: str) -> bool:
        if not self.networks:
            return True
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:
            return False
        return ip.is_loopback or any(ip in network for network in self.networks)

    def _without_token(self, head: RequestHead) -> RequestHead | None:
        scheme, _, value = head.header("authorization").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(value.strip()):
            return head
        first, _, rest = head.target.removeprefix("/").partition("/")
        if self._is_token(unquote_plus(first)):
            return replace(head, target=f"/{rest}")
        return None

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self.token.encode())

    def _is_our_name(self, host: str) -> bool:
        name = _without_port(host).lower().rstrip(".")
        if "." not in name or name in self.hosts or name.endswith(".localhost"):
            return True
        return is_address(name)

    def _refusal_of_page(self, head: RequestHead) -> Refusal | None:
        """Refuse what a web page has sent, and what a link or an image of one could ask for."""
        if head.method == "OPTIONS":  # it asks whether it may; the reply's headers say so
            return None
        origin, site = head.header("origin"), head.header("sec-fetch-site").lower()
        is_of_page = bool(origin) or site not in {"", "none"}
        if is_of_page and self._is_between_own_pages(head):
            return None
        if is_of_page and not self.allowed_origin(origin):
            return _forbidden("a web page may not drive this player; see --allow-origin")
        is_restricted = head.method == "GET" and not self.get_changes
        if is_restricted and may_change_a_match(message_in(head.target)):
            return _forbidden("what changes a match is sent by POST; see --allow-get")
        return None

    def _is_between_own_pages(self, head: RequestHead) -> bool:
        """Whether a page of ours asks for another, or for a part of itself.

        The name in ``Host`` is one of ours, or the secret was given, so that it is no other site.
        """
        return _is_same_origin(head) and self.is_for_page(head)

    def is_for_page(self, head: RequestHead) -> bool:
        """Check whether the path is one of our pages, or ``/``, where the first of them is."""
        if not self.pages:
            return False
        path = head.target.partition("?")[0]
        if head.method == "POST":
            return self.page_changes is not None and bool(self.page_changes.fullmatch(path))
        return head.method == "GET" and (path == "/" or path.startswith(self.pages))


def _is_own_health_check(head: RequestHead, address: str) -> bool:
    return head.method == "GET" and head.target in HEALTH_PAGES and is_loopback(address)


def _is_same_origin(head: RequestHead) -> bool:
    """Whether a browser says that the page comes from where its request goes to."""
    origin, site = head.header("origin"), head.header("sec-fetch-site").lower()
    is_same = not origin or origin.partition("://")[2].lower() == head.header("host").lower()
    return is_same and site in {"", "same-origin"}


def message_in(target: str) -> str:
    """The message that stands in the address of a GET."""
    return unquote_plus(target.removeprefix("/"))


def is_address(text: str) -> bool:
    """Check whether the text is an IP address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Check whether only this machine can reach what listens at a host."""
    return host == "localhost" or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def names_loopback(host: str) -> bool:
    """Check whether a ``Host`` is a name that no machine but this one can have."""
    return is_loopback(_without_port(host).lower().rstrip("."))


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _forbidden(sentence: str) -> Refusal:
    return Refusal(HTTPStatus.FORBIDDEN, sentence)
