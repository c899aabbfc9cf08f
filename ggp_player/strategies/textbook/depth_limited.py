"""The base of the depth-limited searches: horizon, move ordering and transposition table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence

from gdl import Constant, State, StateMachine, Term
from ggp_player.strategies.textbook.evaluation import Evaluator
from ggp_player.strategies.textbook.game_tree import (
    Moves,
    MoveScore,
    in_role_order,
    own_first,
    utility,
)
from ggp_player.strategies.textbook.memory import MemoTable
from ggp_player.strategies.textbook.transposition_table import ValueBounds


class DepthLimitedTree(ABC):
    """A game tree in which states at a horizon are evaluated, not searched.

    ``horizons`` counts the evaluations at the horizon that values depend on: a search during which
    it stays the same has followed every line of play to its end. ``scores`` are those of the moves
    of the state that was searched last, from the deepest search of each.
    """

    def __init__(
        self, machine: StateMachine, role: Constant, evaluator: Evaluator, ordering: bool = True
    ) -> None:
        self.machine = machine
        self.role = role
        self.order = own_first(machine, role)
        self.opponents = self.order[1:]
        self.evaluator = evaluator
        self.ordering = ordering
        self.horizons = 0
        self.scores: dict[Term, MoveScore] = {}
        self.table: MemoTable[tuple[Hashable, ...], ValueBounds] = MemoTable()

    @abstractmethod
    def score(self, state: State, move: Term, depth: int, alpha: float) -> float:
        """Return the value of the player's move, or alpha if that is greater.

        It is searched ``depth`` steps deep, including the move's own.
        """

    def beyond(self, state: State) -> float:
        """Return the value of a state at the horizon."""
        self.horizons += 1
        return self.estimate(state)

    def estimate(self, state: State) -> float:
        """Return the player's utility of a terminal state, the evaluation of another."""
        if self.machine.is_terminal(state):
            return utility(self.machine, state, self.role)
        return self.evaluator.value(state, self.role)

    def after(self, state: State, moves: Moves) -> State:
        """Return the state after the player's move and those of its opponents, in this order."""
        return self.machine.next_state(state, in_role_order(self.machine, self.role, moves))

    def ordered(self, state: State, moves: Moves, depth: int) -> Sequence[Term]:
        """Return the legal moves of the role that follows ``moves``, the most promising first.

        If the best move is searched first, cutoffs come early. A move is ranked by the evaluation
        of the state it leads to with the first legal moves of the roles after it. In the last step
        before the horizon, ordering would cost as much as the search itself.
        """
        role = self.order[len(moves)]
        candidates = self.machine.legal_moves(state, role)
        if not self.ordering or depth < 2 or len(candidates) < 2:
            return candidates
        rest = [self.machine.legal_moves(state, other) for other in self.order[len(moves) + 1 :]]
        if not all(rest):
            return candidates
        fill = tuple(legal[0] for legal in rest)

        def rank(move: Term) -> float:
            return self.estimate(self.after(state, (*moves, move, *fill)))

        return sorted(candidates, key=rank, reverse=role == self.role)
