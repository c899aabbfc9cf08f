"""How strong the opponents of people are: five levels, and a way to adapt the level to a person.

Levels 1 to 4 bound what a search does for a move, not its time: they play alike on every machine
that can do as much within the play clock. ``mcts`` ends with the slice in which its playouts are
reached, which may have several times as many: so it is no way to play weakly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ggp_player.languages import Sentence

ADAPTIVE = "adaptive"
"""What stands in place of a level's number where the level follows the person's results."""

LEVEL_COOKIE = "ggp_player_level"
"""The cookie with the number of the level that suits a person; ``play.js`` sets it.

It is no ``localStorage``, which each port has for itself, and the pages are at a free one.
"""


@dataclass(frozen=True, slots=True)
class OpponentLevel:
    """A level of difficulty: ``name`` says what the ``strategy`` of its opponents does."""

    number: int
    name: str
    strategy: str

    @property
    def ponders(self) -> bool:
        """Whether opponents think while the person does."""
        return self.number == len(LEVELS)

    def after(self, verdict: int | None) -> OpponentLevel:
        """The level that follows a win (1) or a loss (-1) of the person, or neither."""
        number = self.number + (verdict or 0)
        return LEVELS[min(max(number, 1), len(LEVELS)) - 1]


LEVELS = (
    OpponentLevel(1, Sentence("random"), "random"),
    OpponentLevel(2, Sentence("looks one step ahead"), "alpha_beta:depth=1"),
    OpponentLevel(3, Sentence("looks three steps ahead"), "alpha_beta:depth=3"),
    OpponentLevel(4, Sentence("searches for a moment"), "mcts:playouts=10000"),
    OpponentLevel(5, Sentence("all it can"), "auto"),
)
"""The levels, by their numbers from 1."""

HIGHEST = LEVELS[-1]

MIDDLE = LEVELS[len(LEVELS) // 2]
"""Where a level that adapts begins."""


def remembered_level(cookies: Mapping[str, str]) -> OpponentLevel | None:
    """The level that a browser remembers for its person; None for one that does not."""
    found = [level for level in LEVELS if str(level.number) == cookies.get(LEVEL_COOKIE)]
    return found[0] if found else None
