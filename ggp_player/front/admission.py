"""What the front asks of whoever knows who may be served: :data:`Access`."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from ggp_player.front.request_reader import Refusal, RequestHead


@dataclass(frozen=True, slots=True)
class Admission:
    """A request that may be served: from whom, and its head without the secret."""

    sender: str
    head: RequestHead
    base: str = ""
    """What stood before the path: the secret, where it was given there."""


Access: TypeAlias = Callable[[RequestHead, str], Admission | Refusal]
"""Decides by the head of a request and its address, before the body is read, if it is served."""


def open_access(head: RequestHead, address: str) -> Admission:
    """Admit every request: whoever answers it decides."""
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
