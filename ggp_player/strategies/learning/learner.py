"""The learner: an evaluation from games, and whether it makes a better player."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from random import Random
from typing import TypeAlias

import numpy as np

from gdl import StateMachine
from gdl.engine import PropnetStateMachine, SymmetryGroup
from gdl.errors import counted
from ggp_player.clock import Clock, Deadline
from ggp_player.search_memory import search_memory
from ggp_player.strategies import Component, Position, component
from ggp_player.strategies.learning.duel import (
    AlphaBetaDuelist,
    ChallengeVerdict,
    Duelist,
    Score,
    TreeSearchDuelist,
    play_in_all_seats,
    tree_search_for_duels,
)
from ggp_player.strategies.learning.learned_alpha_beta import LearnedAlphaBeta
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation, has_two_rivals
from ggp_player.strategies.learning.learned_mcts import LearnedMonteCarlo
from ggp_player.strategies.learning.learning_time import (
    LearningTime,
    OwnTime,
    clock_until,
    seconds_from,
)
from ggp_player.strategies.learning.pattern_learning import Learning
from ggp_player.strategies.learning.stored_evaluations import recall_evaluation
from ggp_player.strategies.mcts import MINIMAX_SHARE, TreeSearch
from ggp_player.strategies.patterns.pattern_tables import NO_TABLES, PatternTables, Weights

USUAL_MATCHES = 16
"""Matches for which a duel has time: more than it needs on average, whoever is better."""

LEAST_MOVE_SECONDS, MOST_MOVE_SECONDS = 0.05, 0.2
"""CPU time for a move in duels. Shorter ones say little of a match: at a hundredth of a second
alpha-beta has 58 % of the points in a larger connect four, at five hundredths 8."""

PATIENCE = 10.0
"""A duel that is not decided in time goes on, in the match, for so many times as long in all."""

LATER_SECONDS, LATER_ROUND = 60.0, 6.0
"""For so many more seconds of CPU time patterns that do harm are tried again, each time after
learning for as long again as before, and for so many seconds at least."""

SWITCH_LEAD, LAST_LEAD, LAST_MATCHES = 2, 3, 10
"""Points by which the tree search that is guided must be behind the one that is not for the match
to go on without patterns, or ahead for it to take them up again; and points, either way, or matches
after which their duel ends. By as many points alpha-beta must be ahead of a tree search that is not
guided to play meanwhile."""

LEAST_GAMES = 100
"""After fewer games duels would take time and say nothing: more is learned first."""

ENOUGH_GAMES = 5_000
"""After fewer games the tree search is not guided before it is ahead in its duel."""

GREATER_SHARE = 0.6
"""The minimax share where alpha-beta wins."""

LEARNING_THREADS, LEARNING_BYTES = 8, 2**27
"""Threads that play games against themselves at once, at most, and the memory that each may take:
the indices of the states of its games."""

Guide: TypeAlias = Callable[[PatternTables, Weights, float], None]
"""What is told of new patterns: see :meth:`.MonteCarlo.guide`."""

_log = logging.getLogger(__name__)


class Learner:
    """Learns an evaluation for roles that move in turn; of two rivals, alpha-beta with it duels.

    Where an evaluation of the game is stored, it takes that instead of learning one. The tree
    search, too, is guided by it, in the match by calling ``guide``, unless it loses a duel with
    the tree search that is not: of a large board too little may be known yet. Then alpha-beta duels
    with a tree search in whose values patterns have no part. Where it wins, patterns get more
    weight in the tree search that they guide, and alpha-beta must beat that, too. From then on it
    learns from the position of each move. Where patterns serve neither search, it learns more of
    the game, and tries again. Where roles do not move ``in_turn`` it learns nothing: an evaluation
    that is stored guides the tree search, unless it loses that duel.
    ``clock`` returns seconds of CPU time; games are played in several ``threads``.
    ``strategy`` is what should play from then on, None before that or where the tree search is
    better; ``is_pessimistic`` says whether it takes a rival for an enemy who has aims of its own;
    ``has_learned`` says whether it has learned for as long as it should before the first move, and
    ``note`` how it went.
    """

    def __init__(
        self,
        clock: Clock,
        symmetries: SymmetryGroup | None = None,
        threads: int = 1,
        guide: Guide | None = None,
        *,
        in_turn: bool = True,
    ) -> None:
        self._clock = clock
        self._guide = guide
        self._in_turn = in_turn
        self._symmetries = symmetries
        self._threads = threads
        self.strategy: LearnedAlphaBeta | None = None
        self.is_pessimistic = False
        self.has_learned = False
        self.note = ""
        self._duels = True
        self._is_guided: bool | None = None
        self._minimax_share = MINIMAX_SHARE
        self._random = Random(0)
        self._plan = LearningTime()
        self._learning: Learning | None = None

    def refusal(self, machine: StateMachine) -> str | None:
        """Say why nothing can be learned for a game; None where it can."""
        by_alpha_beta = self._in_turn and has_two_rivals(machine)
        strategy = LearnedAlphaBeta() if by_alpha_beta else LearnedMonteCarlo()
        return strategy.refusal(machine)

    def work(
        self, machine: PropnetStateMachine, seed: int, deadline: Deadline | None = None
    ) -> Iterator[None]:
        """Learn and decide; yield every few hundredths of a second.

        How long that takes depends on the time until the ``deadline``. Mostly it is done before; it
        goes on afterwards where the time was too short.
        """
        self._random = Random(seed)
        self._duels = self._in_turn and LearnedAlphaBeta().refusal(machine) is None
        self._is_guided = None
        time = OwnTime(self._clock)
        yield from time.of_steps(self._work(machine, seed, deadline, time))

    def learn_from(self, position: Position) -> Iterator[None]:
        """Learn from games that begin in a position, for a part of the time for its move.

        What has been learned then plays, or guides the tree search, which begins anew. Does nothing
        where patterns do harm, and for a search that is stopped by its work. Yields as often as
        :meth:`work`.
        """
        seconds = seconds_from(position)
        is_of_use = self._is_guided or self.strategy is not None
        if self._learning is not None and is_of_use and seconds > 0:
            time = OwnTime(self._clock)
            clock = clock_until(position.deadline, time)
            work = self._learning.work_from(position.state, seconds, clock)
            yield from time.of_steps(work)
            self._renew(self._learning.evaluation)

    @component(Component.DUELS)
    def duel(
        self,
        machine: PropnetStateMachine,
        evaluation: LearnedEvaluation,
        random: Random,
        seconds: float,
        patience: float = 1.0,
        *,
        minimax_share: float | None = 0.0,
    ) -> Iterator[Score]:
        """Let alpha-beta play the tree search until it is decided who is better.

        The tree search has patterns in its values by ``minimax_share``; with None it is not guided.

        Moves are so short that as many matches as mostly are needed take so many seconds, but not
        so short that they say nothing of a match. After ``patience`` times as many seconds it ends
        anyhow. Yields the score after each move.
        """
        if minimax_share is None:
            champion = tree_search_for_duels(machine, random)
        else:
            champion = tree_search_for_duels(machine, random, evaluation, minimax_share)
        challenger = AlphaBetaDuelist(machine, evaluation, self._clock)
        yield from self._matches(challenger, champion, random, seconds, patience, _is_decided)

    @component(Component.DUELS)
    def duel_over_guidance(
        self,
        machine: PropnetStateMachine,
        evaluation: LearnedEvaluation,
        random: Random,
        seconds: float,
        patience: float = 1.0,
    ) -> Iterator[Score]:
        """Let a tree search that is guided by an evaluation play one that is not.

        It is as long as :meth:`duel`, but ends as soon as one of them is well ahead.
        """
        guided = tree_search_for_duels(machine, random, evaluation)
        challenger = TreeSearchDuelist(guided, self._clock, random)
        champion = tree_search_for_duels(machine, random)
        yield from self._matches(challenger, champion, random, seconds, patience, _leads)

    def _matches(
        self,
        challenger: Duelist,
        champion: TreeSearch,
        random: Random,
        seconds: float,
        patience: float,
        is_decided: Callable[[Score], bool],
    ) -> Iterator[Score]:
        """Let a challenger play matches against a tree search, until that decides something."""
        time, machine = OwnTime(self._clock), champion.machine
        pace = seconds / USUAL_MATCHES / champion.playout_length
        pace = min(MOST_MOVE_SECONDS, max(LEAST_MOVE_SECONDS, pace))
        other = TreeSearchDuelist(champion, self._clock, random)
        for score in time.of_steps(play_in_all_seats(machine, challenger, other, random, pace)):
            yield score
            if is_decided(score) or time() >= patience * seconds:
                break

    def _work(
        self, machine: PropnetStateMachine, seed: int, deadline: Deadline | None, own: Clock
    ) -> Iterator[None]:
        plan = LearningTime.within(deadline.remaining if deadline is not None else None)
        self._plan = plan
        clock = clock_until(deadline, own)
        evaluation = recall_evaluation(machine, least_seconds=plan.learning)
        if not self._in_turn:
            self.has_learned = True
            if evaluation is not None:
                yield from self._decide(machine, evaluation)
            return
        threads = max(1, min(self._threads, LEARNING_THREADS, search_memory() // LEARNING_BYTES))
        self._learning = Learning(machine, seed, evaluation, threads)
        if evaluation is None:
            yield from self._learning.work(plan.learning, clock)
            evaluation = self._learning.evaluation
        self.has_learned, until = True, own() + plan.learning + LATER_SECONDS
        while True:
            if evaluation is None:
                self.note = "too few states to find patterns in"
            elif evaluation.games < LEAST_GAMES:
                self._say(f"{evaluation}, too few to use")
            else:
                yield from self._decide(machine, evaluation)
            if self._is_guided or self.strategy is not None or own() >= until:
                return
            yield from self._learning.work(max(LATER_ROUND, self._learning.seconds), own)
            evaluation = self._learning.evaluation

    def _renew(self, found: LearnedEvaluation | None) -> None:
        """Let play, or guide the tree search, what has been learned from a position."""
        if found is None:
            return
        if self.strategy is not None:
            self._play_with(found)
        else:
            self._guide_by(found)

    def _decide(
        self, machine: PropnetStateMachine, evaluation: LearnedEvaluation
    ) -> Iterator[None]:
        """Guide the tree search if that helps; let alpha-beta play where it is better still."""
        self._minimax_share = MINIMAX_SHARE
        is_undisputed = self._in_turn and not self._duels
        if self._is_guided is None:
            self._is_guided = is_undisputed or evaluation.games >= ENOUGH_GAMES
        self._guide_by(evaluation)
        if is_undisputed:
            self._say(f"{evaluation} guide the tree search")
            return
        yield from self._try_guidance(machine, evaluation)
        if not self._duels:
            return
        if not self._is_guided:
            yield from self._play_while_ahead(machine, evaluation)
            return
        for share in (0.0, GREATER_SHARE):
            score = Score(0, 0)
            for score in self._duel(machine, evaluation, share):  # noqa: B007 the last counts
                yield
            joint, more = ("and", " where they weigh more") if share else ("alpha-beta", "")
            self._say(f"{self.note}, {joint} {_told(score)}{more}")
            if score.verdict is not ChallengeVerdict.CHALLENGER:
                return
            if self._minimax_share != GREATER_SHARE:
                self._minimax_share = GREATER_SHARE
                self._guide_by(evaluation)
        self._play_with(evaluation)

    def _play_while_ahead(
        self, machine: PropnetStateMachine, evaluation: LearnedEvaluation
    ) -> Iterator[None]:
        """Let alpha-beta play if it beats a tree search that is not guided.

        It plays from a clear lead on, as the duel may take most of the match, and no longer when it
        has lost that.
        """
        score = Score(0, 0)
        for score in self._duel(machine, evaluation, None):
            if self.strategy is None and score.lead >= LAST_LEAD:
                self._play_with(evaluation)
            elif score.lead <= 0:
                self._withdraw()
            yield
        self._say(f"{self.note}, alpha-beta {_told(score)}")
        if score.verdict is not ChallengeVerdict.CHALLENGER:
            self._withdraw()

    def _duel(
        self, machine: PropnetStateMachine, evaluation: LearnedEvaluation, share: float | None
    ) -> Iterator[Score]:
        """Hold a duel of alpha-beta that may go on in the match."""
        return self.duel(
            machine,
            evaluation,
            self._random,
            self._plan.duels,
            PATIENCE,
            minimax_share=share,
        )

    def _withdraw(self) -> None:
        """Let the tree search play, and not alpha-beta."""
        self.strategy, self.is_pessimistic = None, False

    def _try_guidance(
        self, machine: PropnetStateMachine, evaluation: LearnedEvaluation
    ) -> Iterator[None]:
        """Guide the tree search, or do not, as the duel over that goes."""
        score = Score(0, 0)
        random, seconds = self._random, self._plan.duels
        for score in self.duel_over_guidance(machine, evaluation, random, seconds, PATIENCE):
            if abs(score.lead) >= SWITCH_LEAD and (score.lead > 0) != self._is_guided:
                self._is_guided = score.lead > 0
                self._guide_by(evaluation)
            yield
        self._say(f"{evaluation}; guided by them, the tree search {_told(score)}")

    def _guide_by(self, evaluation: LearnedEvaluation) -> None:
        """Guide the tree search in the match by an evaluation, or by nothing."""
        if self._guide is None:
            return
        if self._is_guided:
            self._guide(evaluation.tables, evaluation.weights, self._minimax_share)
        else:
            self._guide(NO_TABLES, np.zeros((1, 0), np.float32), 0.0)

    def _play_with(self, evaluation: LearnedEvaluation) -> None:
        """Let alpha-beta play with an evaluation from now on."""
        self.is_pessimistic = not evaluation.is_zero_sum
        self.strategy = LearnedAlphaBeta(
            threads=self._threads,
            symmetries=self._symmetries,
            evaluation=evaluation,
            clock=self._clock,
        )

    def _say(self, note: str) -> None:
        """Say how it went."""
        self.note = note
        _log.info("%s", note)


def _told(score: Score) -> str:
    """The score in words."""
    return f"won {100 * score.share:.0f} % of {counted(score.matches, 'duel')}"


def _is_decided(score: Score) -> bool:
    """Whether it is decided who should play the match."""
    return score.verdict is not ChallengeVerdict.OPEN


def _leads(score: Score) -> bool:
    """Whether one of two tree searches is ahead by enough, or the other will not be either."""
    return abs(score.lead) >= LAST_LEAD or score.matches >= LAST_MATCHES
