"""What was learned of a game: what fluents add to each rival's chances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ggp_player.strategies.learning.logistic_regression import Weights
from ggp_player.strategies.learning.network import Network
from ggp_player.strategies.solver import NO_LAYER, StateEvaluation

SWING = 8
"""A move that changes the value by so many points is followed beyond the horizon."""


class Model(StrEnum):
    """What an evaluation is made of."""

    LINEAR = "linear"
    """A weight for each fluent."""
    NETWORK = "network"
    """These, and what a small network adds."""
    AUTO = "auto"
    """Whichever wins games against the other in equal time."""


@dataclass(frozen=True, slots=True)
class LearnedEvaluation:
    """Weights of two rivals: float32 (fluents + 1,) for each, logits of its goal value.

    They are a linear evaluation by themselves; ``networks`` add to their logits what fluents are
    worth together. All was learned from so many ``states`` of random playouts, and so many
    ``games``.
    """

    weights: tuple[Weights, Weights]
    states: int = 0
    games: int = 0
    networks: tuple[Network, Network] | None = None

    @property
    def is_zero_sum(self) -> bool:
        """Whether what one rival gains the other one loses."""
        first, second = self.weights
        if self.networks is not None and not self.networks[0].is_opposite_of(self.networks[1]):
            return False
        return bool((first == -second).all())

    @property
    def is_network(self) -> bool:
        """Whether it adds what fluents are worth together."""
        return self.networks is not None

    def seen_from(self, role: int) -> StateEvaluation:
        """The evaluation for one of the rivals, by its index."""
        weights = np.ascontiguousarray(self.weights[role])
        layer = NO_LAYER if self.networks is None else self.networks[role].layer()
        return StateEvaluation(weights, SWING, layer)

    def linear(self) -> LearnedEvaluation:
        """The linear evaluation alone."""
        return replace(self, networks=None) if self.is_network else self

    def logits(
        self, states: NDArray[np.uint8], widths: NDArray[np.uint8], role: int
    ) -> NDArray[np.float32]:
        """The logits of a rival's goal value in states, float32 (n,); see :class:`.Samples`."""
        weights = self.weights[role]
        found: NDArray[np.float32] = states.astype(np.float32) @ weights[:-1] + weights[-1]
        if self.networks is not None:
            found = found + self.networks[role].logits(states, widths)
        return found

    def __str__(self) -> str:
        kind = "network" if self.is_network else "evaluation"
        return f"{kind} of {self.states} states and {self.games} games"
