"""Learning an evaluation: from random playouts, then from games against itself."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from gdl.engine import PropnetStateMachine
from ggp_player.strategies import Component, component
from ggp_player.strategies.learning.feature_groups import feature_groups
from ggp_player.strategies.learning.learned_evaluation import LearnedEvaluation
from ggp_player.strategies.learning.logistic_regression import RIDGE as FIRST_RIDGE
from ggp_player.strategies.learning.logistic_regression import Weights, fit
from ggp_player.strategies.learning.network import Samples, train
from ggp_player.strategies.learning.playout_states import (
    Clock,
    LabelledStates,
    label_states,
    legal_widths,
)
from ggp_player.strategies.learning.self_play import NODES, SelfPlay, compare_evaluations

MAX_STATES = 100_000
"""Labelled states."""

MAX_WORK = 3_000_000_000
"""Labelled states times the square of the weights: what a round of the regression multiplies."""

MAX_FLUENTS = 1_000
"""With more fluents only groups of them get weights."""

MIN_STATES = 2_000
"""Fewer say too little."""

PLAYOUT_SECONDS, PLAYOUT_SHARE = 2.0, 1 / 6
"""CPU time for random playouts at most, and as a part of all time."""

ROUND_SECONDS, ROUND_SHARE = 3.0, 1 / 4
"""CPU time for the first games that are played with the same weights, likewise."""

GROWTH = 0.25
"""A round takes this part of the time that has passed, if that is longer."""

USUAL_SECONDS = 12.0
"""With n times as much time in all, n times as many states of games are kept."""

MOST_STATES = 4
"""So many times as many at most."""

COMPARISON_SHARE, COMPARISON_SECONDS = 1 / 12, 5.0
"""The time for games against the weights of random playouts, which stay if they win clearly: as a
part of all time, and at most."""

KEPT_SHARE = 0.4
"""The points with which the new weights stay: so few games say little, and they mostly are better.
"""

WORTH = 0.1
"""What a state of a game counts for: those of one game are much alike."""

RIDGE = 100.0
"""What holds the weights to those of random playouts, as so many samples would."""


def states_to_learn(weights: int) -> int:
    """How many states to learn from: fewer where there are many weights to fit."""
    return min(MAX_STATES, MAX_WORK // (weights + 1) ** 2)


class Learning:
    """Learns an evaluation for two rivals: first from random playouts, then from games.

    The games are those that alpha-beta plays against itself with what it has learned so far, in
    rounds. ``evaluation`` is what has been learned so far, None before that, and where there are
    too few states to learn from.
    """

    def __init__(self, machine: PropnetStateMachine, seed: int) -> None:
        self.evaluation: LearnedEvaluation | None = None
        self._seconds = 0.0
        self._first: LearnedEvaluation | None = None
        self._machine = machine
        self._seed = seed
        self._random = Random(seed)
        self._groups = feature_groups(machine.facts)
        fluents = machine.engine.layout.fluent_count
        self._played = LabelledStates(
            np.zeros((0, fluents), np.uint8), np.zeros((0, 2), np.float32)
        )

    def work(self, seconds: float, clock: Clock) -> Iterator[None]:
        """Learn for so many seconds; asked again, go on with more games for so many more.

        Yields every few hundredths of a second. The last regression takes some more time.
        """
        before, began = self._seconds, clock()
        self._seconds += seconds
        if self._first is None:
            playing = min(PLAYOUT_SECONDS, PLAYOUT_SHARE * seconds)
            self.evaluation = self._first = yield from learn_from_playouts(
                self._machine, self._groups, self._seed, playing, clock
            )
        if self._first is None:
            return
        while length := self._next_round(before + clock() - began):
            yield from self._round(length, clock)

    def settle(self, clock: Clock) -> Generator[None, None, LearnedEvaluation | None]:
        """Compare with the weights of random playouts, and return the evaluation to play with.

        That takes some more time.
        """
        learned, first = self.evaluation, self._first
        if learned is None or first is None or not learned.games:
            return learned
        seconds = min(COMPARISON_SECONDS, COMPARISON_SHARE * self._seconds)
        share = yield from compare_evaluations(
            self._machine, learned, first, self._random, seconds, clock
        )
        return first if share < KEPT_SHARE else learned

    def _next_round(self, passed: float) -> float:
        """The seconds for the next round, 0 where too few are left."""
        usual = max(min(ROUND_SECONDS, ROUND_SHARE * self._seconds), GROWTH * passed)
        left = self._seconds - passed
        return min(usual, left) if left >= usual / 2 else 0.0

    def _round(self, seconds: float, clock: Clock) -> Iterator[None]:
        """Play games, and fit the weights anew to all of them."""
        learned, first = self.evaluation, self._first
        assert learned is not None
        assert first is not None
        nodes = round(NODES * max(1.0, seconds / ROUND_SECONDS) ** 0.5)
        games = SelfPlay(self._machine, (learned, learned), self._random, (nodes, nodes))
        found, count = yield from games.games(seconds, clock)
        self._played = self._played.followed_by(found, self._most_states)
        weights = yield from fit_rivals(
            self._played, start=first.weights, groups=self._groups, worth=WORTH, ridge=RIDGE
        )
        self.evaluation = LearnedEvaluation(weights, first.states, learned.games + count)

    @property
    def seconds(self) -> float:
        """Seconds for which it was asked to learn so far."""
        return self._seconds

    @property
    def _most_states(self) -> int:
        """How many states of games are kept; the oldest are forgotten."""
        patience = min(MOST_STATES, max(1.0, self._seconds / USUAL_SECONDS))
        return int(patience * states_to_learn(self._groups.shape[1]))


def learn_evaluation(
    machine: PropnetStateMachine, seed: int, seconds: float, clock: Clock
) -> Generator[None, None, LearnedEvaluation | None]:
    """Learn an evaluation for so many seconds and some more; see :class:`Learning`."""
    learning = Learning(machine, seed)
    yield from learning.work(seconds, clock)
    return (yield from learning.settle(clock))


def learn_from_playouts(
    machine: PropnetStateMachine,
    groups: NDArray[np.float32],
    seed: int,
    seconds: float,
    clock: Clock,
) -> Generator[None, None, LearnedEvaluation | None]:
    """Fit weights to states of random playouts; None where there are too few of these.

    Those of large games are for groups of fluents. Playing takes so many seconds at most.
    """
    is_large = len(machine.facts) > MAX_FLUENTS
    most = states_to_learn(groups.shape[1] if is_large else len(machine.facts))
    known = yield from label_states(machine, seed, most, seconds, clock)
    if len(known.states) < min(MIN_STATES, most):
        return None
    weights = yield from fit_rivals(known, groups=groups if is_large else None)
    return LearnedEvaluation(weights, len(known.states))


@component(Component.REGRESSION)
def fit_rivals(
    labelled: LabelledStates,
    *,
    start: tuple[Weights, Weights] | None = None,
    groups: NDArray[np.float32] | None = None,
    worth: float = 1.0,
    ridge: float = FIRST_RIDGE,
) -> Generator[None, None, tuple[Weights, Weights]]:
    """Fit the weights of both rivals: one regression if their outcomes add up to 1, else two."""
    found: list[Weights] = []
    for role in range(2):
        if role and labelled.is_zero_sum:
            found.append(-found[0])
        else:
            weights = yield from fit(
                labelled.states,
                np.ascontiguousarray(labelled.outcomes[:, role]),
                start=start[role] if start is not None else None,
                groups=groups,
                worth=worth,
                ridge=ridge,
            )
            found.append(weights)
    return found[0], found[1]


def add_networks(
    machine: PropnetStateMachine, labelled: LabelledStates, linear: LearnedEvaluation
) -> Generator[None, None, LearnedEvaluation]:
    """Train a network for each rival on what its linear weights leave unexplained.

    One is trained if the outcomes and the weights of both are opposite, else two. Returns the
    linear evaluation where one of them explains nothing more, or the game has more than
    ``MAX_FLUENTS``.
    """
    if len(machine.facts) > MAX_FLUENTS:
        return linear
    widths = yield from legal_widths(machine, labelled.states)
    is_one = labelled.is_zero_sum and linear.is_zero_sum
    groups, found = feature_groups(machine.facts), []
    for role in range(1 if is_one else 2):
        outcomes = np.ascontiguousarray(labelled.outcomes[:, role])
        known = linear.logits(labelled.states, widths, role)
        samples = Samples(labelled.states, widths, known, outcomes)
        network = yield from train(samples, groups, seed=len(outcomes))
        if network is None:
            return linear
        found.append(network)
    networks = (found[0], found[0].for_the_rival() if is_one else found[1])
    return replace(linear, networks=networks)
