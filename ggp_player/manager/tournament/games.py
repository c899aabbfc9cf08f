"""The games of a tournament, from their rulesheets."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import gdl
from gdl import GdlError, Ruleset
from gdl.language import moves_by_chance
from ggp_player.errors import TournamentError
from ggp_player.match_runner.game_manager import game_name


@dataclass(frozen=True, slots=True)
class TournamentGame:
    """A game under the name of its file. ``roles`` are those that players take, in role order."""

    name: str
    ruleset: Ruleset
    roles: tuple[str, ...]
    url: str = ""

    @classmethod
    def load(cls, path: Path) -> TournamentGame:
        """Read a rulesheet; raises :class:`TournamentError` if the game cannot be played."""
        try:
            ruleset = gdl.load(path)
            roles = gdl.interpret(ruleset).roles
        except GdlError as error:
            raise TournamentError(f"the game in {path} cannot be played:\n{error}") from error
        free = tuple(str(role) for role in roles if not moves_by_chance(role))
        if not free:
            raise TournamentError(f"the game in {path} has no role for a player")
        return cls(game_name(path), ruleset, free, path.resolve().as_uri())

    @property
    def digest(self) -> str:
        """A hash of the rules, without comments and layout."""
        return hashlib.sha256(str(self.ruleset).encode()).hexdigest()[:16]


def load_games(paths: Sequence[Path]) -> dict[str, TournamentGame]:
    """Load the games, by their names and in the order of the paths.

    Raises :class:`TournamentError` if two have the same name, or one cannot be played.
    """
    games: dict[str, TournamentGame] = {}
    for path in paths:
        game = TournamentGame.load(path)
        if game.name in games:
            raise TournamentError(f"two games have the name {game.name}: rename one of the files")
        games[game.name] = game
    return games
