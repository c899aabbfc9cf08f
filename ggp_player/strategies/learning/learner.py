"""The learner: from random playouts to an evaluation, and whether it makes a better player."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from random import Random

from gdl import StateMachine
from gdl.engine import PropnetStateMachine, SymmetryGroup
from ggp_player.strategies import Component, component
from ggp_player.strategies.learning.duel import (
    AlphaBetaDuelist,
    Score,
    TreeSearchDuelist,
    play_pairs,
)
from ggp_player.strategies.learning.learned_alpha_beta import LearnedAlphaBeta
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.playout_states import Clock
from ggp_player.strategies.learning.stored_evaluations import recall_or_learn
from ggp_player.strategies.mcts import Settings, TreeSearch

LEARNING_SECONDS = 12.0
"""CPU time for playouts and games against itself; the regressions take some more."""

DUEL_SECONDS = 10.0
"""CPU time for duels at most."""

MATCH_SECONDS = 1.2
"""CPU time that a match should take."""

LEAST_MOVE_SECONDS, MOST_MOVE_SECONDS = 0.01, 0.1
"""CPU time for a move in duels."""

MIN_MATCHES, MAX_MATCHES = 4, 24
"""With fewer matches nothing is decided, with more it is clear."""

CLEAR_LEAD = 2.5
"""Points beyond half of the matches, either way, with which it is clear sooner."""

NEEDED_SHARE = 0.65
"""The share of the points in duels from which on alpha-beta takes over."""

DRAWN = 6
"""Matches that count as drawn beforehand: a few matches could end well by chance."""

MEMORY = 2**26
"""Bytes of the tree search in duels."""

_log = logging.getLogger(__name__)


class Learner:
    """Learns an evaluation for two rivals who move in turn, and lets alpha-beta with it duel.

    Where an evaluation of the game is stored, it takes that instead of learning one.
    ``clock`` returns seconds of CPU time, of which all steps together take some 25 at most.
    ``strategy`` is what should play from then on, None before that or where the tree search is
    better; ``is_pessimistic`` says whether it takes a rival for an enemy who has aims of its own;
    ``note`` says how it went.
    """

    def __init__(
        self, clock: Clock, symmetries: SymmetryGroup | None = None, threads: int = 1
    ) -> None:
        self._clock = clock
        self._symmetries = symmetries
        self._threads = threads
        self.strategy: LearnedAlphaBeta | None = None
        self.is_pessimistic = False
        self.note = ""

    def refusal(self, machine: StateMachine) -> str | None:
        """Say why nothing can be learned for a game; None where it can."""
        return LearnedAlphaBeta().refusal(machine)

    def work(self, machine: PropnetStateMachine, seed: int) -> Iterator[None]:
        """Learn and decide; yield every few hundredths of a second."""
        evaluation = yield from recall_or_learn(machine, seed, LEARNING_SECONDS, self._clock)
        if evaluation is None:
            self.note = "too few states to learn an evaluation from"
            return
        score = yield from self.duel(machine, evaluation, Random(seed))
        share = f"won {100 * score.share:.0f} % of {score.matches} duels"
        self.note = f"{evaluation}; alpha-beta with it {share}"
        _log.info("%s", self.note)
        if is_better(score):
            self.is_pessimistic = not evaluation.is_zero_sum
            self.strategy = LearnedAlphaBeta(
                threads=self._threads,
                symmetries=self._symmetries,
                evaluation=evaluation,
                clock=self._clock,
            )

    @component(Component.DUELS)
    def duel(
        self,
        machine: PropnetStateMachine,
        evaluation: LearnedEvaluation,
        random: Random,
        seconds: float = DUEL_SECONDS,
    ) -> Generator[None, None, Score]:
        """Let alpha-beta play the tree search for so many seconds at most; return its score.

        Yields after each move.
        """
        search = TreeSearch(machine, Settings(), random.getrandbits(30), MEMORY)
        pace = MATCH_SECONDS / search.playout_length
        pace = min(MOST_MOVE_SECONDS, max(LEAST_MOVE_SECONDS, pace))
        challenger = AlphaBetaDuelist(machine, evaluation, self._clock)
        champion = TreeSearchDuelist(search, self._clock)
        began, score = self._clock(), Score()
        for score in play_pairs(machine, challenger, champion, random, pace):
            yield
            if is_decided(score) or self._clock() - began >= seconds:
                break
        return score


def is_better(score: Score) -> bool:
    """Whether alpha-beta has won so many points that it should play the match."""
    share = (score.points + DRAWN / 2) / (score.matches + DRAWN)
    return score.matches >= MIN_MATCHES and share >= NEEDED_SHARE


def is_decided(score: Score) -> bool:
    """Whether more matches would not change who is better."""
    lead = abs(score.points - score.matches / 2)
    return score.matches >= MAX_MATCHES or (score.matches >= MIN_MATCHES and lead >= CLEAR_LEAD)
