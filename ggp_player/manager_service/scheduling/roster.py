"""The players that can be called upon: who is registered, who answers, who is in a match.

A player plays one match at a time; a strategy of ours as many as there are. One that does not
answer INFO is waited for, for :data:`PATIENCE` seconds; after that its matches are played without
it, with random moves in place of its own, so that an event comes to its end. People are waited for
longer, from the instant at which they are wanted, and have a rest between two matches.

The longer a player listens nowhere, the more rarely it is asked, also in matches that have begun
meanwhile; that ends when it answers or registers. The log says once that a player cannot be
reached, and once that it is back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

from ggp_player.clock import Clock, WallClock, monotonic, wall_clock
from ggp_player.errors import ManagerError, NobodyListensError, ServerError
from ggp_player.manager_service.scheduling.clients import (
    Clients,
    PlayerProblem,
    is_person,
    is_strategy,
)
from ggp_player.manager_service.storage.store import StoredPlayer
from ggp_player.match_runner.players import DistantPlayer, MatchPlayer
from ggp_player.protocol import Dialect

PATIENCE = 60.0
"""Seconds for which the matches of a player wait that is away or busy elsewhere."""

PERSON_PATIENCE = 600.0
"""Seconds for which the matches of somebody wait who has not opened the page."""

PERSON_PAUSE = 5.0
"""The least seconds between two matches of a person, who sees how the first has ended."""

CHECK_PAUSE = 10.0
"""Seconds between two INFO to a player that is in no match."""

LONGEST_PAUSE = 320.0
"""Seconds between two requests to a player that cannot be reached: each pause doubles the last."""

MAX_PLAYERS = 1000
"""Players that are registered at a time."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Presence:
    """A player and how it is; ``away_since`` is None while it can play.

    ``wanted_since`` is when matches began to wait for a person who is not here, ``played_until``
    when the latest match was over. One that cannot be reached is asked again at ``ask_at``, a
    ``pause`` after the last time.
    """

    player: StoredPlayer
    status: str = "unknown"
    problem: str = ""
    match_id: str = ""
    away_since: float | None = None
    wanted_since: float | None = None
    played_until: float = -inf
    ask_at: float = -inf
    pause: float = 0.0


class Roster:
    """All players by name."""

    def __init__(self, clock: Clock = monotonic, now: WallClock = wall_clock) -> None:
        self._clock = clock
        self._now = now
        self._created = clock()
        self.presences: dict[str, Presence] = {}
        self.clients = Clients(now)
        self._left: dict[str, float] = {}
        self._entering: set[str] = set()

    def put(self, player: StoredPlayer) -> Presence:
        """Add a player, or replace the one of that name."""
        before = self.presences.get(player.name)
        if before is not None and before.player.address == player.address:
            before.player = player
            before.ask_at, before.pause = -inf, 0.0
            return before
        found = Presence(player, away_since=self._clock())
        if is_strategy(player):
            found.status, found.away_since = "available", None
        if before is not None:
            found.match_id = before.match_id
        self.presences[player.name] = found
        return found

    @contextmanager
    def entering(self, name: str) -> Iterator[None]:
        """Keep room for a player that is put meanwhile.

        Raises :class:`ManagerError` where there are too many.
        """
        if name not in self.presences and len({*self.presences, *self._entering}) >= MAX_PLAYERS:
            raise ManagerError(f"{MAX_PLAYERS:,} players are registered, which is the most")
        self._entering.add(name)
        try:
            yield
        finally:
            self._entering.discard(name)

    def remove(self, name: str) -> Presence | None:
        """Remove a player, and return it, if there was one."""
        self._left[name] = self._clock()
        return self.presences.pop(name, None)

    def expired(self) -> list[str]:
        """List who has not renewed the registration in time, and is not here."""
        now, is_here = self._now(), self.clients.people.is_here
        return [
            name
            for name, one in self.presences.items()
            if one.player.expires is not None and one.player.expires < now and not is_here(name)
        ]

    def can_begin(self, name: str) -> bool:
        """Return whether a match with this player can begin, with it or, in the end, without."""
        found = self.presences.get(name)
        if found is None:  # it may register again, after a restart of its own or of the manager
            return self._clock() - self._left.get(name, self._created) > PATIENCE
        if found.match_id and not is_strategy(found.player):
            return False
        if is_person(found.player):
            return self._can_person_begin(found)
        return found.away_since is None or self._clock() - found.away_since > PATIENCE

    def _can_person_begin(self, found: Presence) -> bool:
        now = self._clock()
        if self.clients.people.is_here(found.player.name):
            found.wanted_since = None
            return now - found.played_until >= PERSON_PAUSE
        if found.wanted_since is None:
            found.wanted_since = now
        return now - found.wanted_since > PERSON_PATIENCE

    def enter(self, name: str, match_id: str) -> None:
        """Note that a player is in a match."""
        if name in self.presences:
            self.presences[name].match_id = match_id

    def leave(self, name: str, match_id: str) -> None:
        """Note that a player's match is over."""
        found = self.presences.get(name)
        if found is not None and found.match_id == match_id:
            found.match_id = ""
            found.played_until = self._clock()

    async def check(self, name: str) -> Presence | None:
        """Ask a player for its status; return None where it is not there any more."""
        found = self.presences.get(name)
        if found is None:
            return None
        address = found.player.address
        reply = await self.clients.ask_info(found.player)
        if found.player.address != address:
            return found
        if isinstance(reply, PlayerProblem):
            self.note_problem(found, reply)
        else:
            self.note_reply(found, reply.status.lower())
        if found.match_id or found.status == "available":
            found.away_since = None
        elif found.away_since is None:
            found.away_since = self._clock()
        return found

    def is_due(self, found: Presence) -> bool:
        """Return whether a player may be asked now: not within a pause."""
        return self._clock() >= found.ask_at

    def note_problem(self, found: Presence, problem: PlayerProblem) -> None:
        """Note that a player could not be asked; where it listens nowhere, its pause doubles."""
        if found.status != "unreachable":
            _log.info("%s cannot be reached: %s", found.player.name, problem.text)
        found.status, found.problem = "unreachable", problem.text
        if problem.listens:
            found.ask_at, found.pause = -inf, 0.0
        elif self.is_due(found):
            found.pause = min(max(CHECK_PAUSE, 2 * found.pause), LONGEST_PAUSE)
            found.ask_at = self._clock() + found.pause

    def note_reply(self, found: Presence, status: str = "") -> None:
        """Note that a player has answered, and what it says it is."""
        if found.status == "unreachable":
            _log.info("%s can be reached again", found.player.name)
        found.status = "available" if status in {"", "ready"} else status
        found.problem, found.ask_at, found.pause = "", -inf, 0.0

    def seat(self, found: Presence, player: MatchPlayer) -> MatchPlayer:
        """Return a player as a match that begins now asks it: rarely, where it is not there."""
        if found.pause and isinstance(player, DistantPlayer):
            return AwayPlayer(self, found, player)
        return player

    async def check_all(self) -> bool:
        """Check all who are in no match and due; return whether one has come back."""
        found_idle = ((name, one) for name, one in self.presences.items() if not one.match_id)
        idle = [name for name, one in found_idle if self.is_due(one)]
        away = {name for name in idle if self.presences[name].away_since is not None}
        found = await asyncio.gather(*map(self.check, idle))
        return any(
            one is not None and one.player.name in away and one.away_since is None for one in found
        )


@dataclass(frozen=True, slots=True)
class AwayPlayer:
    """A player that listened nowhere when its match began: it is asked when that is due."""

    roster: Roster
    presence: Presence
    player: DistantPlayer

    @property
    def name(self) -> str:
        """The name of the player."""
        return self.player.name

    @property
    def dialect(self) -> Dialect:
        """The dialect of the player."""
        return self.player.dialect

    async def send(self, text: str, on_sent: Callable[[], None] = lambda: None) -> str:
        """Return the reply to a request. Raises ServerError where it is not asked."""
        if not self.roster.is_due(self.presence):
            raise ServerError(f"{self.name} could not be reached, and is not asked again yet")
        is_sent = False

        def note_sent() -> None:
            nonlocal is_sent
            is_sent = True
            on_sent()

        try:
            reply = await self.player.send(text, note_sent)
        except NobodyListensError as error:
            self.roster.note_problem(self.presence, PlayerProblem(str(error), listens=False))
            raise
        except asyncio.CancelledError:
            if not is_sent:
                problem = PlayerProblem("it takes no connection", listens=False)
                self.roster.note_problem(self.presence, problem)
            raise
        self.roster.note_reply(self.presence)
        return reply


def check_known(players: Sequence[str], roster: Roster) -> None:
    """Raise :class:`ManagerError` where a player is not registered."""
    if unknown := [name for name in players if name not in roster.presences]:
        known = ", ".join(sorted(roster.presences)) or "nobody"
        raise ManagerError(f"players: {', '.join(unknown)} not registered; there are {known}")
