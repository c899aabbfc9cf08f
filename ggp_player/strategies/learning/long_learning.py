"""Learning at leisure: what the start clock has seconds for, with minutes or hours.

Rounds of games are learned from, each longer than the one before. What a round has learned replaces
the best so far only if it does not lose matches against it, so that the learning can be stopped at
any time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning.duel import compare_evaluations
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.pattern_learning import Learning
from ggp_player.strategies.learning.playout_states import Clock

FIRST_ROUND = 5.0
"""Seconds of the first round, a fifth of the time at most."""

GROWTH = 0.5
"""A round takes this part of the time that has passed, if that is longer."""

COMPARISON_SHARE = 0.2
"""The time for matches between what a round has learned and the best, as a part of the round's."""


@dataclass(frozen=True, slots=True)
class LearningRound:
    """A round: its games, and the points against the best of what was learned so far.

    ``share`` is from 0 to 1; ``is_kept`` says whether the new weights are the best now.
    """

    number: int
    games: int
    share: float
    is_kept: bool

    def __str__(self) -> str:
        points = f"{100 * self.share:.0f} % of the points against the best weights so far"
        kept = "kept" if self.is_kept else "not kept"
        return f"round {self.number}: {self.games} games; {points}, {kept}"


class LongLearning:
    """Learns an evaluation of a game of two rivals; ``evaluation`` is the best so far.

    It goes on from ``evaluation`` where one is given. ``rounds`` are those that are finished.
    ``clock`` returns seconds.
    """

    def __init__(
        self,
        machine: PropnetStateMachine,
        seed: int,
        clock: Clock,
        evaluation: LearnedEvaluation | None = None,
    ) -> None:
        self.evaluation = evaluation
        self.rounds: list[LearningRound] = []
        self._machine = machine
        self._random = Random(seed)
        self._clock = clock
        self._learning = Learning(machine, seed, evaluation)

    def work(self, seconds: float) -> Iterator[None]:
        """Learn for so many seconds; yield every few hundredths of a second.

        Where playouts give too few states to find patterns in, ``evaluation`` stays as it is.
        """
        began, machine, clock = self._clock(), self._machine, self._clock
        while True:
            passed = clock() - began
            length = max(min(FIRST_ROUND, seconds / 5), GROWTH * passed)
            if self.rounds and passed + (1 + COMPARISON_SHARE) * length > seconds:
                return
            before = self._learning.games
            yield from self._learning.work(length, clock)
            learned, best, share = self._learning.evaluation, self.evaluation, 1.0
            if learned is None:
                return
            if best is not None:
                share = yield from compare_evaluations(
                    machine, learned, best, self._random, COMPARISON_SHARE * length, clock
                )
            is_kept = share >= 0.5
            if is_kept:
                self.evaluation = learned
            games = learned.games - before
            self.rounds.append(LearningRound(len(self.rounds) + 1, games, share, is_kept))
