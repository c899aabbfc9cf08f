"""Negamax: alpha-beta for two roles that take turns, with one routine for both of them.

What is good for one is as bad for the other: from the opponent's view a value ``v`` is ``100 - v``,
and the maximum of one is the minimum of the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl import Constant, State, Term
from ggp_player.strategies.textbook.depth_limited import DepthLimitedTree
from ggp_player.strategies.textbook.game_tree import HIGHEST_VALUE, LOWEST_VALUE
from ggp_player.strategies.textbook.transposition_table import transposed


class SimultaneousMovesError(Exception):
    """Both roles have a choice in one state: the game has no negamax form."""


class NegamaxTree(DepthLimitedTree):
    """The form for games of two roles that take turns, neither of them ``random``.

    The opponent's utility is taken as 100 less the player's, which is pessimistic in games where it
    is not. :class:`SimultaneousMovesError` is raised where both roles have a choice.

    Source: D. Knuth and R. Moore, An Analysis of Alpha-Beta Pruning (1975).
    """

    def score(self, state: State, move: Term, depth: int, alpha: float) -> float:
        """Return the value of the player's move, or alpha if that is greater."""
        (opponent,) = self.opponents
        window = LOWEST_VALUE, flipped(alpha)
        if self._waits(self.role, state):
            return flipped(self.negamax(state, depth, *window, opponent))
        replies = self.machine.legal_moves(state, opponent)
        if not replies:
            return LOWEST_VALUE
        after = self.after(state, (move, replies[0]))
        return flipped(self.negamax(after, depth - 1, *window, opponent))

    @transposed
    def negamax(self, state: State, depth: int, alpha: float, beta: float, role: Constant) -> float:
        """Return the value that the role can force, between alpha and beta, all from its view."""
        if self.machine.is_terminal(state):
            return self._seen_by(role, self.estimate(state))
        if depth == 0:
            return self._seen_by(role, self.beyond(state))
        window = flipped(beta), flipped(alpha)
        if self._waits(role, state):
            return flipped(self.negamax(state, depth, *window, self._other(role)))
        for after in self._successors(state, depth, role):
            score = flipped(self.negamax(after, depth - 1, *window, self._other(role)))
            alpha = max(alpha, score)
            if alpha >= beta:
                return beta
            window = flipped(beta), flipped(alpha)
        return alpha

    def _successors(self, state: State, depth: int, role: Constant) -> Iterator[State]:
        own, theirs = (self.machine.legal_moves(state, each)[:1] for each in self.order)
        if own and theirs:
            before, rest = ((), theirs) if role == self.role else (own, ())
            for move in self.ordered(state, before, depth):
                yield self.after(state, (*before, move, *rest))

    def _waits(self, role: Constant, state: State) -> bool:
        """Check whether only the other role has a choice."""
        choosing = [each for each in self.order if len(self.machine.legal_moves(state, each)) > 1]
        if len(choosing) == 2:
            raise SimultaneousMovesError
        return bool(choosing) and role not in choosing

    def _other(self, role: Constant) -> Constant:
        return self.opponents[0] if role == self.role else self.role

    def _seen_by(self, role: Constant, value: float) -> float:
        return value if role == self.role else flipped(value)


def flipped(value: float) -> float:
    """Return a value from the opponent's view."""
    return HIGHEST_VALUE - value
