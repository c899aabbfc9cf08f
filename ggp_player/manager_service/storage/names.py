"""Names of players: whose each is, for ever or until an organiser releases it.

A name belongs to the token that was the first to register it, whatever becomes of the registration:
so nobody else plays under it, or sits down for it, when a server is away for a while. A token that
was revoked keeps its names. One that was registered without a token, on this machine, is nobody's.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from sqlalchemy import Engine, func, select

from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import ManagerError
from ggp_player.manager_service.storage.database import Tables, names


@dataclass(frozen=True, slots=True)
class OwnedName:
    """A name, the name of the token that it belongs to, and since when."""

    name: str
    owner: str
    since: int


class NameStore(Tables):
    """The names in the database."""

    def __init__(self, engine: Engine, now: WallClock = wall_clock) -> None:
        super().__init__(engine, now)
        self._claiming = threading.Lock()

    def owner(self, name: str) -> str:
        """Return the token that a name belongs to; empty where it is nobody's."""
        return self._value(select(names.c.owner).where(names.c.name == name)) or ""

    def claim(self, name: str, owner: str, most: int | None = None) -> str:
        """Give a name that is nobody's to a token, if there is one; return whose it is then.

        Raises :class:`ManagerError` where so many belong to the token already.
        """
        with self._claiming:  # those of a token are counted, and then one is added
            found = self.owner(name)
            if found or not owner:
                return found
            with self._engine.begin() as connection:
                of_owner = select(func.count()).where(names.c.owner == owner)
                if most is not None and connection.execute(of_owner).scalar_one() >= most:
                    raise ManagerError(f"this token has {most} names already, which is the most")
                row = {"name": name, "owner": owner, "since": self._now()}
                connection.execute(names.insert().values(row))
            return owner

    def release(self, name: str) -> bool:
        """Have a name be nobody's; return whether it was somebody's."""
        return self._change(names.delete().where(names.c.name == name))

    def list(self) -> list[OwnedName]:
        """List the names that are somebody's, in their order."""
        rows = self._rows(select(names).order_by(names.c.name))
        return [OwnedName(**row._mapping) for row in rows]
