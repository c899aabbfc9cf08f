"""Player servers as the opponents of people: they get START, PLAY, and STOP or ABORT."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from gdl import Constant, GdlError, Ruleset, Term
from ggp_player.errors import MatchError, ServerError
from ggp_player.play.table import spelled
from ggp_player.protocol import (
    CONNECTION_ERROR,
    ILLEGAL,
    TIMEOUT,
    Play,
    Request,
    Start,
    format_request,
)

GRACE = 1.0
"""Seconds that a player server may take beyond a clock."""

_log = logging.getLogger(__name__)


class RemoteOpponent(Protocol):
    """A player server; :class:`ggp_player.manager.RemotePlayer` is one."""

    @property
    def name(self) -> str:
        """Its name for the record."""
        ...

    async def send(self, text: str) -> str:
        """Return the reply to a request; raises ServerError if the connection fails."""
        ...


class RemoteOpponents:
    """The player servers of a match, by role."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._ruleset = ruleset
        self.seats: dict[Constant, RemoteOpponent] = {}

    async def start(self, starts: Mapping[Constant, Start]) -> None:
        """Send each its START. Raises :class:`MatchError` where one does not answer."""
        asked = (
            self._reply(self.seats[role], one, one.start_clock) for role, one in starts.items()
        )
        for role, (_, error) in zip(starts, await asyncio.gather(*asked), strict=True):
            if error:
                raise MatchError(f"{self.seats[role].name} does not answer ({error})")

    async def move(
        self, role: Constant, request: Play, legal: Sequence[Term], seconds: float
    ) -> tuple[Term | None, str]:
        """Return a role's legal move, or None and what is wrong, as in match records."""
        text, error = await self._reply(self.seats[role], request, seconds)
        if error:
            return None, error
        with suppress(GdlError):
            move = spelled(self._ruleset, [text])[0]
            if move in legal:
                return move, ""
        return None, f"{ILLEGAL} {' '.join(text.split())[:200]}"

    async def say_goodbye(self, request: Request) -> None:
        """Send STOP or ABORT, once."""
        remotes, self.seats = list(self.seats.values()), {}
        await asyncio.gather(*(self._reply(one, request, 0) for one in remotes))

    async def _reply(
        self, remote: RemoteOpponent, request: Request, seconds: float
    ) -> tuple[str, str]:
        """Return the reply and the error."""
        try:
            async with asyncio.timeout(seconds + GRACE):
                return await remote.send(format_request(request)), ""
        except TimeoutError:
            return "", TIMEOUT
        except ServerError as error:
            _log.info("%s", error)
            return "", CONNECTION_ERROR
