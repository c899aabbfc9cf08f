"""Expectimax over beliefs: the exact value for one player against chance.

A player who knows no more than its belief chooses the same move in all states of it; what it sees
then divides them into new beliefs. Moves are tried in the order of how much they promise to win or
to tell, and left where they cannot be better than the best. Where that takes too long, only the
first ``width`` of them are tried, of some that are looked at: what is found then can be reached,
but may not be the best.

Source: L. Kaelbling, M. Littman and A. Cassandra, Planning and acting in partially observable
stochastic domains (1998).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from gdl import Term
from ggp_player.strategies.information_sets.game_graph import Choice, GameGraph, Vertex

EPSILON = 1e-9
"""Values that differ by less are equal."""

MAX_LINE_STEPS = 200
"""The longest line of play; where there is a longer one, the search gives up."""

Weights: TypeAlias = Mapping[int, float]
"""The numbers of states, with their probabilities; the sum may be below 1."""

STEPS_AT_ONCE = 512
"""How many steps are made together, where so many states and moves are looked at."""

LOOKED_AT = 32
"""How many moves are looked at for each that is tried, at least."""

STEPS_LOOKED_AT = 8192
"""How many steps of a belief are looked at even if that makes more moves."""

_Key: TypeAlias = tuple[tuple[int, float], ...]
_Search: TypeAlias = Generator[None, None, "Solved"]


@dataclass(frozen=True, slots=True)
class Solved:
    """The best move of a belief, and its value; no move where the match is over."""

    move: Term | None
    value: float


@dataclass(slots=True)
class _Prospect:
    """What a move leads to: the value of matches that end, and beliefs by what is seen."""

    move: Term
    ended: float
    beliefs: list[dict[int, float]]

    @property
    def promise(self) -> float:
        """How much is won at once, less how much is left in doubt; to order moves by.

        What is left in doubt is how probable it is that two states drawn from the belief look the
        same afterwards.
        """
        return self.ended / 100 - sum(sum(belief.values()) ** 2 for belief in self.beliefs)


class TooDeepError(Exception):
    """A line of play is longer than this search can go."""


class BeliefExpectimax:
    """Solves beliefs, and remembers those that it has solved."""

    def __init__(self, graph: GameGraph, role: int, best_goal: float = 100) -> None:
        self._graph = graph
        self._role = role
        self.best_goal = best_goal
        self._solved: dict[_Key, Solved] = {}
        self._orders: dict[_Key, Sequence[Term]] = {}
        self._indices: dict[int, Mapping[Term, int]] = {}
        self.width = 1
        """How many moves of a belief are tried."""
        self.is_exact = True
        """Whether no move has been left out for the width."""

    def widen(self, width: int) -> None:
        """Try so many moves of each belief from now on."""
        self.width = width
        self.is_exact = True
        self._solved.clear()

    @property
    def size(self) -> int:
        """How many beliefs are remembered."""
        return len(self._orders)

    def solve(self, weights: Weights, depth: int = 0) -> _Search:
        """Find the best move of a belief that has not ended; yield now and then.

        Raises :class:`TooDeepError`. The weights must have the sum 1.
        """
        key = tuple(sorted((number, round(weight, 9)) for number, weight in weights.items()))
        found = self._solved.get(key)
        if found is None:
            if depth > MAX_LINE_STEPS:
                raise TooDeepError
            found = yield from self._best(key, weights, depth)
            self._solved[key] = found
        return found

    def _best(self, key: _Key, weights: Weights, depth: int) -> _Search:
        best = Solved(None, -1.0)
        for prospect in (yield from self._prospects(key, weights)):
            value = yield from self._value(prospect, best.value, depth)
            if value > best.value + EPSILON:
                best = Solved(prospect.move, value)
            if best.value >= self.best_goal - EPSILON:
                break
        return best

    def _prospects(self, key: _Key, weights: Weights) -> Generator[None, None, Sequence[_Prospect]]:
        """What the most promising moves lead to, so many as the width allows."""
        moves = self._moves(weights)
        self.is_exact = self.is_exact and len(moves) <= self.width
        order = self._orders.get(key, ())
        if min(self.width, len(moves)) <= len(order):
            moves = order[: self.width]
        else:
            most = max(LOOKED_AT * self.width, STEPS_LOOKED_AT // len(weights))
            moves = moves[:: -(-len(moves) // most)]
        prospects = []
        at_once = max(1, STEPS_AT_ONCE // len(weights))
        for first in range(0, len(moves), at_once):
            some = moves[first : first + at_once]
            self._make_steps(weights, some)
            prospects.extend([self._prospect(weights, move) for move in some])
            yield
        prospects.sort(key=lambda prospect: -prospect.promise)
        if len(prospects) > len(order):
            self._orders[key] = [prospect.move for prospect in prospects]
        return prospects[: self.width]

    def _value(
        self, prospect: _Prospect, enough: float, depth: int
    ) -> Generator[None, None, float]:
        """The value of a move, or what it cannot exceed where that is not enough."""
        value = prospect.ended
        left = sum(sum(belief.values()) for belief in prospect.beliefs)
        for belief in sorted(prospect.beliefs, key=len):
            if value + left * self.best_goal <= enough + EPSILON:
                break
            mass = sum(belief.values())
            left -= mass
            solved = yield from self.solve({n: w / mass for n, w in belief.items()}, depth + 1)
            value += mass * solved.value
        return value + left * self.best_goal

    def _moves(self, weights: Weights) -> Sequence[Term]:
        """The moves that are legal in all states, as a role knows what it may do."""
        first, *others = (self._graph.vertices[number] for number in weights)
        same = {vertex.options[self._role] for vertex in others} <= {first.options[self._role]}
        if same:
            return first.legal[self._role]
        legal = [set(vertex.legal[self._role]) for vertex in others]
        return [move for move in first.legal[self._role] if all(move in each for each in legal)]

    def _make_steps(self, weights: Weights, moves: Sequence[Term]) -> None:
        vertices = [(number, self._graph.vertices[number]) for number in weights]
        steps = (
            (number, choice)
            for move in moves
            for number, vertex in vertices
            for choice in self._choices(vertex, move)
        )
        self._graph.make_all(list(steps))

    def _prospect(self, weights: Weights, move: Term) -> _Prospect:
        ended = 0.0
        beliefs: dict[int, dict[int, float]] = {}
        for number, weight in weights.items():
            vertex = self._graph.vertices[number]
            choices = self._choices(vertex, move)
            each = weight / len(choices)
            for choice in choices:
                edge = self._graph.step_from(vertex, choice)
                after = self._graph.vertices[edge.target]
                if after.is_terminal:
                    ended += each * after.goals[self._role]
                    continue
                belief = beliefs.setdefault(edge.percepts[self._role], {})
                belief[edge.target] = belief.get(edge.target, 0.0) + each
        return _Prospect(move, ended, list(beliefs.values()))

    def _choices(self, vertex: Vertex, move: Term) -> list[Choice]:
        """The joint moves with our move; all others are made by chance, and equally probable."""
        own = self._indices_of(vertex)[move]
        options = [range(len(moves)) for moves in vertex.legal]
        options[self._role] = range(own, own + 1)
        return list(product(*options))

    def _indices_of(self, vertex: Vertex) -> Mapping[Term, int]:
        """Where each of our legal moves stands among them."""
        option = vertex.options[self._role]
        found = self._indices.get(option)
        if found is None:
            moves = vertex.legal[self._role]
            found = self._indices[option] = {move: index for index, move in enumerate(moves)}
        return found
