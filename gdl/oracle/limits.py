"""The bounds of what strangers may send and what an answer may take."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a session accepts and spends. Sizes are in bytes, times in seconds."""

    line: int = 16 * MIB
    """The longest line of the input."""
    rules: int = 2 * MIB
    """The longest rulesheet."""
    answer: int = 64 * MIB
    """The longest answer to a line."""
    seconds: float = 10.0
    """The time for one request, where the system has timers."""
    games: int = 32
    """How many games are kept; the one that was used least recently is forgotten."""
    batch: int = 10_000
    """The most requests of a line."""
