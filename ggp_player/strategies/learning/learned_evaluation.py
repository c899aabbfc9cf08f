"""What was learned of a game: what each fluent adds to each rival's chances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ggp_player.strategies.learning.logistic_regression import Weights
from ggp_player.strategies.solver import StateEvaluation

SWING = 8
"""A move that changes the value by so many points is followed beyond the horizon."""


@dataclass(frozen=True, slots=True)
class LearnedEvaluation:
    """Weights of two rivals: float32 (fluents + 1,) for each, logits of its goal value.

    They were learned from so many ``states`` of random playouts, and so many ``games``.
    """

    weights: tuple[Weights, Weights]
    states: int = 0
    games: int = 0

    @property
    def is_zero_sum(self) -> bool:
        """Whether what one rival gains the other one loses."""
        first, second = self.weights
        return bool((first == -second).all())

    def seen_from(self, role: int) -> StateEvaluation:
        """The evaluation for one of the rivals, by its index."""
        return StateEvaluation(np.ascontiguousarray(self.weights[role]), SWING)

    def __str__(self) -> str:
        return f"evaluation of {self.states} states and {self.games} games"
