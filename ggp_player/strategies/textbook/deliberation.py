"""Compulsive deliberation: search the whole game again at each step, for one player."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from gdl import Constant, State, StateMachine, Term
from ggp_player.strategies import Choice, Counts, LoneStrategy, Method, Position
from ggp_player.strategies.textbook.game_tree import (
    MoveScore,
    ScoringStrategy,
    iterative_deepening,
    utility,
)
from ggp_player.strategies.textbook.memory import MemoTable, remembered


class Deliberation(ScoringStrategy, LoneStrategy):
    """Searches one-player games afresh at each step. Refuses games of several roles.

    The tree is searched to 1 step, then to 2, and so on up to ``depth``: a short path to a goal is
    found before a long one, and no endless line of play is followed for ever. What lies deeper
    counts as 0. Nothing is kept between steps; :class:`.SequentialPlanning` does the opposite.

    Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 5.
    """

    name = "deliberation"
    method = Method.DELIBERATION

    def __init__(self, depth: Annotated[int, Field(ge=1)] = 200) -> None:
        self.depth = depth

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the best move so far, after each move searched and after each depth."""
        self._searched, self._scores = position.state, {}
        return iterative_deepening(position, self.depth, self._iteration)

    def _iteration(self, position: Position, depth: int, best: Choice) -> Iterator[Choice]:
        search = DeliberationSearch(position.machine, position.role)
        search.scores = {**self._scores}
        self._scores = search.scores
        for choice in search.bestmove(position.state, depth):
            if choice.proved or (choice.value or 0) > (best.value or 0):
                best = choice
            yield best


class DeliberationSearch:
    """The search to one depth; ``cut`` says whether a line of play was longer than that."""

    def __init__(self, machine: StateMachine, role: Constant) -> None:
        self.machine = machine
        self.role = role
        self.cut = False
        self.scores: dict[Term, MoveScore] = {}
        self.memory: MemoTable[tuple[State, int], int] = MemoTable()

    def bestmove(self, state: State, depth: int) -> Iterator[Choice]:
        """Compare the ``maxscore`` after every action; the first of the best is chosen."""
        actions = self.machine.legal_moves(state, self.role)
        best = Choice(actions[0], 0)
        for action in actions:
            result = self.maxscore(self.machine.next_state(state, (action,)), depth - 1)
            # What lies beyond the depth may be worth more.
            self.scores[action] = MoveScore(result, high=result if self.cut else 100)
            if result == 100:
                yield Choice(action, result, proved=True, counts=Counts(depth))
                return
            if best.value is None or result > best.value:
                best = Choice(action, result, counts=Counts(depth))
            yield best
        yield replace(best, proved=not self.cut)

    @remembered
    def maxscore(self, state: State, depth: int) -> int:
        """Return the highest goal value that can be reached in ``depth`` steps."""
        if self.machine.is_terminal(state):
            return utility(self.machine, state, self.role)
        if depth == 0:
            self.cut = True
            return 0
        score = 0
        for action in self.machine.legal_moves(state, self.role):
            after = self.machine.next_state(state, (action,))
            score = max(score, self.maxscore(after, depth - 1))
            if score == 100:
                break
        return score
