"""What the front asks of whoever knows who may be served: :class:`Access`."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from ggp_player.front.request_reader import Refusal, RequestHead


@dataclass(frozen=True, slots=True)
class Admission:
    """A request that may be served: from whom, and its head without the secret."""

    sender: str
    head: RequestHead
    base: str = ""
    """What stood before the path: the secret, where it was given there."""


class Access(Protocol):
    """Decides by the head of a request, before its body is read, whether it may be served."""

    def check(self, head: RequestHead, address: str) -> Admission | Refusal:
        """Decide on a request by its head and the address that it comes from."""
        ...


class OpenAccess:
    """Admits every request: whoever answers it decides."""

    def check(self, head: RequestHead, address: str) -> Admission | Refusal:
        """Admit a request."""
        return Admission(address, head)


@lru_cache(maxsize=1024)
def plain_address(address: str) -> str:
    """Write an address in one way: IPv4 in IPv6 is IPv4, and no zone."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return str(mapped or ip)
