"""The players as the manager speaks to them: this is where a player's dialect is chosen."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace

from gdl import Ruleset
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import (
    ConfigError,
    ManagerError,
    NobodyListensError,
    ProtocolError,
    ServerError,
)
from ggp_player.manager.mailboxes import Mailbox, Mailboxes
from ggp_player.manager.players import SENT_DIALECTS, RemotePlayer, open_player, seat_of
from ggp_player.manager_service.scheduling.people import People, base_of
from ggp_player.manager_service.storage.store import StoredPlayer
from ggp_player.match_runner.players import MatchPlayer
from ggp_player.play.human import human_seat
from ggp_player.play.table import HUMAN
from ggp_player.protocol import SYNTAXES, Dialect, Info, InfoReply, abort_text

STRATEGY = re.compile(r"[a-z_]+(:[a-z_0-9=.,]+)?")
"""A strategy of ours with its parameters; never a file, as its code would run here."""

POLLS = "(polls)"
"""Stands in place of the address of a player that polls; no strategy has such a name."""

INFO_SECONDS = 2.5
"""How long a player may take to answer INFO."""

MAX_ASKED = 32
"""Players that are asked for INFO at a time."""

ABORT_SECONDS = 1.0
"""How long a player may take to answer ABORT."""

_PREFERRED = tuple(map(Dialect, ("A", "D", "E", "B", "C", "C'")))
"""The dialects for games without percepts, best first: those with INFO and ABORT before others."""

_PREFERRED_WITH_PERCEPTS = tuple(one for one in sorted(_PREFERRED) if SYNTAXES[one].has_percepts)
"""The dialects for games with percepts, best first: others tell what is hidden."""


def dialect_for(player: StoredPlayer, tells_percepts: bool = False) -> Dialect:
    """Return the best of a player's dialects for a game, with percepts or without.

    Where it speaks none that tells percepts, it gets one nonetheless in a game that has them.
    """
    if polls(player):
        return Dialect.STANFORD_POLLING
    preferred = _PREFERRED_WITH_PERCEPTS if tells_percepts else _PREFERRED
    return next((one for one in preferred if one in player.dialects), preferred[0])


def check_address(address: str) -> None:
    """Raise :class:`ManagerError` unless it is ``host:port``, ``human``, or a strategy."""
    if address == HUMAN or RemotePlayer.at(address) is not None:
        return
    if not STRATEGY.fullmatch(address) or human_seat(address) is not None:
        expected = f"expected host:port, with a path or not, {HUMAN}, or a strategy"
        raise ManagerError(f"address: {expected}; found {address!r}")
    try:
        seat_of(address)
    except ConfigError as error:
        raise ManagerError(f"address: {error}") from error


def polls(player: StoredPlayer) -> bool:
    """Return whether the player is one that asks the manager for messages."""
    return player.address == POLLS


def is_person(player: StoredPlayer) -> bool:
    """Return whether the player is somebody who is asked on a page of the manager's."""
    return player.address == HUMAN


def is_strategy(player: StoredPlayer) -> bool:
    """Return whether the player is a strategy, which is run here, and as often as it is wanted."""
    is_elsewhere = polls(player) or RemotePlayer.at(player.address) is not None
    return not is_elsewhere and not is_person(player)


@dataclass(frozen=True, slots=True)
class PlayerProblem:
    """Why a player does not say its status; where nothing can be reached, nobody ``listens``."""

    text: str
    listens: bool = True


class Clients:
    """What speaks to the registered players: to servers, to those that poll, and to people."""

    def __init__(self, now: WallClock = wall_clock) -> None:
        self.mailboxes = Mailboxes(now)
        self.people = People()
        self._asking = asyncio.Semaphore(MAX_ASKED)

    async def open(
        self, player: StoredPlayer, stack: AsyncExitStack, seed: int, ruleset: Ruleset
    ) -> MatchPlayer:
        """Return a client for the player in a match; a strategy's processes end with the stack."""
        if is_person(player):
            if not self.people.is_here(player.name):
                return AbsentPlayer(player.name)
            person = self.people.of(player.name)
            await person.show_rulesheet(ruleset.source.text)
            return person
        server = self._server(player)
        if server is None:
            return await open_player(seat_of(player.address, seed=seed, ponder=False), stack)
        if isinstance(server, Mailbox):
            return server
        return replace(server, dialect=dialect_for(player, ruleset.has_percepts))

    async def ask_info(self, player: StoredPlayer) -> InfoReply | PlayerProblem:
        """Ask a player server for its status; return the problem if it gives none."""
        if is_person(player):
            if self.people.is_here(player.name):
                return InfoReply(player.name, "available")
            return PlayerProblem(f"nobody has the page {base_of(player.name)}/ open")
        server = self._server(player)
        if server is None:
            return InfoReply(player.address, "available")
        own = SYNTAXES[dialect_for(player)]
        syntax = own if Info in own.messages else SYNTAXES[Dialect.GGP_BASE]
        sent: list[bool] = []
        try:
            async with self._asking, asyncio.timeout(INFO_SECONDS):
                request = syntax.format_request(Info())
                reply = await server.send(request, lambda: sent.append(True))
                return syntax.parse_info_reply(reply)
        except TimeoutError:
            listens = bool(sent) or isinstance(server, Mailbox)
            return PlayerProblem(f"it has not answered INFO for {INFO_SECONDS:g} s", listens)
        except ServerError as error:
            return PlayerProblem(str(error), not isinstance(error, NobodyListensError))
        except ProtocolError:
            return PlayerProblem("what answers there is no player")

    async def abort(self, player: StoredPlayer, match_id: str) -> None:
        """Have a player server leave a match, if it is in it. Errors pass."""
        server = self._server(player)
        if server is not None:
            with suppress(ServerError, TimeoutError):
                async with asyncio.timeout(ABORT_SECONDS):
                    await server.send(abort_text(dialect_for(player), match_id))

    async def forget(self, player: StoredPlayer) -> None:
        """Drop what is kept for a player that is removed."""
        self.mailboxes.drop(player.name)
        await self.people.forget(player.name)

    def _server(self, player: StoredPlayer) -> RemotePlayer | Mailbox | None:
        """Return a client for a player server, None for other players; a match sets its dialect."""
        if polls(player):
            return self.mailboxes.of(player.name)
        remote = RemotePlayer.at(player.address)
        return None if remote is None else replace(remote, title=player.name)


class AbsentPlayer:
    """Stands for a player that is not there when its match begins: no request arrives."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def send(self, text: str) -> str:
        """Raise ServerError."""
        raise ServerError(f"{self.name} is not here")


def speaks(dialects: Sequence[str]) -> bool:
    """Return whether the manager can send requests in one of the dialects."""
    return not dialects or any(dialect in SENT_DIALECTS for dialect in dialects)
