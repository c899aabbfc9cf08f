"""What the tree searches share: utilities, the order of roles, deepening, scores of moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from gdl import Constant, State, StateMachine, Term
from ggp_player.strategies import Choice, Counts, Limit, MoveReport, Position, Strategy

Moves = tuple[Term, ...]
"""Moves of several roles: a joint move, or the part of it that is already chosen."""


LOWEST_VALUE, HIGHEST_VALUE = 0, 100
"""The range of goal values."""


def utility(machine: StateMachine, state: State, role: Constant) -> int:
    """Return the role's goal value, 0 where the rules give none."""
    return machine.goal(state, role) or 0


def opponents_of(machine: StateMachine, role: Constant) -> tuple[Constant, ...]:
    """Return all other roles, ``random`` among them, in the order of the rules."""
    return tuple(other for other in machine.roles if other != role)


def own_first(machine: StateMachine, role: Constant) -> tuple[Constant, ...]:
    """Return all roles, the given one first: the order in which a joint move is analysed.

    The players move at the same time. In the analysis the given role chooses first, without knowing
    the moves of the others, and they are assumed to know its move.
    """
    return (role, *opponents_of(machine, role))


def in_role_order(machine: StateMachine, role: Constant, moves: Moves) -> Moves:
    """Return the joint move whose moves are given in the order of :func:`own_first`."""
    index = machine.roles.index(role)
    return (*moves[1 : index + 1], moves[0], *moves[index + 1 :])


def iterative_deepening(
    position: Position,
    last: int,
    iteration: Callable[[Position, int, Choice], Iterator[Choice]],
) -> Iterator[Choice]:
    """Search to depth 1, 2, ... ``last``, until a choice is proved; yield every choice.

    ``iteration`` searches a position to a depth, given the best choice of the depth before. Where
    it ends without a proof, the last choice names the limit.
    """
    if not position.legal_moves:
        return
    yield (best := Choice.first_of(position.legal_moves))
    for depth in range(1, last + 1):
        try:
            for choice in iteration(position, depth, best):
                yield (best := choice)
        except RecursionError:
            yield replace(best, counts=Counts(depth - 1), limit=Limit.STACK)
            return
        if best.proved:
            return
    yield replace(best, counts=Counts(last), limit=Limit.DEPTH)


class MoveScore(NamedTuple):
    """The value that a search between ``low`` and ``high`` has found for a move.

    One that reaches a bound says only that the value is no better, or no worse. One that is not
    ``final`` depends on evaluations, unless it is that of a terminal state, 0 or 100, and the other
    roles did not choose by evaluations either: ``extremes_are_final``.
    """

    value: float
    low: float = LOWEST_VALUE
    high: float = HIGHEST_VALUE
    final: bool = True
    extremes_are_final: bool = True

    @property
    def is_proved(self) -> bool:
        """Whether the bounds hold however deep the search is."""
        is_extreme = self.value in (LOWEST_VALUE, HIGHEST_VALUE)
        return self.final or (is_extreme and self.extremes_are_final)

    @property
    def bounds(self) -> tuple[float, float]:
        """What the search shows of the value, which may be an evaluation."""
        low = self.value if self.value > self.low else LOWEST_VALUE
        return low, self.value if self.value < self.high else HIGHEST_VALUE


class ScoringStrategy(Strategy):
    """A strategy that reports the scores of the moves of its state, those searched so far."""

    _searched: State | None = None
    _scores: Mapping[Term, MoveScore] = MappingProxyType({})

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report the moves' scores from the deepest search of each; cut ones are mere bounds."""
        if self._searched != position.state:
            return ()
        return [_reported(move, score) for move, score in self._scores.items()]


def _reported(move: Term, score: MoveScore) -> MoveReport:
    low, high = score.bounds
    bounds = (low, high) if score.is_proved else (LOWEST_VALUE, HIGHEST_VALUE)
    return MoveReport(move, score.value if low == high else None, bounds=bounds)
