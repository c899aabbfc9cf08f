"""An evaluation: what each fluent adds to a rival's chances."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl import Constant
from gdl.engine import PropnetStateMachine
from ggp_player.strategies.learning.logistic_regression import explained, fit
from ggp_player.strategies.learning.playout_states import Clock, label_states
from ggp_player.strategies.solver import StateEvaluation

MAX_STATES = 100_000
"""Labelled states."""

MAX_WORK = 3_000_000_000
"""Labelled states times the square of the fluents: what a round of the regression multiplies."""

MIN_STATES = 2_000
"""Fewer say too little."""

SWING = 8
"""A move that changes the value by so many points is followed beyond the horizon."""

TESTED = 10
"""One of so many states is not learned from, but tested on."""


@dataclass(frozen=True, slots=True)
class LearnedEvaluation:
    """Weights, float32 (fluents + 1,): logits that ``role`` wins, of two rivals.

    ``states`` is how many they were learned from; they explain the part ``explained`` of the
    variance of how other playouts ended.
    """

    role: Constant
    weights: NDArray[np.float32]
    states: int
    explained: float

    def seen_from(self, role: Constant) -> StateEvaluation:
        """The evaluation for one of the rivals."""
        sign = np.float32(1 if role == self.role else -1)
        return StateEvaluation(sign * self.weights, SWING)

    def __str__(self) -> str:
        return f"evaluation of {self.states} states explains {100 * self.explained:.1f} %"


def states_to_learn(fluents: int) -> int:
    """How many states to learn from: fewer where there are many fluents."""
    return min(MAX_STATES, MAX_WORK // (fluents + 1) ** 2)


def learn_evaluation(
    machine: PropnetStateMachine, seed: int, seconds: float, clock: Clock
) -> Generator[None, None, LearnedEvaluation | None]:
    """Learn an evaluation for two rivals; None where there are too few states to learn from.

    Yields every few hundredths of a second. ``seconds`` are for the playouts; the regression takes
    some two more at most.
    """
    most = states_to_learn(machine.engine.layout.fluent_count)
    known = yield from label_states(machine, 0, seed, most, seconds, clock)
    if len(known.states) < min(MIN_STATES, most):
        return None
    order = np.random.default_rng(seed).permutation(len(known.states))
    tested, used = order[: len(order) // TESTED], order[len(order) // TESTED :]
    weights = yield from fit(known.states[used], known.outcomes[used])
    part = explained(weights, known.states[tested], known.outcomes[tested])
    return LearnedEvaluation(machine.roles[0], weights, len(used), part)
