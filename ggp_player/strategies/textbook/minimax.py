"""Minimax, as in the textbook: the best move against opponents who want the worst for us.

Every line of play is followed to its end, so that it suits small games only. The faster searches
are tested against it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl import Constant, State, StateMachine, Term
from ggp_player.strategies import Choice, Method, Position
from ggp_player.strategies.textbook.game_tree import (
    Moves,
    MoveScore,
    ScoringStrategy,
    in_role_order,
    opponents_of,
    utility,
)
from ggp_player.strategies.textbook.memory import MemoTable, remembered


class Minimax(ScoringStrategy):
    """Searches the whole tree at each step and keeps nothing between steps. Plays every game.

    Every other role is treated as an enemy, even one with aims of its own, and ``random`` too: the
    value is the least that the player gets, whatever they do. If the search is stopped, the best of
    the moves searched so far stands. Moves that lead into an endless line of play are left out.

    Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 6.
    """

    name = "minimax"
    method = Method.MINIMAX

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move so far, finally the best of all with its exact value."""
        search = MinimaxSearch(position.machine, position.role)
        self._searched, self._scores = position.state, search.scores
        return search.bestmove(position.state)


class MinimaxSearch:
    """One search: ``maxscore`` and ``minscore`` call each other down to the terminal states."""

    def __init__(self, machine: StateMachine, role: Constant) -> None:
        self.machine = machine
        self.role = role
        self.opponents = opponents_of(machine, role)
        self.memory: MemoTable[tuple[State], int] = MemoTable()
        self.scores: dict[Term, MoveScore] = {}

    def bestmove(self, state: State) -> Iterator[Choice]:
        """Compare the ``minscore`` of every action; the first of the best is chosen."""
        chosen, endless = None, None
        score = 0
        for action in self.machine.legal_moves(state, self.role):
            if score == 0:
                # No action is known to be better than the worst; the next one may be.
                yield Choice(action)
            try:
                result = self.minscore((action,), state)
            except RecursionError:
                endless = endless or Choice(action, note="a line of play has no end in sight")
                continue
            self.scores[action] = MoveScore(result)
            if chosen is None or result > score:
                chosen, score = action, result
            yield Choice(chosen, score)
        if endless and score == 0:
            yield endless
        elif chosen:
            yield Choice(chosen, score, proved=endless is None or score == 100)

    @remembered
    def maxscore(self, state: State) -> int:
        """Return the value that the player can force when it is to choose."""
        if self.machine.is_terminal(state):
            return utility(self.machine, state, self.role)
        score = 0
        for action in self.machine.legal_moves(state, self.role):
            score = max(score, self.minscore((action,), state))
        return score

    def minscore(self, moves: Moves, state: State) -> int:
        """Return the value after the opponents' worst answer.

        There is one min layer for each opponent: ``moves`` holds the player's move and those of the
        opponents before this one.
        """
        if len(moves) > len(self.opponents):
            joint_move = in_role_order(self.machine, self.role, moves)
            return self.maxscore(self.machine.next_state(state, joint_move))
        opponent = self.opponents[len(moves) - 1]
        score = 100
        for move in self.machine.legal_moves(state, opponent):
            score = min(score, self.minscore((*moves, move), state))
        return score
