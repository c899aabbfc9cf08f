"""The players of a match as the game manager sees them: in this process, or behind a server.

A player takes the text of a request and returns the text of the reply, or raises
:class:`ServerError` if the connection fails. The game manager decides how long to wait: it cancels
a request that takes too long.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

import aiohttp
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import HttpVersion10, StreamWriter
from aiohttp.payload import Payload
from yarl import URL

from ggp_player.errors import ConfigError, ServerError
from ggp_player.events import EventBus
from ggp_player.play import HumanSeat, human_seat, open_human
from ggp_player.protocol import Dialect
from ggp_player.server import Config, Player, load_config

MAX_REPLY = 2**16
"""Bytes read of a reply; no move is longer."""


SENT_DIALECTS = tuple(one for one in Dialect if one is not Dialect.STANFORD_POLLING)
"""The dialects in which players are sent requests; in the other one they ask for them."""


class MatchPlayer(Protocol):
    """Whoever plays a role in a match."""

    @property
    def name(self) -> str:
        """The name for display and for the record."""
        ...

    async def send(self, text: str) -> str:
        """Return the reply to a request; raises ServerError if the connection fails."""
        ...


@dataclass(frozen=True, slots=True)
class LocalPlayer:
    """A player in this process, started and closed by the caller.

    ``illegal_choices`` are those of its strategy that the player has replaced with legal moves, and
    that nobody has taken note of yet.
    """

    name: str
    player: Player
    illegal_choices: list[str] = field(default_factory=list)

    async def send(self, text: str) -> str:
        """Hand the request to the player and return its reply."""
        return await self.player.reply(text)

    def take_illegal_choice(self) -> str | None:
        """Return the choice that was replaced since the last call, None if there is none."""
        taken = self.illegal_choices[-1] if self.illegal_choices else None
        self.illegal_choices.clear()
        return taken


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
        on the player can think.
        """
        try:
            return await self.ask(text, on_sent)
        except ServerError as error:
            raise ServerError(f"{self.name}: {error}") from error.__cause__

    async def ask(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        """Do what :meth:`send` does, with errors that do not name the address."""
        try:
            return await self._post(text, on_sent)
        except (aiohttp.ClientError, OSError) as error:
            raise ServerError(_sentence(error)) from error

    async def _post(self, text: str, on_sent: Callable[[], None]) -> str:
        headers = {
            "Accept": "text/delim",
            "Sender": "GAMESERVER",
            "Receiver": self.name,
            "Content-Type": "text/acl",
        }
        url = URL.build(scheme="http", host=self.host, port=self.port, path=self.path)
        async with (
            aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(force_close=True),
                headers=headers,
                timeout=aiohttp.ClientTimeout(total=None),
                version=HttpVersion10,
                skip_auto_headers=("User-Agent", "Accept-Encoding"),
            ) as session,
            session.post(
                url, data=_TimedBody(text.encode(), on_sent), allow_redirects=False
            ) as response,
        ):
            try:
                body = await response.content.readexactly(MAX_REPLY)
            except asyncio.IncompleteReadError as end:
                body = end.partial
            return body.decode("utf-8", errors="replace")


class _TimedBody(Payload):
    """A body that tells when it has been sent."""

    def __init__(self, body: bytes, on_sent: Callable[[], None]) -> None:
        super().__init__(body)
        self._size = len(body)
        self._on_sent = on_sent

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the body as text."""
        return bytes(self._value).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write the body, and wait until the system has taken all of it."""
        await writer.write(self._value)
        if isinstance(writer, StreamWriter) and writer.transport is not None:
            writer.transport.set_write_buffer_limits(0)
        await writer.drain()
        self._on_sent()


def _sentence(error: Exception) -> str:
    """Say why there is no reply."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return f"the host {error.host} is not known"
        case aiohttp.ClientConnectorError(os_error=ConnectionRefusedError()):
            return "nothing listens there"
        case aiohttp.ClientConnectorError():
            return f"it cannot be reached: {error.os_error.strerror or error.os_error}"
        case aiohttp.ServerDisconnectedError() | ConnectionResetError():
            return "the connection was closed without a reply"
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return "what listens there does not speak HTTP"
        case _:
            return str(error) or type(error).__name__


Seat: TypeAlias = Config | RemotePlayer | HumanSeat
"""The settings of a player in this process, the address of a player server, or a person's seat."""


def seat_of(player: str, **settings: object) -> Seat:
    """Read a player's text: ``host:port``, a strategy, which gets the settings given, or ``human``.

    ``host:port#DIALECT`` is a player server that does not speak dialect A. Raises
    :class:`ConfigError` if it is none of them.
    """
    if (human := human_seat(player)) is not None:
        return human
    remote = RemotePlayer.named(player)
    if remote is None and RemotePlayer.at(player.partition("#")[0]) is not None:
        known = ", ".join(SENT_DIALECTS)
        raise ConfigError((f"expected a dialect after '#', one of {known}; found {player}",))
    if remote is None and re.fullmatch(r"[^\s/]*:\d+(#.*)?", player):
        raise ConfigError((f"expected host:port with a port from 1 to 65535; found {player}",))
    return remote or load_config(flags={"strategy": player, **settings})


async def open_player(
    seat: Seat, stack: AsyncExitStack, events: EventBus | None = None
) -> MatchPlayer:
    """Return the player of a seat; one in this process is started, and closed with the stack.

    It tells what happens in its matches to ``events``. Where a person is asked on a page, the
    standard output says where that is.
    """
    if isinstance(seat, RemotePlayer):
        return seat
    if isinstance(seat, HumanSeat):
        return await open_human(seat, stack)
    illegal: list[str] = []
    player = await stack.enter_async_context(
        Player(seat, on_illegal_choice=illegal.append, events=events)
    )
    return LocalPlayer(seat.strategy, player, illegal)
