"""The players that can be called upon: who is registered, who answers, who is in a match.

A player plays one match at a time; a strategy of ours as many as there are. One that does not
answer INFO is waited for, for :data:`PATIENCE` seconds; after that its matches are played without
it, with random moves in place of its own, so that an event comes to its end. People are waited for
longer, from the instant at which they are wanted, and have a rest between two matches.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import inf

from ggp_player.clock import Clock, WallClock, monotonic, wall_clock
from ggp_player.manager_service.scheduling.clients import Clients, is_person, is_strategy
from ggp_player.manager_service.storage.store import StoredPlayer

PATIENCE = 60.0
"""Seconds for which the matches of a player wait that is away or busy elsewhere."""

PERSON_PATIENCE = 600.0
"""Seconds for which the matches of somebody wait who has not opened the page."""

PERSON_PAUSE = 5.0
"""The least seconds between two matches of a person, who sees how the first has ended."""

CHECK_PAUSE = 10.0
"""Seconds between two INFO to a player that is in no match."""


@dataclass(slots=True)
class Presence:
    """A player and how it is; ``away_since`` is None while it can play.

    ``wanted_since`` is when matches began to wait for a person who is not here, ``played_until``
    when the latest match was over.
    """

    player: StoredPlayer
    status: str = "unknown"
    problem: str = ""
    match_id: str = ""
    away_since: float | None = None
    wanted_since: float | None = None
    played_until: float = -inf


class Roster:
    """All players by name."""

    def __init__(self, clock: Clock = monotonic, now: WallClock = wall_clock) -> None:
        self._clock = clock
        self._now = now
        self._created = clock()
        self.presences: dict[str, Presence] = {}
        self.clients = Clients(now)
        self._left: dict[str, float] = {}

    def put(self, player: StoredPlayer) -> Presence:
        """Add a player, or replace the one of that name."""
        before = self.presences.get(player.name)
        if before is not None and before.player.address == player.address:
            before.player = player
            return before
        found = Presence(player, away_since=self._clock())
        if is_strategy(player):
            found.status, found.away_since = "available", None
        if before is not None:
            found.match_id = before.match_id
        self.presences[player.name] = found
        return found

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
        status = "unreachable" if isinstance(reply, str) else reply.status.lower() or "available"
        found.problem = reply if isinstance(reply, str) else ""
        found.status = "available" if status == "ready" else status
        if found.match_id or found.status == "available":
            found.away_since = None
        elif found.away_since is None:
            found.away_since = self._clock()
        return found

    async def check_all(self) -> bool:
        """Check all who are in no match; return whether one has come back."""
        idle = [name for name, one in self.presences.items() if not one.match_id]
        away = {name for name in idle if self.presences[name].away_since is not None}
        found = await asyncio.gather(*map(self.check, idle))
        return any(
            one is not None and one.player.name in away and one.away_since is None for one in found
        )
