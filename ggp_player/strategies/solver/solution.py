"""The solution of a game: bounds of the values of all states, and the best moves."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from gdl import Constant, State
from gdl.language import moves_by_chance
from ggp_player.strategies import Choice, Counts, Method, MoveReport, Position
from ggp_player.strategies.solver.enumeration_kernels import SCALE, UNKNOWN, StateGraph, find_slot
from ggp_player.strategies.solver.finished_subgames import FinishedSubgames
from ggp_player.strategies.solver.solver_block import SolverBlock

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SolutionBounds:
    """A role can force at least ``low``, and its opponents at most ``high``, 0 to 100.

    ``steps`` is the remaining length of the match if a role that can force more than 50 hurries,
    and one that cannot holds out; None where nobody can force the end, or chance decides.
    """

    low: float
    high: float
    steps: int | None = None

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high


class Solution:
    """Bounds and best moves for every state that can be reached from the start of an enumeration.

    A role's value is its minimax value: the least that it gets, whatever the others do after its
    own move; of ``random`` the mean is taken. It stays unknown where no end can be forced. ``keys``
    maps each state to the one that stands for it in the graph.
    """

    def __init__(self, keys: SolverBlock | FinishedSubgames, graph: StateGraph) -> None:
        self._keys = keys
        self._machine = keys.machine
        self._graph = graph
        self._move_offsets = [0, *accumulate(map(len, self._machine.moves))]

    @property
    def states(self) -> int:
        """The number of states."""
        return int(self._graph.counters[0]["states"])

    def __contains__(self, state: State) -> bool:
        return self._index(state) is not None

    def bounds(self, state: State, role: Constant) -> SolutionBounds:
        """Return the bounds of a role's value. Raises KeyError for a state not reached."""
        graph, here = self._graph, (self._required(state), self._machine.roles.index(role))
        steps = int(graph.steps[here])
        return SolutionBounds(
            float(graph.low[here]), float(graph.high[here]), steps if steps < UNKNOWN else None
        )

    def best(self, position: Position) -> Choice:
        """Return the best move, proved where the value of the state is exact.

        Of moves that keep the value, a role that can force more than 50 prefers the quickest end.
        Any other prefers the move after which mistakes are the most likely, by the mean of the low
        bounds one step on; if all is lost, the longest resistance comes before that. Among equals
        the first is chosen.
        """
        bounds = self.bounds(position.state, position.role)
        ranks = self._ranks(position, bounds)
        chosen = max(range(len(ranks)), key=lambda i: ranks[i])
        move = position.legal_moves[chosen]
        steps = "" if bounds.steps is None else f", {bounds.steps} steps to the end"
        low = bounds.low if bounds.exact or bounds.low else None
        method = Method.SOLVED if bounds.exact else Method.ENUMERATION
        counts = Counts(states=self.states)
        note = f"{counts} enumerated{steps}"
        return Choice(move, low, bounds.exact, note, method, counts)

    def report(self, position: Position) -> tuple[MoveReport, ...]:
        """Return the bounds of every legal move."""
        low, high, _ = self._moves(position)
        return tuple(
            MoveReport(move, least if least == most else None, None, (least, most))
            for move, least, most in zip(
                position.legal_moves, low.tolist(), high.tolist(), strict=True
            )
        )

    def _ranks(self, position: Position, bounds: SolutionBounds) -> list[tuple[float, ...]]:
        """Return the criteria by which the moves are compared, the most important first."""
        low, high, score = self._moves(position)
        expected = self._expected(position)
        if bounds.low > 50:
            columns = [low, score, high, expected]
        elif bounds.high == 0:
            columns = [score, expected]
        else:
            columns = [low, high, expected, score]
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def _moves(self, position: Position) -> tuple[Values, Values, Values]:
        """Return low, high and the score by steps of each of a role's moves: (moves,) each."""
        index, role = self._locate(position)
        graph, after = self._graph, self._after(index)
        low, high = (bound[after, role].astype(np.float64) for bound in (graph.low, graph.high))
        steps = graph.steps[after, role]
        hurries = graph.low[index, role] > 50
        score = SCALE * low - steps if hurries else SCALE * high + steps
        order = self._order(position)
        return (
            self._of_moves(index, role, low)[order],
            self._of_moves(index, role, high)[order],
            self._of_moves(index, role, score)[order],
        )

    def _of_moves(self, index: int, role: int, values: Values) -> Values:
        """Reduce the values after joint moves to one for each of a role's own moves."""
        roles = self._machine.roles
        table = values.reshape(self._graph.widths[index])
        for other in reversed(range(len(roles))):
            if other != role:
                reduce = np.mean if moves_by_chance(roles[other]) else np.min
                table = reduce(table, axis=other, keepdims=True)
        return table.ravel()

    def _expected(self, position: Position) -> Values:
        """Return the low bound expected two steps on, after each move, of random play."""
        index, role = self._locate(position)
        means = np.array([self._mean_after(int(state), role) for state in self._after(index)])
        table = means.reshape(self._graph.widths[index])
        others = tuple(i for i in range(len(self._machine.roles)) if i != role)
        return np.asarray(table.mean(axis=others))[self._order(position)]

    def _order(self, position: Position) -> NDArray[np.int64]:
        """Return the index that each legal move of a role has in the canonical state: (moves,)."""
        role = self._machine.roles.index(position.role)
        first, last = self._move_offsets[role : role + 2]
        becomes = self._keys.canonical(position.state)[1][first:last]
        becomes_of = dict(zip(self._machine.moves[role], becomes.tolist(), strict=True))
        return np.argsort(np.argsort([becomes_of[move] for move in position.legal_moves]))

    def _mean_after(self, index: int, role: int) -> float:
        """Return the mean low bound of the successors of a state, or its own at an end."""
        after = self._after(index)
        states = after if len(after) else [index]
        return float(self._graph.low[states, role].mean(dtype=np.float64))

    def _after(self, index: int) -> NDArray[np.int32]:
        """Return the indices of the states after the joint moves of a state."""
        first, last = self._graph.first_edge[index : index + 2]
        return self._graph.edges[first:last]

    def _locate(self, position: Position) -> tuple[int, int]:
        """Return the index of a position's state and that of its role."""
        return self._required(position.state), self._machine.roles.index(position.role)

    def _required(self, state: State) -> int:
        index = self._index(state)
        if index is None:
            raise KeyError(f"{state!r} was not reached")
        return index

    def _index(self, state: State) -> int | None:
        graph = self._graph
        slot = find_slot(graph.slots, graph.states, self._keys.canonical(state)[0], 0)
        index = int(graph.slots[slot])
        return index - 1 if index else None
