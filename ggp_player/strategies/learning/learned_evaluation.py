"""What was learned of a game: what patterns add to each role's chances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gdl import StateMachine
from gdl.language import moves_by_chance
from ggp_player.strategies.patterns.pattern_tables import PatternTables, Weights
from ggp_player.strategies.solver import StateEvaluation

SWING = 8
"""A move that changes the value by so many points is followed beyond the horizon."""


def has_two_rivals(machine: StateMachine) -> bool:
    """Whether two roles play, and nothing moves by chance: others alpha-beta refuses."""
    return len(machine.roles) == 2 and not any(map(moves_by_chance, machine.roles))


@dataclass(frozen=True, slots=True)
class LearnedEvaluation:
    """Tables of patterns, and the weights of their entries, learned from so many ``games``.

    ``weights`` float32 (entries + 1, phases * outputs): logits of goal values. There is one output,
    for the first of two rivals, where what one gains the other one loses, and else one for each
    role, of which those that move by chance mean nothing.
    """

    tables: PatternTables
    weights: Weights
    games: int = 0

    @property
    def outputs(self) -> int:
        """How many roles' values are evaluated."""
        return int(self.weights.shape[1]) // self.tables.phase_count

    @property
    def is_zero_sum(self) -> bool:
        """Whether what one rival gains the other one loses."""
        return self.outputs == 1

    def seen_from(self, role: int) -> StateEvaluation:
        """The evaluation for one of the rivals, by its index."""
        weights = self.weights[:, min(role, self.outputs - 1) :: self.outputs]
        sign = -1 if role and self.is_zero_sum else 1
        return StateEvaluation(self.tables, np.ascontiguousarray(sign * weights), SWING)

    def __str__(self) -> str:
        return f"{len(self.tables.sizes)} patterns learned from {self.games} games"
