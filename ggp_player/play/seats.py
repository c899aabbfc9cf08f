"""Who sits at the table of a session: people and searches, as players of the match runner.

They see the table, so they can follow where moves are taken back. Apart from the session, which has
no part in how a move is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass

from gdl import Constant
from ggp_player.play.engine import Engines
from ggp_player.play.table import HUMAN, Table
from ggp_player.protocol import move_texts


@dataclass(frozen=True, slots=True)
class SeatedPerson:
    """A person."""

    table: Table
    role: Constant
    name: str = HUMAN
    is_human: bool = True

    async def choose(self) -> str:
        """Return what the person chooses."""
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
        engine = await self.engines.player(role, self.name)
        start_clock, play_clock = self.clocks
        seconds = float(play_clock + (0 if table.line.number else start_clock))
        if table.match_clock is not None:
            seconds = table.match_clock.seconds_for(role, seconds)
        told = table.line.seen_by(role) if table.sight.hides else table.line.history
        found = await engine.choose(told, move_texts(table.legal_moves(role)), seconds)
        table.stop_clock(role)
        return found.move
