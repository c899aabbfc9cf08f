"""Who may use a player's name: the holder of the token that it belongs to, and organisers."""

from __future__ import annotations

import asyncio

from ggp_player.manager_service.scheduling.roster import Roster
from ggp_player.manager_service.storage.names import NameStore
from ggp_player.manager_service.storage.tokens import TokenHolder
from ggp_player.manager_service.web.admission import ApiError

MAX_NAMES = 8
"""Names that belong to one token of the role player."""

_EXPECTED = "another name, or that an organiser releases this one: DELETE /api/names/NAME"


class NameClaims:
    """Decides who may act for a player, and registers whose the names are."""

    def __init__(self, names: NameStore, roster: Roster) -> None:
        self._names = names
        self._roster = roster

    async def check(self, asking: TokenHolder, name: str) -> None:
        """Raise :class:`ApiError` where who asks may not act for the player."""
        if asking.may("organiser"):
            return
        owner = await asyncio.to_thread(self._names.owner, name)
        found = self._roster.presences.get(name)
        if not owner and found is not None:
            owner = found.player.owner
            if owner != asking.name:
                raise ApiError(403, f"{name} was registered by somebody else", "name", _EXPECTED)
        if owner and owner != asking.name:
            raise ApiError(403, f"the name {name} belongs to another token", "name", _EXPECTED)

    async def claim(self, asking: TokenHolder, name: str) -> str:
        """Take a name for who asks, and return the token whose it is, empty where it is nobody's.

        An organiser may use the name of another, by a token: without one it is taken for a mistake.
        Raises :class:`ApiError` where the name belongs to another token, and
        :class:`ManagerError` where this one has too many.
        """
        most = None if asking.may("organiser") else MAX_NAMES
        owner = await asyncio.to_thread(self._names.claim, name, asking.name, most)
        if owner != asking.name and not (asking.name and asking.may("organiser")):
            raise ApiError(403, f"the name {name} belongs to the token {owner}", "name", _EXPECTED)
        return owner

    def check_free(self, name: str, address: str, lifetime: int | None) -> None:
        """Raise :class:`ApiError` where another server that answers has registered the name."""
        found = self._roster.presences.get(name)
        if lifetime is None or found is None or found.player.address == address:
            return
        if found.status in {"available", "busy"}:
            what = f"the name {name} belongs to a player at another address"
            raise ApiError(409, what, "name", "another name: ggp-player serve --name")
