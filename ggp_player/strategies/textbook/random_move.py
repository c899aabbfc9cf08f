"""A uniformly random legal move: the baseline that every other strategy must beat.

Apart, as each strategy has a file.
"""

from __future__ import annotations

from collections.abc import Iterator

from ggp_player.strategies import Choice, Method, Position, Strategy


class RandomMove(Strategy):
    """Plays each legal move with equal probability. Plays every game.

    Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 4.
    """

    name = "random"
    method = Method.RANDOM_MOVE
    looks_ahead = False
    plays_by_belief = True

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield one move, drawn from the position's random numbers."""
        if moves := position.legal_moves:
            yield Choice(position.random.choice(moves))
