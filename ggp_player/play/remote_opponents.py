"""Player servers as the opponents of people: they get START, PLAY, and STOP or ABORT.

Each is spoken to in its dialect, and told no more of a step than that says.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from gdl import Constant, GdlError, Ruleset, Term
from ggp_player.errors import MatchError, ServerError
from ggp_player.play.match_line import MatchLine
from ggp_player.protocol import CONNECTION_ERROR, ILLEGAL, TIMEOUT, Dialect, LastStep, SeatMessages

GRACE = 1.0
"""Seconds that a player server may take beyond a clock."""

_log = logging.getLogger(__name__)


class RemoteOpponent(Protocol):
    """A player server; :class:`ggp_player.manager.RemotePlayer` is one."""

    @property
    def name(self) -> str:
        """Its name for the record."""
        ...

    @property
    def dialect(self) -> Dialect:
        """What it is spoken to in."""
        ...

    async def send(self, text: str) -> str:
        """Return the reply to a request; raises ServerError if the connection fails."""
        ...


class RemoteOpponents:
    """The player servers of a match, by role; ``roles`` are all roles."""

    def __init__(self, ruleset: Ruleset, roles: Sequence[Constant]) -> None:
        self.seats: dict[Constant, RemoteOpponent] = {}
        self._ruleset = ruleset
        self._roles = tuple(roles)
        self._messages: SeatMessages | None = None

    async def start(self, match_id: str, start_clock: int, play_clock: int) -> None:
        """Send each its START. Raises :class:`MatchError` where one does not answer."""
        dialects = {
            role: self.seats[role].dialect if role in self.seats else None for role in self._roles
        }
        self._messages = SeatMessages(match_id, self._ruleset, dialects, None)
        starts = await asyncio.to_thread(self._messages.starts, start_clock, play_clock)
        asked = (self._reply(role, starts, start_clock) for role in self.seats)
        for one, (_, error) in zip(self.seats.values(), await asyncio.gather(*asked), strict=True):
            if error:
                raise MatchError(f"{one.name} does not answer ({error})")

    async def move(
        self, role: Constant, line: MatchLine, legal: Sequence[Term], seconds: float
    ) -> tuple[Term | None, str]:
        """Return a role's legal move, or None and what is wrong, as in match records."""
        messages = self._messages
        assert messages is not None
        texts = messages.plays(self._last_step(messages, line))
        text, error = await self._reply(role, texts, seconds)
        if error:
            return None, error
        with suppress(GdlError):
            move = messages.move(self._roles.index(role), text)
            if move in legal:
                return move, ""
        return None, f"{ILLEGAL} {' '.join(text.split())[:200]}"

    async def say_goodbye(self, line: MatchLine) -> None:
        """Send STOP, or ABORT where the match is not over, once."""
        messages, self._messages = self._messages, None
        if messages is not None:
            last = self._last_step(messages, line)
            texts = messages.stops(last) if line.is_over else messages.aborts(last)
            await asyncio.gather(*(self._reply(role, texts, 0) for role in self.seats))
        self.seats.clear()

    def _last_step(self, messages: SeatMessages, line: MatchLine) -> LastStep:
        percepts = line.percepts if messages.needs_percepts else ()
        return LastStep(line.number, line.last.joint_move, percepts)

    async def _reply(
        self, role: Constant, requests: Sequence[str], seconds: float
    ) -> tuple[str, str]:
        """Return a role's reply to its request among those of all roles, and the error."""
        try:
            async with asyncio.timeout(seconds + GRACE):
                return await self.seats[role].send(requests[self._roles.index(role)]), ""
        except TimeoutError:
            return "", TIMEOUT
        except ServerError as error:
            _log.info("%s", error)
            return "", CONNECTION_ERROR
