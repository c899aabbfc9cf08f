"""Learning an evaluation: from random playouts, then from games against itself."""

from __future__ import annotations

from collections.abc import Generator
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
from ggp_player.strategies.learning.self_play import SelfPlay, compare_evaluations

MAX_STATES = 100_000
"""Labelled states."""

MAX_WORK = 3_000_000_000
"""Labelled states times the square of the weights: what a round of the regression multiplies."""

MAX_FLUENTS = 1_000
"""With more fluents only groups of them get weights."""

MIN_STATES = 2_000
"""Fewer say too little."""

PLAYOUT_SECONDS = 2.0
"""CPU time for random playouts at most."""

ROUND_SECONDS = 3.0
"""CPU time for the games that are played with the same weights."""

COMPARISON_SECONDS = 1.0
"""CPU time for games against the weights of random playouts, which stay if they win clearly."""

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


def learn_evaluation(
    machine: PropnetStateMachine, seed: int, seconds: float, clock: Clock
) -> Generator[None, None, LearnedEvaluation | None]:
    """Learn an evaluation for two rivals; None where there are too few states to learn from.

    First from states of random playouts, for ``PLAYOUT_SECONDS``; then from games that alpha-beta
    plays against itself with what it has learned so far, in rounds; if that makes it no better, the
    first weights stay. Yields every few hundredths of a second. ``seconds`` are for both; the
    regressions and the comparison take some more.
    """
    began, groups = clock(), feature_groups(machine.facts)
    most_of_games = states_to_learn(groups.shape[1])
    is_large = len(machine.facts) > MAX_FLUENTS
    most = most_of_games if is_large else states_to_learn(len(machine.facts))
    playing = min(PLAYOUT_SECONDS, seconds)
    known = yield from label_states(machine, seed, most, playing, clock)
    if len(known.states) < min(MIN_STATES, most):
        return None
    weights = yield from fit_rivals(known, groups=groups if is_large else None)
    learned = first = LearnedEvaluation(weights, len(known.states))
    random, games = Random(seed), 0
    played = LabelledStates(known.states[:0], known.outcomes[:0])
    while clock() - began + ROUND_SECONDS <= seconds:
        self_play = SelfPlay(machine, (learned, learned), random)
        found, count = yield from self_play.games(ROUND_SECONDS, clock)
        games += count
        played = played.followed_by(found, most_of_games)
        weights = yield from fit_rivals(
            played, start=first.weights, groups=groups, worth=WORTH, ridge=RIDGE
        )
        learned = LearnedEvaluation(weights, first.states, games)
    if games:
        share = yield from compare_evaluations(
            machine, learned, first, random, COMPARISON_SECONDS, clock
        )
        if share < KEPT_SHARE:
            return first
    return learned


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
