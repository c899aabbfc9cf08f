"""Our own games: where their rulesheets are, wherever this package is installed."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent
FOLDERS = (_PACKAGE / "games", _PACKAGE.parent / "games")
"""Where the rulesheets are: in an installed package, and in the sources."""


@cache
def own_games() -> dict[str, Path]:
    """Return the rulesheets of our own games by name, in alphabetical order."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    found = sorted(folder.glob("*.kif"), key=lambda file: file.stem.lower()) if folder else ()
    return {file.stem: file for file in found}


def find_own_game(name: str) -> Path | None:
    """Return the rulesheet of the game of a name, in any case; None where there is none.

    Where the sources have it, ``games/NAME.kif``, is a name, too: examples name games so.
    """
    return {own.lower(): file for own, file in own_games().items()}.get(_plain(name))


def similar_names(name: str) -> list[str]:
    """Return the names of up to three of our games that look like a name."""
    names = {own.lower(): own for own in own_games()}
    return [names[near] for near in get_close_matches(_plain(name), names, n=3)]


def _plain(name: str) -> str:
    name = name.lower()
    in_sources = name.startswith("games/") and name.endswith(".kif")
    return name[len("games/") : -len(".kif")] if in_sources else name
