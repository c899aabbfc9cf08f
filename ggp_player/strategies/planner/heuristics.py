"""Heuristics: which states a search should go on from first. The lower a state's score, the sooner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.engine import Packed
from ggp_player.strategies.planner.delete_relaxation import NEVER, DeleteRelaxation
from ggp_player.strategies.planner.state_space import BLOCK, GATE, Offspring, StateSpace, bits_of

Scores: TypeAlias = NDArray[np.float64]

TIE = 1e-3
"""What a legal move more or less is worth beside a unit of cost: it breaks ties."""

PLAYOUTS_PER_STATE = 8

PLAYOUT_STEPS = 300

LEARNED_ENDS = 1024
"""So many of the latest playouts are learned from."""

HOPELESS = 1e9
"""Is added to the score of states from which the goal is out of reach."""


@dataclass(frozen=True, slots=True)
class Heuristic:
    """A way to score states."""

    name: str
    score: Callable[[Offspring], Scores]


class Heuristics:
    """The guides of one game. ``learn`` them from the ends of playouts.

    near
        the relaxed distance of the goal; of equal ones the state with most legal moves
    open
        most legal moves, then the relaxed distance
    tight
        fewest legal moves: H. von Warnsdorff's rule for knight's tours (1823)
    rich
        the state's own goal value, then the relaxed distance
    alike
        likeness to the best ends of playouts
    played
        goal values of playouts from the state, the best and the mean
    """

    def __init__(
        self, space: StateSpace, relaxation: DeleteRelaxation, random: np.random.Generator
    ) -> None:
        self._space = space
        self.relaxation = relaxation
        self._random = random
        self._block = space.engine.block(int(random.integers(2**32)))
        self._likeness = Likeness(space.layout.fluent_count)
        self.learn = self._likeness.learn
        self.near = Heuristic("near", self._near)
        self.open = Heuristic("open", self._open)
        self.tight = Heuristic("tight", self._tight)
        self.rich = Heuristic("rich", self._rich)
        self.alike = Heuristic("alike", self._alike)
        self.played = Heuristic("played", self._played)

    def telling(self) -> Iterator[Heuristic]:
        """Yield the guides for beams that tell anything, as far as the game is known by now."""
        yield self.near
        if self._space.values.differs:
            yield self.rich
        if self._space.mobility.differs:
            yield self.open
        if self._likeness.tells:
            yield self.alike

    def noisy(self, guide: Heuristic, noise: float) -> Heuristic:
        """Return the guide with a random amount below ``noise`` on every score."""

        def score(offspring: Offspring) -> Scores:
            return guide.score(offspring) + noise * self._random.random(len(offspring.states))

        return Heuristic(guide.name, score)

    def _cost(self, offspring: Offspring) -> Scores:
        costs = self.relaxation.costs(offspring.states).astype(np.float64)
        return np.where(costs >= NEVER, HOPELESS, costs)

    def _near(self, offspring: Offspring) -> Scores:
        return self._cost(offspring) - TIE * offspring.look.mobility

    def _open(self, offspring: Offspring) -> Scores:
        cost = self._cost(offspring)
        return np.where(cost >= HOPELESS, HOPELESS, TIE * cost) - offspring.look.mobility

    def _tight(self, offspring: Offspring) -> Scores:
        cost = self._cost(offspring)
        return np.where(cost >= HOPELESS, HOPELESS, TIE * cost) + offspring.look.mobility

    def _rich(self, offspring: Offspring) -> Scores:
        return self._near(offspring) - 1e4 * offspring.look.values

    def _alike(self, offspring: Offspring) -> Scores:
        return -self._likeness.of(offspring.states)

    def _played(self, offspring: Offspring) -> Scores:
        space, block = self._space, self._block
        layout, lanes = space.layout, space.lanes
        batch = lanes // PLAYOUTS_PER_STATE
        scores = []
        for first in range(0, len(offspring.states), batch):
            states = offspring.states[first : first + batch]
            repeated = np.repeat(states, PLAYOUTS_PER_STATE, axis=0)
            block.load(bits_of(repeated, layout.fluent_count))
            playouts = block.play(PLAYOUT_STEPS, refill=False)
            space.work += BLOCK + playout_work(space, int(playouts.steps.max()))
            goals = playouts.goals[: len(repeated), 0]
            goals = goals.reshape(len(states), PLAYOUTS_PER_STATE)
            scores.append(-goals.max(axis=1) - goals.mean(axis=1))
        return np.concatenate([np.zeros(0), *scores])


def playout_work(space: StateSpace, steps: int) -> float:
    """Return the work of a block of playouts of so many steps."""
    return steps * (GATE * space.gates + 0.05 * sum(space.layout.move_counts) + 1)


class Likeness:
    """How much states have in common with the ends of playouts that went well.

    A fluent weighs by how much more often it is true where the playout went better than the
    average one, in units of its spread: what is rarely true at other ends weighs most.
    """

    def __init__(self, fluents: int) -> None:
        self._ends = np.zeros((0, fluents), dtype=np.uint8)
        self._values = np.zeros(0, dtype=np.int64)
        self._weights: Scores | None = None

    @property
    def tells(self) -> bool:
        """Whether anything has been learned."""
        return bool(self.weights.any())

    @property
    def weights(self) -> Scores:
        """What each fluent counts: float64 (fluents,)."""
        if self._weights is None:
            self._weights = self._weighed()
        return self._weights

    def learn(self, ends: Packed, values: NDArray[np.int64]) -> None:
        """Take in the last states of some playouts and their goal values."""
        bits = bits_of(ends, self._ends.shape[1])
        self._ends = np.concatenate([self._ends, bits])[-LEARNED_ENDS:]
        self._values = np.concatenate([self._values, values])[-LEARNED_ENDS:]
        self._weights = None

    def of(self, states: Packed) -> Scores:
        """Return the likeness of states: float64 (n,)."""
        likeness: Scores = bits_of(states, self._ends.shape[1]) @ self.weights
        return likeness

    def _weighed(self) -> Scores:
        if not len(self._values) or self._values.min() == self._values.max():
            return np.zeros(self._ends.shape[1])
        good = self._values > self._values.mean()
        often = self._ends.mean(axis=0)
        spread = np.sqrt(often * (1 - often)) + 1 / len(self._ends)
        weights: Scores = (self._ends[good].mean(axis=0) - often) / spread
        return weights
