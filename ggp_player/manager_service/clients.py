"""The players as the manager speaks to them: this is where a player's dialect is chosen.

A dialect is a function in :data:`CLIENTS` that makes a client of a player's address; a client takes
the text of a request and returns that of the reply, as
:class:`ggp_player.manager.MatchPlayer` says.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from types import MappingProxyType

from ggp_player.errors import ConfigError, ManagerError, ProtocolError, ServerError
from ggp_player.manager import MatchPlayer, RemotePlayer, open_player, seat_of
from ggp_player.manager_service.store import StoredPlayer
from ggp_player.protocol import Abort, Info, InfoReply, format_request, parse_info_reply

STRATEGY = re.compile(r"[a-z_]+(:[a-z_0-9=.,]+)?")
"""A strategy of ours with its parameters; never a file, as its code would run here."""

INFO_SECONDS = 2.5
"""How long a player may take to answer INFO."""

ABORT_SECONDS = 1.0
"""How long a player may take to answer ABORT."""

Client = Callable[[StoredPlayer, RemotePlayer], MatchPlayer]


def _ggp_base(player: StoredPlayer, remote: RemotePlayer) -> MatchPlayer:
    return replace(remote, title=player.name)


CLIENTS: Mapping[str, Client] = MappingProxyType({"A": _ggp_base, "B": _ggp_base, "D": _ggp_base})
"""What speaks to a player, by the dialect; the manager prefers those that stand first."""


def check_address(address: str) -> None:
    """Raise :class:`ManagerError` unless it is ``host:port``, with a path or not, or a strategy."""
    if RemotePlayer.at(address) is not None:
        return
    if not STRATEGY.fullmatch(address):
        raise ManagerError(f"address: expected host:port, or a strategy; found {address!r}")
    try:
        seat_of(address)
    except ConfigError as error:
        raise ManagerError(f"address: {error}") from error


def is_strategy(player: StoredPlayer) -> bool:
    """Return whether the player is a strategy, which is run here, and as often as it is wanted."""
    return RemotePlayer.at(player.address) is None


async def open_client(player: StoredPlayer, seed: int, stack: AsyncExitStack) -> MatchPlayer:
    """Return what speaks to the player in a match; a strategy's processes end with the stack."""
    remote = RemotePlayer.at(player.address)
    if remote is None:
        return await open_player(seat_of(player.address, seed=seed, ponder=False), stack)
    known = [dialect for dialect in CLIENTS if dialect in player.dialects]
    return CLIENTS[known[0] if known else "A"](player, remote)


async def ask_info(player: StoredPlayer) -> InfoReply | str:
    """Ask a player server for its status; return a sentence where it does not say it."""
    remote = RemotePlayer.at(player.address)
    if remote is None:
        return InfoReply(player.address, "available")
    try:
        async with asyncio.timeout(INFO_SECONDS):
            return parse_info_reply(await remote.ask(format_request(Info())))
    except TimeoutError:
        return f"it has not answered INFO for {INFO_SECONDS:g} s"
    except ServerError as error:
        return str(error)
    except ProtocolError:
        return "what answers there is no player"


async def abort(player: StoredPlayer, match_id: str) -> None:
    """Have a player server leave a match, if it is in it. Errors pass."""
    remote = RemotePlayer.at(player.address)
    if remote is not None:
        with suppress(ServerError, TimeoutError):
            async with asyncio.timeout(ABORT_SECONDS):
                await remote.ask(format_request(Abort(match_id)))


class AbsentPlayer:
    """Stands for a player that is not there when its match begins: no request arrives."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def send(self, text: str) -> str:
        """Raise ServerError."""
        raise ServerError(f"{self.name} is not registered")


def speaks(dialects: Sequence[str]) -> bool:
    """Return whether the manager has a client for one of the dialects."""
    return not dialects or any(dialect in CLIENTS for dialect in dialects)
