"""What a complete enumeration has found out about every state of a game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl import Constant, State
from ggp_player.strategies.base import Choice, MoveReport, Position
from ggp_player.strategies.game_tree import moves_by_chance
from ggp_player.strategies.solving.enumeration_kernels import SCALE, UNKNOWN, Store, find_slot
from ggp_player.strategies.solving.lane_rows import LaneRows

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bounds:
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
        return int(self._store.used[0])

    def __contains__(self, state: State) -> bool:
        return self._number(state) is not None

    def bounds(self, state: State, role: Constant) -> Bounds:
        """Return what is known of a role's value. Raises KeyError for a state not reached."""
        number, place = self._required(state), self._machine.roles.index(role)
        steps = int(self._store.steps[number, place])
        return Bounds(
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

    def _ranks(self, position: Position, bounds: Bounds) -> list[tuple[float, ...]]:
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
        low, high = (self._of_moves(number, role, bound) for bound in (self.low, self.high))
        steps = self._store.steps[:, role]
        if self._store.low[number, role] > 50:
            score = self._of_moves(number, role, lambda s, r: SCALE * self.low(s, r) - steps[s])
        else:
            score = self._of_moves(number, role, lambda s, r: SCALE * self.high(s, r) + steps[s])
        return low, high, score

    def low(self, numbers: NDArray[Any], role: int) -> Values:
        """Return the lower bounds of a role's value in states by number."""
        return np.asarray(self._store.low[numbers, role], dtype=np.float64)

    def high(self, numbers: NDArray[Any], role: int) -> Values:
        """Return the upper bounds of a role's value in states by number."""
        return np.asarray(self._store.high[numbers, role], dtype=np.float64)

    def _of_moves(
        self, number: int, role: int, value: Callable[[NDArray[Any], int], Values]
    ) -> Values:
        """Return what the others leave of each of a role's moves."""
        store, roles = self._store, self._machine.roles
        after = store.edges[store.first_edge[number] : store.first_edge[number + 1]]
        table = value(after, role).reshape(store.widths[number])
        for other in reversed(range(len(roles))):
            if other != role:
                reduce = np.mean if moves_by_chance(roles[other]) else np.min
                table = reduce(table, axis=other, keepdims=True)
        return table.ravel()

    def _hopes(self, position: Position) -> Values:
        """Return what the role can hope for after each of its moves if others move at random."""
        number, role = self._place(position)
        store = self._store
        after = store.edges[store.first_edge[number] : store.first_edge[number + 1]]
        hopes = np.array([self._hope(int(state), role) for state in after])
        table = hopes.reshape(store.widths[number])
        others = tuple(i for i in range(len(self._machine.roles)) if i != role)
        return np.asarray(table.mean(axis=others))

    def _hope(self, number: int, role: int) -> float:
        store = self._store
        after = store.edges[store.first_edge[number] : store.first_edge[number + 1]]
        return float(self.low(after if len(after) else np.array([number]), role).mean())

    def _place(self, position: Position) -> tuple[int, int]:
        return self._required(position.state), self._machine.roles.index(position.role)

    def _required(self, state: State) -> int:
        number = self._number(state)
        if number is None:
            raise KeyError(f"{state!r} was not reached")
        return number

    def _number(self, state: State) -> int | None:
        slot = find_slot(
            self._store.slots, self._store.states, self._lane_rows.packed(state)[None, :], 0
        )
        number = int(self._store.slots[slot])
        return number - 1 if number else None
