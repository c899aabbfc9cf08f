"""The first contact with player servers: a match begins only with those that can be reached."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from ggp_player.errors import ServerError
from ggp_player.manager.players import RemotePlayer, Seat
from ggp_player.protocol import SYNTAXES, Info

CONTACT_SECONDS = 5.0
"""Seconds in which a player server must answer INFO, or take a connection."""


async def check_reachable(seats: Iterable[Seat], seconds: float = CONTACT_SECONDS) -> None:
    """Ask every player server among the seats whether it is there, all at once.

    Each is asked for INFO, whatever it replies; one whose dialect has no INFO is only connected to.
    Raises :class:`ServerError`, which says of each that cannot be reached where it is and why.
    """
    servers = list(dict.fromkeys(seat for seat in seats if isinstance(seat, RemotePlayer)))
    reasons = await asyncio.gather(*(_why_unreachable(server, seconds) for server in servers))
    missing = [
        f"{server.name} cannot be reached: {reason}"
        for server, reason in zip(servers, reasons, strict=True)
        if reason
    ]
    if missing:
        raise ServerError("; ".join([*missing, "no match is begun"]))


async def _why_unreachable(server: RemotePlayer, seconds: float) -> str:
    """Why a player server cannot be reached; empty where it can."""
    syntax = SYNTAXES[server.dialect]
    try:
        async with asyncio.timeout(seconds):
            if Info in syntax.messages:
                await server.ask(syntax.format_request(Info()))
            else:
                await _connect(server)
    except TimeoutError:
        return f"no reply came in {seconds:g} s"
    except ServerError as error:
        return str(error)
    return ""


async def _connect(server: RemotePlayer) -> None:
    """Open a connection, and close it. Raises :class:`ServerError`."""
    try:
        _, writer = await asyncio.open_connection(server.host, server.port)
    except OSError as error:
        raise ServerError(error.strerror or str(error)) from error
    writer.close()
