"""Invitations: links by which teams get tokens of the role player by themselves.

The code of a link says until when it is valid, and is signed with a key that is kept in the
database; so nothing is stored for each, and a new key revokes all of them. Whoever has the link can
join, under a name that no token has had.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from sqlalchemy import Engine, func, select

from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import ManagerError
from ggp_player.manager_service.storage.database import meta, tokens
from ggp_player.manager_service.storage.tokens import TokenStore

MAX_INVITED = 500
"""Tokens of the role player in use, beyond which nobody joins."""

KEY = "invitations"
"""Under which the key stands in the table of what there is one of."""

DAY = 24 * 3600 * 1000
"""Milliseconds."""


class InvitationStore:
    """Makes invitations and lets people in. Not for the event loop."""

    def __init__(self, engine: Engine, now: WallClock = wall_clock) -> None:
        self._engine = engine
        self._now = now
        self._tokens = TokenStore(engine, now)

    def new(self, days: int) -> str:
        """Return the code of an invitation that is valid for so many days."""
        until = f"{self._now() + days * DAY:x}"
        return f"{until}-{self._signature(until)}"

    def is_valid(self, code: str) -> bool:
        """Return whether the code is that of an invitation that is valid now."""
        until, _, signature = code.partition("-")
        expected = self._signature(until)
        if not hmac.compare_digest(signature.encode("utf-8", "replace"), expected.encode()):
            return False
        return int(until, 16) > self._now()

    def join(self, name: str) -> str:
        """Make a token for a team, and return its secret.

        Raises :class:`ManagerError` where the name is taken, or where there are too many.
        """
        is_player = (tokens.c.role == "player") & tokens.c.revoked.is_(None)
        query = select(func.count()).select_from(tokens).where(is_player)
        with self._engine.connect() as connection:
            count = connection.execute(query).scalar_one()
        if count >= MAX_INVITED:
            raise ManagerError(f"{count} teams have joined, which is the most")
        return self._tokens.create(name, "player")

    def revoke(self) -> None:
        """Revoke all invitations; whoever has joined stays."""
        with self._engine.begin() as connection:
            connection.execute(meta.delete().where(meta.c.key == KEY))

    def _signature(self, until: str) -> str:
        key = self._key()
        return hmac.new(key.encode(), until.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[
            :32
        ]

    def _key(self) -> str:
        with self._engine.begin() as connection:
            found = connection.scalar(select(meta.c.value).where(meta.c.key == KEY))
            if found is None:
                found = secrets.token_hex(32)
                connection.execute(meta.insert().values(key=KEY, value=found))
        return str(found)
