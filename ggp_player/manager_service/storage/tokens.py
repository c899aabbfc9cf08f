"""Tokens: who may do what. They are stored hashed, and shown once, when they are made.

==========  ================================================================================
spectator   may look, where looking needs a token at all
player      may register a player, renew it and withdraw it
organiser   may also add and remove players and games, and hold events
admin       may also make and revoke tokens
==========  ================================================================================
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import select, update

from ggp_player.errors import ManagerError
from ggp_player.manager_service.storage.database import Tables, tokens

Role: TypeAlias = Literal["spectator", "player", "organiser", "admin"]

ROLES: tuple[Role, ...] = ("spectator", "player", "organiser", "admin")
"""Each may do what those before it may."""

TOKEN_BYTES = 24
"""Random bytes in a token: so many that a plain hash is enough."""


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """Who asks: the name of a token and its role."""

    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Return whether what is for this role may be done."""
        return ROLES.index(self.role) >= ROLES.index(role)


@dataclass(frozen=True, slots=True)
class StoredToken:
    """A token without its secret."""

    name: str
    role: Role
    created: int
    revoked: int | None = None


class TokenStore(Tables):
    """The tokens in the database."""

    def create(self, name: str, role: Role) -> str:
        """Make a token and return its secret. Raises :class:`ManagerError` if the name is taken."""
        secret = secrets.token_urlsafe(TOKEN_BYTES)
        with self._engine.begin() as connection:
            if connection.execute(select(tokens).where(tokens.c.name == name)).first():
                raise ManagerError(f"there is, or was, a token with the name {name}")
            row = {"name": name, "role": role, "hash": _hash(secret), "created": self._now()}
            connection.execute(tokens.insert().values(row))
        return secret

    def revoke(self, name: str) -> bool:
        """Revoke a token; return whether there was one in use."""
        ours = (tokens.c.name == name) & tokens.c.revoked.is_(None)
        return self._change(update(tokens).where(ours).values(revoked=self._now()))

    def list(self) -> list[StoredToken]:
        """List all tokens by name, also those that were revoked."""
        rows = self._rows(select(tokens).order_by(tokens.c.name))
        return [StoredToken(row.name, row.role, row.created, row.revoked) for row in rows]

    def identify(self, secret: str) -> TokenHolder | None:
        """Return whose token this is, None if nobody's."""
        ours = (tokens.c.hash == _hash(secret)) & tokens.c.revoked.is_(None)
        row = self._row(select(tokens).where(ours))
        return None if row is None else TokenHolder(row.name, row.role)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
