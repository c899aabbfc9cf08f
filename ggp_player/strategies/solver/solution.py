"""What a complete enumeration has found out about every state of a game."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl import Constant, State
from ggp_player.strategies import Choice, MoveReport, Position
from ggp_player.strategies.solver.enumeration_kernels import (
    SCALE,
    STATES,
    UNKNOWN,
    Store,
    find_slot,
)
from ggp_player.strategies.solver.lane_rows import LaneRows
from ggp_player.strategies.textbook import moves_by_chance

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SolutionBounds:
    """A role is sure of ``low``, and its opponents can hold it to ``high``, 0 to 100.

    ``steps`` is how many the match lasts yet if who can force more than 50 hurries and who cannot
    holds out; None where the end is not in anybody's hands, or is left to chance.
    """

    low: float
    high: float
    steps: int | None = None

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high


class Solution:
    """Bounds and best moves for every state that can be reached from the one it was made for.

    A role's value is what minimax defines: what it gets at least, whatever the others do after its
    own move; of ``random`` the mean is taken. It stays unknown where no end can be forced.
    """

    def __init__(self, lane_rows: LaneRows, store: Store) -> None:
        self._lane_rows = lane_rows
        self._machine = lane_rows.machine
        self._store = store

    @property
    def states(self) -> int:
        """The number of states."""
        return int(self._store.used[STATES])

    def __contains__(self, state: State) -> bool:
        return self._number(state) is not None

    def bounds(self, state: State, role: Constant) -> SolutionBounds:
        """Return what is known of a role's value. Raises KeyError for a state not reached."""
        number, place = self._required(state), self._machine.roles.index(role)
        steps = int(self._store.steps[number, place])
        return SolutionBounds(
            float(self._store.low[number, place]),
            float(self._store.high[number, place]),
            steps if steps < UNKNOWN else None,
        )

    def best(self, position: Position) -> Choice:
        """Return the best move, exact where the value of the state is.

        Of moves that keep the value, the one that leads to the quickest end is preferred where
        the role can force more than 50. Where it cannot, it prefers the move after which mistakes
        are the most likely, by the mean of what it is sure of over the states one step on;
        where all is lost, the longest resistance comes before that. The first of equals stands.
        """
        bounds = self.bounds(position.state, position.role)
        ranks = self._ranks(position, bounds)
        chosen = max(range(len(ranks)), key=lambda i: ranks[i])
        move = position.legal_moves[chosen]
        steps = "" if bounds.steps is None else f", {bounds.steps} steps to the end"
        low = bounds.low if bounds.exact or bounds.low else None
        return Choice(move, low, bounds.exact, f"{self.states} states enumerated{steps}")

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
        """Return what decides between the moves, the greatest first."""
        low, high, score = self._moves(position)
        hope = self._hopes(position)
        if bounds.low > 50:
            columns = [low, score, high, hope]
        elif bounds.high == 0:
            columns = [score, hope]
        else:
            columns = [low, high, hope, score]
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def _moves(self, position: Position) -> tuple[Values, Values, Values]:
        """Return low, high and the order by steps of each of a role's moves: (moves,) each."""
        number, role = self._place(position)
        store, after = self._store, self._after(number)
        low, high = (bound[after, role].astype(np.float64) for bound in (store.low, store.high))
        steps = store.steps[after, role]
        hurries = store.low[number, role] > 50
        score = SCALE * low - steps if hurries else SCALE * high + steps
        order = self._order(position)
        return (
            self._of_moves(number, role, low)[order],
            self._of_moves(number, role, high)[order],
            self._of_moves(number, role, score)[order],
        )

    def _of_moves(self, number: int, role: int, values: Values) -> Values:
        """Return what the others leave of each of a role's moves, of values after joint moves."""
        roles = self._machine.roles
        table = values.reshape(self._store.widths[number])
        for other in reversed(range(len(roles))):
            if other != role:
                reduce = np.mean if moves_by_chance(roles[other]) else np.min
                table = reduce(table, axis=other, keepdims=True)
        return table.ravel()

    def _hopes(self, position: Position) -> Values:
        """Return what the role can hope for after each of its moves if others move at random."""
        number, role = self._place(position)
        hopes = np.array([self._hope(int(state), role) for state in self._after(number)])
        table = hopes.reshape(self._store.widths[number])
        others = tuple(i for i in range(len(self._machine.roles)) if i != role)
        return np.asarray(table.mean(axis=others))[self._order(position)]

    def _order(self, position: Position) -> NDArray[np.int64]:
        """Return which of a role's legal moves in the least image each becomes: int64 (moves,)."""
        role = self._machine.roles.index(position.role)
        first, last = self._lane_rows.move_ends[role : role + 2]
        becomes = self._lane_rows.least(position.state)[1][first:last]
        becomes_of = dict(zip(self._machine.moves[role], becomes.tolist(), strict=True))
        return np.argsort(np.argsort([becomes_of[move] for move in position.legal_moves]))

    def _hope(self, number: int, role: int) -> float:
        after = self._after(number)
        of = after if len(after) else [number]
        return float(self._store.low[of, role].mean(dtype=np.float64))

    def _after(self, number: int) -> NDArray[np.int32]:
        """Return the states after the joint moves of a state, by number."""
        first, last = self._store.first_edge[number : number + 2]
        return self._store.edges[first:last]

    def _place(self, position: Position) -> tuple[int, int]:
        return self._required(position.state), self._machine.roles.index(position.role)

    def _required(self, state: State) -> int:
        number = self._number(state)
        if number is None:
            raise KeyError(f"{state!r} was not reached")
        return number

    def _number(self, state: State) -> int | None:
        store = self._store
        slot = find_slot(store.slots, store.states, self._lane_rows.least(state)[0], 0)
        number = int(store.slots[slot])
        return number - 1 if number else None
