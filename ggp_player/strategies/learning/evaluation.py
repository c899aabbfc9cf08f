"""An evaluation: what each fluent adds to a rival's chances."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from gdl import Constant
from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning.feature_groups import feature_groups
from ggp_player.strategies.learning.logistic_regression import fit
from ggp_player.strategies.learning.playout_states import (
    Clock,
    LabelledStates,
    label_states,
)
from ggp_player.strategies.learning.self_play import SelfPlay, compare_weights
from ggp_player.strategies.solver import StateEvaluation

MAX_STATES = 100_000
"""Labelled states."""

MAX_WORK = 3_000_000_000
"""Labelled states times the square of the weights: what a round of the regression multiplies."""

MAX_FLUENTS = 1_000
"""With more fluents only groups of them get weights."""

MIN_STATES = 2_000
"""Fewer say too little."""

SWING = 8
"""A move that changes the value by so many points is followed beyond the horizon."""

PLAYOUT_SECONDS = 2.0
"""CPU time for random playouts at most."""

ROUND_SECONDS = 3.0
"""CPU time for the games that are played with the same weights."""

COMPARISON_SECONDS = 1.0
"""CPU time for games against the weights of random playouts, which stay if they are better."""

WORTH = 0.1
"""What a state of a game counts for: those of one game are much alike."""

RIDGE = 100.0
"""What holds the weights to those of random playouts, as so many samples would."""


@dataclass(frozen=True, slots=True)
class LearnedEvaluation:
    """Weights, float32 (fluents + 1,): logits that ``role`` wins, of two rivals.

    They were learned from so many ``states`` of random playouts, and so many ``games``.
    """

    role: Constant
    weights: NDArray[np.float32]
    states: int
    games: int = 0

    def seen_from(self, role: Constant) -> StateEvaluation:
        """The evaluation for one of the rivals."""
        sign = np.float32(1 if role == self.role else -1)
        return StateEvaluation(sign * self.weights, SWING)

    def __str__(self) -> str:
        return f"evaluation of {self.states} states and {self.games} games"


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
    known = yield from label_states(machine, 0, seed, most, playing, clock)
    if len(known.states) < min(MIN_STATES, most):
        return None
    weights = first = yield from fit(
        known.states, known.outcomes, groups=groups if is_large else None
    )
    random, games = Random(seed), 0
    played = [LabelledStates(known.states[:0], known.outcomes[:0])]
    while clock() - began + ROUND_SECONDS <= seconds:
        self_play = SelfPlay(machine, (weights, weights), SWING, random)
        found, count = yield from self_play.games(ROUND_SECONDS, clock)
        played.append(found)
        games += count
        states = np.concatenate([each.states for each in played])[-most_of_games:]
        outcomes = np.concatenate([each.outcomes for each in played])[-most_of_games:]
        weights = yield from fit(
            states, outcomes, start=first, groups=groups, worth=WORTH, ridge=RIDGE
        )
    if games:
        share = yield from compare_weights(
            machine, weights, first, SWING, random, COMPARISON_SECONDS, clock
        )
        if share < 0.5:
            weights, games = first, 0
    return LearnedEvaluation(machine.roles[0], weights, len(known.states), games)
