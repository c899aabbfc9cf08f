"""Learning at leisure: what the start clock has seconds for, with minutes or hours.

Rounds of games are learned from, each longer than the one before. What a round has learned replaces
the best so far only if it does not lose matches against it, so that the learning can be stopped at
any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Annotated

from pydantic import ConfigDict, Field, NonNegativeInt
from pydantic.dataclasses import dataclass as checked_dataclass

from gdl.engine import PropnetStateMachine
from ggp_player.clock import Clock
from ggp_player.strategies.learning.duel import Score, compare_evaluations
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.pattern_learning import Learning

FIRST_ROUND = 5.0
"""Seconds of the first round, a fifth of the time at most."""

GROWTH = 0.5
"""A round takes this part of the time that has passed, if that is longer."""

COMPARISON_SHARE = 0.2
"""The time for matches between what a round has learned and the best, as a part of the round's."""

KEPT_SHARE = 0.5
"""The part of the points with which a round is kept, of however many matches there was time for.

A round gains some tens of Elo. A test of 50 against 75 % of the points, which duels have, ends
sooner, but misses most of that, and ends a run 14 Elo lower. A symmetrical one, as of 40 against
60 %, ends as high as this rule and saves a tenth of the time for matches, a fiftieth of all. What
was refused is not lost, as the next round goes on from it: its matches ask again. The figures are
in ``docs/search.md``.
"""

MAX_MATCHES = 2**31
"""A round has no more matches."""


@checked_dataclass(frozen=True, slots=True, config=ConfigDict(extra="forbid", strict=True))
class LearningRound:
    """A round: its games, and the points of matches against the best of what was learned before.

    ``seconds`` is when its games ended: the time since the game was first learned, with that of
    the matches before. The very first round has no ``matches``. ``points`` are from 0 to 1 for
    each; ``is_kept`` says whether the new weights were the best then. Raises ValueError for numbers
    that there cannot be.
    """

    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    games: NonNegativeInt
    points: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    matches: Annotated[int, Field(ge=0, le=MAX_MATCHES)]
    is_kept: bool

    def __post_init__(self) -> None:
        if self.points > self.matches:
            raise ValueError(f"more than {self.matches} points of so many matches")

    def __str__(self) -> str:
        kept = "kept" if self.is_kept else "not kept"
        if not self.matches:
            return f"{self.games} games; {kept}"
        share = Score(self.points, self.matches).share
        points = f"{100 * share:.0f} % of the points against the best weights so far"
        return f"{self.games} games; {points}, {kept}"


class LongLearning:
    """Learns an evaluation of a game; ``evaluation`` is the best so far.

    It goes on from ``evaluation`` where one is given, which was learned in so many
    ``seconds_before``. ``rounds`` are those that are finished. ``clock`` returns seconds.
    ``learning`` plays the games; where it is given, it has the evaluation, too. Matches between
    evaluations are played ``by_alpha_beta``, or by tree searches.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        seed: int,
        clock: Clock,
        evaluation: LearnedEvaluation | None = None,
        seconds_before: float = 0.0,
        learning: Learning | None = None,
        *,
        by_alpha_beta: bool,
    ) -> None:
        self.evaluation = evaluation
        self.rounds: list[LearningRound] = []
        self._machine = machine
        self._random = Random(seed)
        self._clock = clock
        self._began = clock() - seconds_before
        self._games = evaluation.games if evaluation is not None else 0
        self._by_alpha_beta = by_alpha_beta
        self._learning = learning or Learning(machine, seed, evaluation)

    def work(self, seconds: float) -> Iterator[None]:
        """Learn for so many seconds; yield every few hundredths of a second.

        ``evaluation`` stays as it is where playouts give too few states to find patterns in, and
        after a round in which no game came to its end.
        """
        began, machine, clock = self._clock(), self._machine, self._clock
        while True:
            passed = clock() - began
            length = max(min(FIRST_ROUND, seconds / 5), GROWTH * passed)
            if self.rounds and passed + (1 + COMPARISON_SHARE) * length > seconds:
                return
            yield from self._learning.work(length, clock)
            learned, best, score = self._learning.evaluation, self.evaluation, Score(0, 0)
            if learned is None:
                return
            ended = clock()
            if best is not None and learned.games > self._games:
                score = yield from compare_evaluations(
                    machine,
                    learned,
                    best,
                    self._random,
                    COMPARISON_SHARE * length,
                    clock,
                    by_alpha_beta=self._by_alpha_beta,
                )
            self._finish_round(learned, score, ended)

    def keep_first_round(self) -> None:
        """End a first round that was interrupted, so that what it has learned so far is kept.

        Does nothing where something was learned before, or nothing yet.
        """
        learned = self._learning.evaluation
        if self.evaluation is None and learned is not None and learned.games:
            self._finish_round(learned, Score(0, 0), self._clock())

    def _finish_round(self, learned: LearnedEvaluation, score: Score, ended: float) -> None:
        games = learned.games - self._games
        is_kept = games > 0 and score.share >= KEPT_SHARE
        if is_kept:
            self.evaluation = learned
        self._games = learned.games
        self.rounds.append(
            LearningRound(ended - self._began, games, score.points, score.matches, is_kept)
        )
