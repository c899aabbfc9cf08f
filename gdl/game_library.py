"""Our own games: where their rulesheets are, wherever this package is installed."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent
_COMMENT = re.compile(";[^\n]*")
_WORD = re.compile(r"[^\s()]+")
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


def own_layout_file(rules: str) -> Path | None:
    """Return the layout file of the game of ours that has these rules, None where there is none.

    Rules as they come from a game manager are recognised, without comments and in another order:
    all that counts is how often they have which word.
    """
    return _layout_files().get(_words(rules))


@cache
def _layout_files() -> dict[tuple[str, ...], Path]:
    """The layout files of our games by the words of the rules."""
    found = {file: file.with_suffix(".board.toml") for file in own_games().values()}
    return {_words(file.read_text()): layout for file, layout in found.items() if layout.is_file()}


def _words(rules: str) -> tuple[str, ...]:
    return tuple(sorted(_WORD.findall(_COMMENT.sub("", rules))))


def _plain(name: str) -> str:
    name = name.lower()
    in_sources = name.startswith("games/") and name.endswith(".kif")
    return name[len("games/") : -len(".kif")] if in_sources else name
