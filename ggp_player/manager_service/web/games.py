"""The manager's own games, which need not be put first."""

from __future__ import annotations

from gdl.game_library import own_games


def own_game(name: str) -> str | None:
    """Return the rules of a game of ours, None if there is none of that name."""
    path = own_games().get(name)
    return None if path is None else path.read_text(encoding="utf-8")
