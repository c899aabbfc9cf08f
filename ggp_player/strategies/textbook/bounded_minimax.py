"""Bounded minimax: minimax that stops searching a state where enough is known.

It differs from :mod:`ggp_player.strategies.textbook.minimax` in two places only: ``maxscore`` stops
at a score of at least ``upper``, and ``minscore`` at one of at most ``lower``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from gdl import Constant, State, StateMachine, Term
from ggp_player.strategies import Choice, Limit, Method, Position, StrategyError
from ggp_player.strategies.textbook.game_tree import (
    Moves,
    MoveScore,
    ScoringStrategy,
    in_role_order,
    opponents_of,
    utility,
)
from ggp_player.strategies.textbook.memory import MemoTable, remembered

Bound = Annotated[int, Field(ge=0, le=100)]


class BoundedMinimax(ScoringStrategy):
    """Minimax between two bounds, goal values from 0 to 100. Plays every game.

    With 0 and 100 the value is exact: nothing is worth less or more. Other bounds *satisfice*: all
    scores from ``upper`` on count as equally good, all up to ``lower`` as equally bad. In a game
    whose goals sum to 100, ``upper=51`` looks for a win and does not care by how much. A value is
    then proved only between the bounds.

    Every other role is treated as an enemy, ``random`` too. Nothing is kept between steps.

    Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 6.
    """

    name = "bounded_minimax"
    method = Method.BOUNDED_MINIMAX

    def __init__(self, lower: Bound = 0, upper: Bound = 100) -> None:
        if lower >= upper:
            raise StrategyError(f"lower must be less than upper: {lower} is not less than {upper}")
        self.lower = lower
        self.upper = upper

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move so far, finally the best of all with its value."""
        search = BoundedSearch(position.machine, position.role, self.lower, self.upper)
        self._searched, self._scores = position.state, search.scores
        return search.bestmove(position.state)


class BoundedSearch:
    """One search: ``maxscore`` and ``minscore`` call each other until a bound is reached."""

    def __init__(self, machine: StateMachine, role: Constant, lower: int, upper: int) -> None:
        self.machine = machine
        self.role = role
        self.opponents = opponents_of(machine, role)
        self.lower = lower
        self.upper = upper
        self.memory: MemoTable[tuple[State], int] = MemoTable()
        self.scores: dict[Term, MoveScore] = {}

    def bestmove(self, state: State) -> Iterator[Choice]:
        """Compare the ``minscore`` of the actions until one is good enough."""
        chosen: Term | None = None
        endless: Choice | None = None
        score = 0
        for action in self.machine.legal_moves(state, self.role):
            if score <= self.lower:
                # No action is known to be better than the worst; the next one may be.
                yield Choice(action)
            try:
                result = self.minscore((action,), state)
            except RecursionError:
                endless = endless or Choice(action, note="a line of play has no end in sight")
                continue
            self.scores[action] = MoveScore(result, self.lower, self.upper)
            if chosen is None or result > score:
                chosen, score = action, result
            if score >= self.upper:
                break
            yield Choice(chosen, score)
        if endless and score <= self.lower:
            yield endless
        elif chosen:
            is_exact = score in (0, 100) or self.lower < score < self.upper
            is_whole = endless is None or score >= self.upper
            limit = None if is_exact else Limit.BOUND
            yield Choice(chosen, score, proved=is_exact and is_whole, limit=limit)

    @remembered
    def maxscore(self, state: State) -> int:
        """Return the value that the player can force when it is to choose."""
        if self.machine.is_terminal(state):
            return utility(self.machine, state, self.role)
        score = 0
        for action in self.machine.legal_moves(state, self.role):
            score = max(score, self.minscore((action,), state))
            if score >= self.upper:
                break
        return score

    def minscore(self, moves: Moves, state: State) -> int:
        """Return the value after the opponents' worst answer."""
        if len(moves) > len(self.opponents):
            joint_move = in_role_order(self.machine, self.role, moves)
            return self.maxscore(self.machine.next_state(state, joint_move))
        opponent = self.opponents[len(moves) - 1]
        score = 100
        for move in self.machine.legal_moves(state, opponent):
            score = min(score, self.minscore((*moves, move), state))
            if score <= self.lower:
                break
        return score
