"""The seeds of events and matches, which are secret until all is over that follows from them.

Each attempt of a match has a seed of its own, derived from the event's by HMAC-SHA-256: from what
is known of one match neither the event's seed nor that of another match can be computed. What is
shown before is a commitment, the SHA-256 of a random nonce and the seed; once the nonce and the
seed are shown, too, anybody can check it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ggp_player.manager.tournament.schedule import SEED_BITS

SECRET_BYTES = 32
"""The length of a random seed of an event, and of a nonce."""


@dataclass(frozen=True, slots=True)
class EventSecrets:
    """The seed of all matches of an event; ``nonce`` is empty without commitments."""

    seed: str
    nonce: str = ""

    @classmethod
    def new(cls, seed: str | None = None) -> Self:
        """Return new secrets, with a seed that was given or a random one."""
        given = secrets.token_hex(SECRET_BYTES) if seed is None else seed
        return cls(given, secrets.token_hex(SECRET_BYTES))

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Read the secrets from the settings of an event."""
        return cls(str(settings["seed"]), settings.get("nonce", ""))

    def of_match(self, place: str, attempt: int) -> MatchSecrets:
        """Return the secrets of an attempt of the match that has this place in the event."""
        nonce = _derived(self.nonce, place, attempt).hex() if self.nonce else ""
        return MatchSecrets(match_seed(self.seed, place, attempt), nonce)


@dataclass(frozen=True, slots=True)
class MatchSecrets:
    """The seed of all chance in one attempt of a match."""

    seed: int
    nonce: str = ""


def match_seed(event_seed: str, place: str, attempt: int = 1) -> int:
    """Derive the seed of an attempt of the match that has this place in the event.

    >>> match_seed("secret", "1.nim.ann.bob") == match_seed("secret", "1.nim.bob.ann")
    False
    """
    return int.from_bytes(_derived(event_seed, place, attempt)) >> (256 - SEED_BITS)


def commitment(secret: EventSecrets | MatchSecrets) -> str | None:
    """Return a hash that may be shown before the secrets are; None where there is no nonce."""
    if not secret.nonce:
        return None
    return hashlib.sha256(f"{secret.nonce}:{secret.seed}".encode()).hexdigest()


def _derived(key: str, place: str, attempt: int) -> bytes:
    return hmac.digest(key.encode(), f"{place}, attempt {attempt}".encode(), "sha256")
