"""Who sits at the table of a session: people, searches, and player servers.

The match runner asks them all. People and searches see the table, so they can follow where moves
are taken back; a player server cannot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gdl import Constant
from ggp_player.match_runner import DistantPlayer
from ggp_player.play.engine import Engines
from ggp_player.play.table import HUMAN, Table
from ggp_player.protocol import Dialect, move_texts


@dataclass(frozen=True, slots=True)
class SeatedPerson:
    """A person, who has so many seconds, or all the time there is."""

    table: Table
    role: Constant
    seconds: float | None
    name: str = HUMAN
    is_human: bool = True

    async def choose(self) -> str:
        """Return what the person chooses."""
        async with asyncio.timeout(self.seconds):
            return str(await self.table.choice(self.role))


@dataclass(frozen=True, slots=True)
class SeatedSearch:
    """A search; ``name`` is its strategy, ``clocks`` are for its first and its other moves."""

    table: Table
    role: Constant
    name: str
    engines: Engines
    clocks: tuple[int, int]

    async def choose(self) -> str:
        """Return the best move that is found in time. It is told no more than its role may know."""
        table, role = self.table, self.role
        with _awaited(table, role):
            engine = await self.engines.player(role, self.name)
            start_clock, play_clock = self.clocks
            seconds = play_clock + (0 if table.line.number else start_clock)
            told = table.line.seen_by(role) if table.sight.hides else table.line.history
            legal = move_texts(table.legal_moves(role))
            return (await engine.choose(told, legal, seconds)).move


@dataclass(frozen=True, slots=True)
class SeatedServer:
    """A player server: it gets requests in its dialect, and people see when it is awaited."""

    table: Table
    role: Constant
    server: DistantPlayer

    @property
    def name(self) -> str:
        """The name for display and for the record."""
        return self.server.name

    @property
    def dialect(self) -> Dialect:
        """The dialect in which it is sent requests."""
        return self.server.dialect

    async def send(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        """Return the reply to a request; raises ServerError if the connection fails."""
        with _awaited(self.table, self.role):
            return await self.server.send(text, on_sent)


@contextmanager
def _awaited(table: Table, role: Constant) -> Iterator[None]:
    """Show that a role's move is awaited, where it has a choice, or people cannot know that."""
    name = str(role)
    if len(table.legal_moves(role)) > 1 or table.is_veiled:
        table.shown.waiting_for = (*_without(name, table.shown.waiting_for), name)
        table.tell()
    try:
        yield
    finally:
        table.shown.waiting_for = _without(name, table.shown.waiting_for)


def _without(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for one in names if one != name)
