"""Who can be named as a player of a match: a strategy here, a player server, or a person.

A match begins only with player servers that can be reached.
"""

from __future__ import annotations

import asyncio
import errno
import re
import socket
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import TypeAlias

from yarl import URL

from ggp_player.errors import ConfigError, NobodyListensError, ServerError
from ggp_player.events import EventBus
from ggp_player.manager.reply_reader import ReplyProtocol
from ggp_player.match_runner.own_faults import LackError, lack_in
from ggp_player.match_runner.players import LocalPlayer, MatchPlayer
from ggp_player.play.human import HumanSeat, human_seat, open_human
from ggp_player.protocol import SYNTAXES, Dialect, Info
from ggp_player.server.config import Config, load_config
from ggp_player.server.player import Player
from ggp_player.strategies import EngineStrategy
from ggp_player.strategies.selection import strategy_class
from ggp_player.worker.warm_up_process import warm_up_first

MAX_REPLY = 2**16
"""Bytes read of a reply; no move is longer."""

SECOND_ADDRESS_SECONDS = 0.25
"""Seconds after which a host that has several addresses is tried at the next one, too."""

_NUMBERS = re.compile(r"\[Errno (\d+)\]")

SENT_DIALECTS = tuple(one for one in Dialect if one is not Dialect.STANFORD_POLLING)
"""The dialects in which players are sent requests; in the other one they ask for them."""


@dataclass(frozen=True, slots=True)
class RemotePlayer:
    """A player server on the network, addressed as ggp-base's manager does.

    Every request has a connection of its own. The reply's HTTP status is ignored.
    """

    host: str
    port: int
    path: str = "/"
    title: str = ""
    dialect: Dialect = Dialect.GGP_BASE

    @classmethod
    def at(cls, address: str) -> RemotePlayer | None:
        """Return the player at ``host:port`` or ``host:port/path``, None if that is no address."""
        match = re.fullmatch(r"\[?([^\s/\[\]]+?)\]?:(\d{1,5})(/[^\s?#]*)?", address)
        if match is None or not 0 < int(match[2]) < 2**16:
            return None
        return cls(match[1], int(match[2]), match[3] or "/")

    @classmethod
    def named(cls, text: str) -> RemotePlayer | None:
        """Return the player of an address with ``#DIALECT`` after it or not, None if it is none."""
        address, mark, dialect = text.partition("#")
        player = cls.at(address)
        if player is None or not mark:
            return player
        return replace(player, dialect=Dialect(dialect)) if dialect in SENT_DIALECTS else None

    @property
    def name(self) -> str:
        """The ``title``, otherwise the address: without a path, which may be a secret."""
        return self.title or f"{self.host}:{self.port}"

    async def send(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        """Post the request and return the reply's first ``MAX_REPLY`` bytes as text.

        ``on_sent`` is called when the last byte of the request has gone to the system: from then
        on the player can think. Raises :class:`LackError` where this process lacks what it needs
        to ask, and :class:`ServerError` that does not name the address for whatever else fails.
        """
        loop = asyncio.get_running_loop()
        body = text.encode()
        is_connected = False
        pause = None if _is_number(self.host) else SECOND_ADDRESS_SECONDS
        try:
            request = self._head(len(body)) + body
            transport, protocol = await loop.create_connection(
                lambda: ReplyProtocol(request, MAX_REPLY, on_sent),
                self.host,
                self.port,
                happy_eyeballs_delay=pause,
            )
            is_connected = True
            try:
                reply = await protocol.reply
            finally:
                transport.abort()
        except (OSError, ValueError, MemoryError, RuntimeError) as error:
            if what := lack_in(error):
                raise LackError(what, was_sent=is_connected) from error
            if isinstance(error, MemoryError | RuntimeError):
                raise
            raise NobodyListensError(_sentence(error, self.host)) from error
        return reply.decode("utf-8", errors="replace")

    def _head(self, length: int) -> bytes:
        """Write the head of a request with a body of this length."""
        url = URL.build(scheme="http", host=self.host, port=self.port, path=self.path)
        lines = (
            f"POST {url.raw_path} HTTP/1.0",
            f"Host: {url.host_port_subcomponent}",
            "Accept: text/delim",
            "Sender: GAMESERVER",
            f"Receiver: {self.name}",
            "Content-Type: text/acl",
            f"Content-Length: {length}",
        )
        return "\r\n".join((*lines, "\r\n")).encode()


def _is_number(host: str) -> bool:
    """Whether a host is an address, not a name that may have several."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _sentence(error: Exception, host: str) -> str:
    """Say why a host cannot be reached."""
    text = str(error)
    match error:
        case socket.gaierror() | ValueError():
            return f"the host {host} is not known"
        case ConnectionRefusedError():
            return "nothing listens there"
        case OSError(errno=None) if set(_NUMBERS.findall(text)) == {str(errno.ECONNREFUSED)}:
            return "nothing listens there"  # at none of its addresses
        case OSError():
            return f"it cannot be reached: {error.strerror or text}"
        case _:
            return text or type(error).__name__


Seat: TypeAlias = Config | RemotePlayer | HumanSeat
"""The settings of a player in this process, the address of a player server, or a person's seat."""


def seat_of(player: str, **settings: object) -> Seat:
    """Read a player's text: ``host:port``, a strategy, which gets the settings given, or ``human``.

    ``host:port#DIALECT`` is a player server that does not speak dialect A. A strategy keeps no
    matches for after a restart: the folder that the environment names is for a server. Raises
    :class:`ConfigError` if it is none of them.
    """
    if (human := human_seat(player)) is not None:
        return human
    remote = RemotePlayer.named(player)
    if remote is None and RemotePlayer.at(player.partition("#")[0]) is not None:
        known = ", ".join(SENT_DIALECTS)
        raise ConfigError((f"expected a dialect after '#', one of {known}; found {player}",))
    if remote is None and re.fullmatch(r"(https?://)?[^\s/]*:\d+/?(#.*)?", player):
        raise ConfigError((f"expected host:port with a port from 1 to 65535; found {player}",))
    if remote is not None:
        return remote
    return load_config(flags={"strategy": player, **settings}).model_copy(
        update={"state_dir": None}
    )


def compile_searches_of(players: Iterable[str], report: Callable[[str], None]) -> None:
    """Have the searches compiled that some players need, before a clock of theirs starts.

    Nothing is done, or reported, where all players are people, servers or simpler strategies, or
    where it was done before on this machine. Raises :class:`StrategyError` for a player that is
    none.
    """
    strategies = [
        player
        for player in players
        if RemotePlayer.named(player) is None and human_seat(player) is None
    ]
    if any(issubclass(strategy_class(spec), EngineStrategy) for spec in strategies):
        warm_up_first(report)


async def open_player(
    seat: Seat,
    stack: AsyncExitStack,
    events: EventBus | None = None,
    *,
    of_one_match: bool = False,
) -> MatchPlayer:
    """Return the player of a seat; one in this process is started, and closed with the stack.

    It tells what happens in its matches to ``events``; ``of_one_match`` is that of
    :class:`.Player`. Where a person is asked on a page, the standard output says where that is.
    """
    if isinstance(seat, RemotePlayer):
        return seat
    if isinstance(seat, HumanSeat):
        return await open_human(seat, stack)
    illegal: list[str] = []
    player = await stack.enter_async_context(
        Player(seat, on_illegal_choice=illegal.append, events=events, of_one_match=of_one_match)
    )
    return LocalPlayer(seat.strategy, player, illegal)


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
                await server.send(syntax.format_request(Info()))
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
