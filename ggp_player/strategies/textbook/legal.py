"""The first legal move, always: the least that a player must do.

Apart, as each strategy has a file; this is the shortest example of one.
"""

from __future__ import annotations

from collections.abc import Iterator

from ggp_player.strategies import Choice, Method, Position, Strategy


class Legal(Strategy):
    """Plays the first legal move of every state. Plays every game.

    Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 4.
    """

    name = "legal"
    method = Method.FIRST_MOVE
    looks_ahead = False
    plays_by_belief = True

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the first legal move."""
        yield from map(Choice, position.legal_moves[:1])
