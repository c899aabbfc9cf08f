"""The rulesheet that somebody wants to play by: one of our games by name, or a file."""

from __future__ import annotations

from pathlib import Path

from gdl.game_library import find_own_game, own_games, similar_names
from ggp_player.errors import PlayError

our_games = own_games


def rulesheet_of(game: str) -> Path:
    """Return the rulesheet of a game: one of ours by its name, in any case, or a file.

    Raises :class:`PlayError` where it is neither.
    """
    file = find_own_game(game) or Path(game)
    if file.is_file():
        return file
    near = similar_names(game)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise PlayError(f"{game} is no game of ours and no file of rules{hint}")
