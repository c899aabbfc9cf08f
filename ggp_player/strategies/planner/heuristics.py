"""Heuristics: which states a search should expand first. Lower scores come first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Packed
from ggp_player.strategies.planner.delete_relaxation import UNREACHABLE, DeleteRelaxation
from ggp_player.strategies.planner.state_space import (
    BLOCK_COST,
    GATE_COST,
    StateSpace,
    Successors,
    bits_of,
)

Scores: TypeAlias = NDArray[np.float64]

Heuristic: TypeAlias = Callable[[Successors], Scores]
"""Scores states: those that come first have the lowest."""

TIE_BREAK = 1e-3
"""The worth of a legal move, relative to a unit of cost: it only breaks ties."""

PLAYOUTS_PER_STATE = 8

PLAYOUT_STEPS = 300

LEARNED_ENDS = 1024
"""The number of latest playouts that similarity is learned from."""

DEAD_END = 1e9
"""The score of states from which the goal cannot be reached."""


class Heuristics:
    """The heuristics of one game. Similarity has to ``learn`` from the ends of playouts."""

    def __init__(
        self, space: StateSpace, relaxation: DeleteRelaxation, random: np.random.Generator
    ) -> None:
        self._space = space
        self.relaxation = relaxation
        self._random = random
        self._block = space.engine.block(int(random.integers(2**32)))
        self._ends = EndSimilarity(space.layout.fluent_count)
        self.learn = self._ends.learn

    def informative(self) -> Iterator[Heuristic]:
        """Yield the heuristics for beams that distinguish the states seen so far."""
        yield self.distance
        if len(self._space.values) > 1:
            yield self.goal_value
        if len(self._space.mobilities) > 1:
            yield self.most_moves
        if self._ends.informative:
            yield self.similarity

    def noisy(self, heuristic: Heuristic, noise: float) -> Heuristic:
        """Return the heuristic with a random amount of up to ``noise`` added to every score."""

        def score(batch: Successors) -> Scores:
            return heuristic(batch) + noise * self._random.random(len(batch.states))

        return score

    def _cost(self, batch: Successors) -> Scores:
        costs = self.relaxation.costs(batch.states).astype(np.float64)
        return np.where(costs >= UNREACHABLE, DEAD_END, costs)

    def distance(self, batch: Successors) -> Scores:
        """Score by the relaxed distance of the goal, then by the most legal moves."""
        return self._cost(batch) - TIE_BREAK * batch.features.mobility

    def most_moves(self, batch: Successors) -> Scores:
        """Score by the most legal moves, then by the relaxed distance."""
        cost = self._cost(batch)
        return np.where(cost >= DEAD_END, DEAD_END, TIE_BREAK * cost) - batch.features.mobility

    def fewest_moves(self, batch: Successors) -> Scores:
        """Score by the fewest legal moves: H. von Warnsdorff's rule for knight's tours (1823)."""
        cost = self._cost(batch)
        return np.where(cost >= DEAD_END, DEAD_END, TIE_BREAK * cost) + batch.features.mobility

    def goal_value(self, batch: Successors) -> Scores:
        """Score by the state's own goal value, then by the relaxed distance."""
        return self.distance(batch) - 1e4 * batch.features.values

    def similarity(self, batch: Successors) -> Scores:
        """Score by the similarity to the best ends of playouts."""
        return -self._ends.of(batch.states)

    def playouts(self, batch: Successors) -> Scores:
        """Score by the goal values of playouts from the state, the best and the mean."""
        space, block = self._space, self._block
        layout, lanes = space.layout, space.lanes
        size = lanes // PLAYOUTS_PER_STATE
        scores = []
        for first in range(0, len(batch.states), size):
            states = batch.states[first : first + size]
            repeated = np.repeat(states, PLAYOUTS_PER_STATE, axis=0)
            block.load(bits_of(repeated, layout.fluent_count))
            playouts = block.play(PLAYOUT_STEPS, refill=False)
            space.cost += BLOCK_COST + playout_cost(space, int(playouts.steps.max()))
            goals = playouts.goals[: len(repeated), 0]
            goals = goals.reshape(len(states), PLAYOUTS_PER_STATE)
            scores.append(-goals.max(axis=1) - goals.mean(axis=1))
        return np.concatenate([np.zeros(0), *scores])


def playout_cost(space: StateSpace, steps: int) -> float:
    """Return the cost of a block of playouts of so many steps, in nominal microseconds."""
    return steps * (GATE_COST * space.gates + 0.05 * sum(space.layout.move_counts) + 1)


class EndSimilarity:
    """The similarity of states to the ends of playouts that went well.

    The weight of a fluent is how much more often it is true after playouts of more than the mean
    value than after all, in units of its standard deviation.
    """

    def __init__(self, fluents: int) -> None:
        self._ends = np.zeros((0, fluents), dtype=np.uint8)
        self._values = np.zeros(0, dtype=np.int64)
        self._weights: Scores | None = None

    @property
    def informative(self) -> bool:
        """Whether any fluent has a weight."""
        return bool(self.weights.any())

    @property
    def weights(self) -> Scores:
        """The weight of each fluent: float64 (fluents,)."""
        if self._weights is None:
            self._weights = self._new_weights()
        return self._weights

    def learn(self, ends: Packed, values: NDArray[np.int64]) -> None:
        """Add the last states of some playouts and their goal values."""
        bits = bits_of(ends, self._ends.shape[1])
        self._ends = np.concatenate([self._ends, bits])[-LEARNED_ENDS:]
        self._values = np.concatenate([self._values, values])[-LEARNED_ENDS:]
        self._weights = None

    def of(self, states: Packed) -> Scores:
        """Return the similarity of states: float64 (n,)."""
        similarity: Scores = bits_of(states, self._ends.shape[1]) @ self.weights
        return similarity

    def _new_weights(self) -> Scores:
        if not len(self._values) or self._values.min() == self._values.max():
            return np.zeros(self._ends.shape[1])
        good = self._values > self._values.mean()
        often = self._ends.mean(axis=0)
        spread = np.sqrt(often * (1 - often)) + 1 / len(self._ends)
        weights: Scores = (self._ends[good].mean(axis=0) - often) / spread
        return weights
