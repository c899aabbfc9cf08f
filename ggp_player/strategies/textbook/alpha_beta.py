"""Alpha-beta: minimax without the branches that cannot matter, with iterative deepening.

*Alpha* is the value that the player can already force on the path to a state, *beta* the value that
its opponents can hold it to. Where alpha reaches beta, one side avoids the state, and the rest of
its moves need not be searched. If the best moves come first, about the square root of the tree is
left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from gdl import State, Term
from gdl.language import moves_by_chance
from ggp_player.strategies import Choice, Counts, Method, Position
from ggp_player.strategies.textbook.depth_limited import DepthLimitedTree
from ggp_player.strategies.textbook.evaluation import EvaluationName, Evaluator, features_of
from ggp_player.strategies.textbook.game_tree import (
    HIGHEST_VALUE,
    LOWEST_VALUE,
    Moves,
    MoveScore,
    ScoringStrategy,
    iterative_deepening,
    utility,
)
from ggp_player.strategies.textbook.negamax import NegamaxTree, SimultaneousMovesError
from ggp_player.strategies.textbook.transposition_table import transposed


class AlphaBeta(ScoringStrategy):
    """Depth-limited alpha-beta search with iterative deepening. Plays every game.

    The search of one depth begins with the best move of the depth before; ``depth`` is the largest,
    in steps. ``ordering`` sorts the moves by evaluation first, ``evaluation`` names a mixture of
    features from :mod:`ggp_player.strategies.textbook.evaluation`.

    Every other role is treated as an enemy that knows our move, so that moves made at the same time
    are valued pessimistically; for ``random`` the mean is taken. Games of two roles that take turns
    are searched in the negamax form. The transposition table is kept between steps.

    Source: S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach, 3rd edition,
    section 5.3; M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 6.
    """

    name = "alpha_beta"
    method = Method.ALPHA_BETA

    def __init__(
        self,
        depth: Annotated[int, Field(ge=1)] = 200,
        ordering: bool = True,
        evaluation: EvaluationName = "quick",
    ) -> None:
        self.depth = depth
        self.ordering = ordering
        self.evaluation = evaluation
        self._tree: DepthLimitedTree | None = None

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move so far, after each move searched and after each depth."""
        self._searched = position.state
        if self._tree is not None:
            self._tree.scores.clear()
        return iterative_deepening(position, self.depth, self._iteration)

    def _iteration(self, position: Position, depth: int, before: Choice) -> Iterator[Choice]:
        if self._tree is None:
            roles = position.machine.roles
            in_turn = len(roles) == 2 and not any(map(moves_by_chance, roles))
            self._tree = self._new_tree(NegamaxTree if in_turn else AlphaBetaTree, position)
        try:
            yield from bestmove(self._tree, position.state, depth, before)
        except SimultaneousMovesError:
            self._tree = self._new_tree(AlphaBetaTree, position)
            yield from bestmove(self._tree, position.state, depth, before)

    def _new_tree(self, form: type[DepthLimitedTree], position: Position) -> DepthLimitedTree:
        features = features_of(self.evaluation, position.random)
        evaluator = Evaluator(position.machine, features)
        tree = form(position.machine, position.role, evaluator, self.ordering)
        self._scores = tree.scores
        return tree


def bestmove(tree: DepthLimitedTree, state: State, depth: int, before: Choice) -> Iterator[Choice]:
    """Search all moves of a state to one depth; yield the best so far after each of them.

    The move of the choice ``before`` is searched first if it has a value. Equal moves keep their
    order: if all are lost, the one that looked best is chosen.
    """
    moves = list(tree.ordered(state, (), max(depth, 2)))
    if before.value is not None:
        moves.sort(key=lambda move: move != before.move)
    horizons, alpha = tree.horizons, float(LOWEST_VALUE)
    best = before
    for number, move in enumerate(moves):
        evaluated = tree.horizons
        value = tree.score(state, move, depth, alpha)
        tree.scores[move] = MoveScore(value, alpha, final=tree.horizons == evaluated)
        if value > alpha or number == 0:
            best = Choice(move, value, counts=Counts(depth))
            alpha = max(alpha, value)
        yield best
        if alpha >= HIGHEST_VALUE:
            break
    # Evaluations lie strictly between the extremes, which only terminal states have.
    extreme = alpha in (LOWEST_VALUE, HIGHEST_VALUE)
    yield replace(best, proved=extreme or tree.horizons == horizons)


class AlphaBetaTree(DepthLimitedTree):
    """The general form: a max layer for the player, a min layer for each of its opponents.

    It is fail-hard: values outside alpha to beta are clipped to the nearer of the two.
    """

    def score(self, state: State, move: Term, depth: int, alpha: float) -> float:
        """Return the value of the player's move, or alpha if that is greater."""
        return self.minscore((move,), state, depth, alpha, HIGHEST_VALUE)

    @transposed
    def maxscore(self, state: State, depth: int, alpha: float, beta: float) -> float:
        """Return the value that the player can force, between alpha and beta."""
        if self.machine.is_terminal(state):
            return utility(self.machine, state, self.role)
        if depth == 0:
            return self.beyond(state)
        for move in self.ordered(state, (), depth):
            alpha = max(alpha, self.minscore((move,), state, depth, alpha, beta))
            if alpha >= beta:
                return beta
        return alpha

    def minscore(self, moves: Moves, state: State, depth: int, alpha: float, beta: float) -> float:
        """Return the value after the worst answer to ``moves``, between alpha and beta."""
        if len(moves) > len(self.opponents):
            return self.maxscore(self.after(state, moves), depth - 1, alpha, beta)
        if moves_by_chance(self.opponents[len(moves) - 1]):
            return self.meanscore(moves, state, depth)
        for move in self.ordered(state, moves, depth):
            beta = min(beta, self.minscore((*moves, move), state, depth, alpha, beta))
            if beta <= alpha:
                return alpha
        return beta

    def meanscore(self, moves: Moves, state: State, depth: int) -> float:
        """Return the mean over the moves of ``random``; a mean allows no cutoffs."""
        total, candidates = 0.0, self.ordered(state, moves, depth)
        for move in candidates:
            total += self.minscore((*moves, move), state, depth, LOWEST_VALUE, HIGHEST_VALUE)
        return total / max(1, len(candidates))
