"""Matches of a ladder for tests, in few words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ggp_player.lab.ladder.matches import LadderMatch, LadderOpening
from tests.support.tournament_results import result

OPENING = LadderOpening("hex", 1, (4, 8), 3, 51.5, "0123456789abcdef")

_LINE = TypeAdapter(LadderMatch)


def won(winner: str, loser: str, date: str = "2026-01-01", **more: Any) -> LadderMatch:
    """A match that the first one wins; more is said of its result."""
    return match((winner, loser), "100 0", date, **more)


def match(
    players: tuple[str, str], goals: str, date: str = "2026-01-01", **more: Any
) -> LadderMatch:
    """A match with some goals; its game is that of ``more``, or hex."""
    played = result(players, goals, **{"game": OPENING.game, **more})
    opening = LadderOpening(played.game, 1, (4, 8), 3, 51.5, OPENING.facts)
    return LadderMatch(date, opening, 20, 6, played)


def write_matches(path: Path, *matches: LadderMatch) -> None:
    """Write a file of a ladder."""
    path.write_bytes(b"".join(_LINE.dump_json(one) + b"\n" for one in matches))
