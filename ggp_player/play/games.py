"""Our own games by name, wherever this package is installed."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from pathlib import Path

import ggp_player
from ggp_player.errors import PlayError

_PACKAGE = Path(ggp_player.__file__).parent
FOLDERS = (_PACKAGE / "games", _PACKAGE.parent / "games")
"""Where the rulesheets are: in an installed package, and in the sources."""


@cache
def our_games() -> dict[str, Path]:
    """Return the rulesheets of our own games by name, in alphabetical order."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    found = sorted(folder.glob("*.kif"), key=lambda file: file.stem.lower()) if folder else ()
    return {file.stem: file for file in found}


def rulesheet_of(game: str) -> Path:
    """Return the rulesheet of a game: one of ours by its name, in any case, or a file.

    Raises :class:`PlayError` where it is neither.
    """
    games = {name.lower(): file for name, file in our_games().items()}
    if game.lower() in games:
        return games[game.lower()]
    file = Path(game)
    if file.is_file():
        return file
    near = [games[name].stem for name in get_close_matches(game.lower(), games, n=3)]
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise PlayError(f"{game} is no game of ours and no file of rules{hint}")
