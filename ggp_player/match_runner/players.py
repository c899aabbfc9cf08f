"""The players of a match as the match runner sees them: here, behind a server, or at the table.

A player takes the text of a request and returns the text of the reply, or raises
:class:`ServerError` if the connection fails. The match runner decides how long to wait: it cancels
a request that takes too long. Only a player at the table gets no requests, and keeps its own time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from gdl import Constant
from gdl.language import moves_by_chance
from ggp_player.errors import MatchError
from ggp_player.protocol import Dialect
from ggp_player.server.player import Player


class MatchPlayer(Protocol):
    """Whoever plays a role in a match."""

    @property
    def name(self) -> str:
        """The name for display and for the record."""
        ...

    async def send(self, text: str) -> str:
        """Return the reply to a request; raises ServerError if the connection fails."""
        ...


@runtime_checkable
class DistantPlayer(MatchPlayer, Protocol):
    """A player elsewhere, which speaks a dialect and gets its requests over a connection."""

    @property
    def dialect(self) -> Dialect:
        """The dialect in which it is sent requests."""
        ...

    async def send(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        """Return the reply to a request; ``on_sent`` is called when the player has all of it."""
        ...


@runtime_checkable
class SeatedPlayer(Protocol):
    """A player at the table: it sees the match itself, keeps its own time, and gets no requests."""

    @property
    def name(self) -> str:
        """The name for display and for the record."""
        ...

    async def choose(self) -> str:
        """Return the move for this step; raises TimeoutError where its time is up."""
        ...


Seated: TypeAlias = MatchPlayer | SeatedPlayer | None
"""Who plays a role; None is chance."""


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


def seats(
    roles: Sequence[Constant], players: Sequence[MatchPlayer | SeatedPlayer]
) -> dict[Constant, Seated]:
    """Assign players to roles, in role order; None, the manager, plays the role ``random``.

    Raises :class:`MatchError` if the number of players is wrong.
    """
    check_seats(roles, len(players))
    waiting = iter(players)
    return {role: None if moves_by_chance(role) else next(waiting) for role in roles}


def check_seats(roles: Sequence[Constant], players: int) -> None:
    """Raise :class:`MatchError` unless there are as many players as roles that players take."""
    free = [role for role in roles if not moves_by_chance(role)]
    if len(free) != players:
        named = ", ".join(map(str, free))
        plural = "" if len(free) == 1 else "s"
        problem = f"the game needs {len(free)} player{plural} ({named}), given {players}"
        chance = " (nobody is assigned to random)" if len(free) < len(roles) else ""
        raise MatchError(problem + chance)


def dialect_of(seat: Seated, hides: bool) -> Dialect | None:
    """The dialect of a seat; a player in this process is told no more than its role may know."""
    if seat is None or isinstance(seat, SeatedPlayer):
        return None
    if isinstance(seat, DistantPlayer):
        return seat.dialect
    is_ours = isinstance(seat, LocalPlayer)
    return Dialect.DRESDEN_TURNS if hides and is_ours else Dialect.GGP_BASE
