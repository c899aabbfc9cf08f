"""Invitations: links by which teams get tokens of the role player by themselves.

The code of a link says until when it is valid, and is signed with a key that is kept in the
database; so nothing is stored for each, and a new key revokes all of them. Whoever has the link can
join, under a name that no token has had.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from functools import partial

from sqlalchemy import Engine, func, select

from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import ManagerError
from ggp_player.manager_service.storage.database import Tables, meta, tokens
from ggp_player.manager_service.storage.tokens import TokenStore

MAX_INVITED = 500
"""Tokens of the role player in use, beyond which nobody joins."""

KEY = "invitations"
"""Under which the key stands in the table of what there is one of."""

DAY = 24 * 3600 * 1000
"""Milliseconds."""


class InvitationStore(Tables):
    """Makes invitations and lets people in."""

    def __init__(self, engine: Engine, now: WallClock = wall_clock) -> None:
        super().__init__(engine, now)
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
        count = self._value(select(func.count()).select_from(tokens).where(is_player))
        if count >= MAX_INVITED:
            raise ManagerError(f"{count} teams have joined, which is the most")
        return self._tokens.create(name, "player")

    def revoke(self) -> None:
        """Revoke all invitations; whoever has joined stays."""
        self._change(meta.delete().where(meta.c.key == KEY))

    def _signature(self, until: str) -> str:
        key, text = (
            self._kept(KEY, partial(secrets.token_hex, 32)),
            until.encode("utf-8", "replace"),
        )
        return hmac.new(key.encode(), text, hashlib.sha256).hexdigest()[:32]
