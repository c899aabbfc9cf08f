"""How strong the opponents of people are, in five levels.

Levels 1 to 4 bound what a search does for a move, not its time: they play alike on every machine
that can do as much within the play clock. ``mcts`` ends with the slice in which its playouts are
reached, which may have several times as many: so it is no way to play weakly.
"""

from __future__ import annotations

from dataclasses import dataclass

from ggp_player.languages import Sentence


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


LEVELS = (
    OpponentLevel(1, Sentence("random"), "random"),
    OpponentLevel(2, Sentence("looks one step ahead"), "alpha_beta:depth=1"),
    OpponentLevel(3, Sentence("looks three steps ahead"), "alpha_beta:depth=3"),
    OpponentLevel(4, Sentence("searches for a moment"), "mcts:playouts=10000"),
    OpponentLevel(5, Sentence("all it can"), "auto"),
)
"""The levels, by their numbers from 1."""

HIGHEST = LEVELS[-1]
