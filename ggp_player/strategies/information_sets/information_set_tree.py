"""Information-set Monte Carlo tree search: a tree for each role, of its information sets.

An iteration draws a state from the belief and goes down all trees at once: each role chooses by
what it knows, and moves on by its own move and its percepts. Nobody's choice depends on the state
that was drawn, but for the moves that are legal in it. At the roots of several players roles choose
by regret matching, elsewhere by UCB1.

Sources: P. Cowling, E. Powley and D. Whitehouse, Information set Monte Carlo tree search (2012),
of which this is the variant with multiple observers; V. Lisy, M. Lanctot and M. Bowling, Online
Monte Carlo counterfactual regret minimization for search in imperfect information games (2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from random import Random

import numpy as np
from numpy.typing import NDArray

from gdl import State, Term
from ggp_player.belief import Hypothesis
from ggp_player.strategies.information_sets.game_graph import GameGraph, Vertex
from ggp_player.strategies.information_sets.playouts import PlayoutEvaluator

EXPLORATION = 0.7
"""The weight of what is unknown in UCB1, for values from 0 to 1."""

RANDOMNESS = 0.1
"""How often regret matching tries any move."""

MAX_ITERATION_STEPS = 500
"""The longest way down the trees: an iteration of a game without end stops there."""

_Key = tuple[int, int, int]


class InformationSetNode:
    """An information set: its moves, how often each was chosen, and the goal values after it.

    ``visits`` and ``sums``, float64 (moves,). With regret matching, ``regrets`` and ``average``
    too.
    """

    __slots__ = ("average", "children", "moves", "regrets", "sums", "total", "visits")

    def __init__(self, moves: tuple[Term, ...], has_regrets: bool = False) -> None:
        self.moves = moves
        self.visits = np.zeros(len(moves))
        self.sums = np.zeros(len(moves))
        self.total = 0
        self.children: dict[_Key, InformationSetNode] = {}
        self.regrets = np.zeros(len(moves)) if has_regrets else None
        self.average = np.zeros(len(moves))

    @property
    def policy(self) -> NDArray[np.float64]:
        """How probable each move is: the average strategy, or else the move that was tried most."""
        if self.total == 0:
            return np.full(len(self.moves), 1 / len(self.moves))
        if self.regrets is not None:
            return np.asarray(self.average / self.average.sum())
        most = np.zeros(len(self.moves))
        most[int(np.argmax(self.visits))] = 1.0
        return most

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean value of each move, 0 to 1; what has not been tried is as good as the rest."""
        mean = self.sums.sum() / max(1.0, self.visits.sum())
        tried = np.maximum(self.visits, 1.0)
        return np.where(self.visits > 0, self.sums / tried, mean)

    def strategy(self) -> NDArray[np.float64]:
        """Regret matching: probabilities proportional to positive regrets."""
        assert self.regrets is not None
        positive = np.maximum(self.regrets, 0.0)
        total = positive.sum()
        return positive / total if total > 0 else np.full(len(self.moves), 1 / len(self.moves))

    def choose(self, random: Random) -> tuple[int, float]:
        """Choose a move to try; return it with the probability of the choice."""
        self.total += 1
        if self.regrets is None:
            index, probability = self._by_confidence(random), 1.0
        else:
            strategy = self.strategy()
            self.average += strategy * self.total  # later iterations weigh more
            tried = (1 - RANDOMNESS) * strategy + RANDOMNESS / len(self.moves)
            bounds = np.cumsum(tried)
            index = int(np.searchsorted(bounds, random.random() * bounds[-1], side="right"))
            probability = float(tried[index])
        self.visits[index] += 1
        return index, probability

    def _by_confidence(self, random: Random) -> int:
        """UCB1; what has never been tried goes first."""
        untried = np.flatnonzero(self.visits == 0)
        if len(untried):
            return int(untried[random.randrange(len(untried))])
        bonus = EXPLORATION * np.sqrt(log(self.total) / self.visits)
        return int(np.argmax(self.sums / self.visits + bonus))

    def learn(self, index: int, probability: float, value: float) -> None:
        """Add the value, 0 to 1, of a move that was chosen with a probability."""
        if self.regrets is not None:
            estimates = self.means
            estimates[index] += (value - estimates[index]) / probability
            self.regrets += estimates - self.strategy() @ estimates
            np.maximum(self.regrets, 0.0, out=self.regrets)
        self.sums[index] += value


@dataclass(frozen=True, slots=True)
class _Tried:
    """A move that a role chose in a node."""

    role: int
    node: InformationSetNode
    index: int
    probability: float


class InformationSetTree:
    """The trees of all roles, below the information set of one of them."""

    def __init__(
        self, graph: GameGraph, role: int, evaluator: PlayoutEvaluator, random: Random
    ) -> None:
        self._graph = graph
        self._role = role
        self._evaluator = evaluator
        self._random = random
        self._has_regrets = graph.chance.count(False) > 1
        self._roots: dict[_Key, InformationSetNode] = {}
        self.at_once = evaluator.at_once
        """How many iterations are best made together."""
        self.iterations = 0
        self.nodes = 0
        """How many information sets the trees hold below their roots."""

    def root(self, state: State) -> InformationSetNode:
        """Our role's root: the same for all states of our belief."""
        vertex = self._graph.vertices[self._graph.number(state)]
        return self._root(self._role, 0, vertex.options[self._role], vertex.legal[self._role])

    def iterate(self, hypotheses: Sequence[Hypothesis]) -> None:
        """Make an iteration from each hypothesis."""
        leaves = [self._descend(hypothesis) for hypothesis in hypotheses]
        self.iterations += len(leaves)
        open_leaves = [leaf for leaf in leaves if not leaf[0].is_terminal]
        for vertex, path in leaves:
            if vertex.is_terminal:
                self._back_up(path, vertex.goals)
        size = self._evaluator.at_once
        for first in range(0, len(open_leaves), size):
            some = open_leaves[first : first + size]
            values = self._evaluator.evaluate([vertex.state for vertex, _ in some])
            for (_, path), of_roles in zip(some, values.tolist(), strict=True):
                self._back_up(path, of_roles)

    def _descend(self, hypothesis: Hypothesis) -> tuple[Vertex, list[_Tried]]:
        """Go down from a state to a node that is new, or to the end; return it with the way."""
        state, sets = hypothesis
        vertex = self._graph.vertices[self._graph.number(state)]
        nodes = self._roots_of(vertex, sets)
        path: list[_Tried] = []
        for _ in range(MAX_ITERATION_STEPS):
            if vertex.is_terminal:
                break
            is_new = any(
                node.total == 0 and len(node.moves) > 1
                for node, by_chance in zip(nodes, self._graph.chance, strict=True)
                if not by_chance
            )
            vertex, nodes = self._step(vertex, nodes, path)
            if is_new:
                break
        return vertex, path

    def _step(
        self, vertex: Vertex, nodes: Sequence[InformationSetNode], path: list[_Tried]
    ) -> tuple[Vertex, list[InformationSetNode]]:
        choice = []
        for role, node in enumerate(nodes):
            count = len(vertex.legal[role])
            if count == 1:
                choice.append(0)
            elif self._graph.chance[role]:
                choice.append(self._random.randrange(count))
            else:
                index, probability = node.choose(self._random)
                path.append(_Tried(role, node, index, probability))
                choice.append(index)
        edge = self._graph.step_from(vertex, tuple(choice))
        following = self._graph.vertices[edge.target]
        if following.is_terminal:
            return following, []
        return following, [
            self._child(node, (index, seen, option), moves)
            for node, index, seen, option, moves in zip(
                nodes, choice, edge.percepts, following.options, following.legal, strict=True
            )
        ]

    def _roots_of(self, vertex: Vertex, sets: Sequence[int]) -> list[InformationSetNode]:
        """Each role's root: ours alike in all states, those of others by what they know."""
        return [
            self._root(role, 0 if role == self._role or not sets else sets[role], option, moves)
            for role, (option, moves) in enumerate(zip(vertex.options, vertex.legal, strict=True))
        ]

    def _root(
        self, role: int, number: int, option: int, moves: tuple[Term, ...]
    ) -> InformationSetNode:
        found = self._roots.get((role, number, option))
        if found is None:
            found = self._roots[role, number, option] = InformationSetNode(moves, self._has_regrets)
        return found

    def _back_up(self, path: Sequence[_Tried], goals: Sequence[float]) -> None:
        for tried in path:
            tried.node.learn(tried.index, tried.probability, goals[tried.role] / 100)

    def _child(
        self, node: InformationSetNode, key: _Key, moves: tuple[Term, ...]
    ) -> InformationSetNode:
        found = node.children.get(key)
        if found is None:
            found = node.children[key] = InformationSetNode(moves)
            self.nodes += 1
        return found
