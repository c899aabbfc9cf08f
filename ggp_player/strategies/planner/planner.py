"""Planning for one player on the compiled machine, by a portfolio of searches in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from pydantic import Field

from gdl import State, Term
from gdl.analysis import Decomposition, analyse
from gdl.engine import PropnetStateMachine, packed_state
from ggp_player.strategies import (
    Choice,
    EngineStrategy,
    LoneStrategy,
    Method,
    MoveReport,
    Position,
    compiled_machine,
)
from ggp_player.strategies.planner.plan_portfolio import PlanPortfolio
from ggp_player.strategies.planner.state_space import FoundPlan, StateSpace
from ggp_player.strategies.textbook.game_tree import utility
from ggp_player.strategies.textbook.sequential_planning import SequentialPlanning


@dataclass(frozen=True, slots=True)
class PlannedLine:
    """A plan: the moves from one state to a terminal state.

    ``value`` is the goal value at the end, None if no end is known; a ``final`` line is optimal.
    ``indices``: the index of the move to make in each state on the line.
    """

    moves: tuple[Term, ...]
    value: int | None = None
    final: bool = False
    indices: Mapping[State, int] = field(default_factory=dict)

    @staticmethod
    def along(position: Position, moves: Sequence[Term]) -> PlannedLine:
        """Return the line of these moves from the position."""
        machine, state = position.machine, position.state
        indices: dict[State, int] = {}
        for index, move in enumerate(moves):
            # If a state occurs twice, its later index counts: that cuts out the cycle.
            indices[state] = index
            state = machine.next_state(state, (move,))
        value = utility(machine, state, position.role) if machine.is_terminal(state) else None
        return PlannedLine(tuple(moves), value, value == 100, indices)


class Planner(LoneStrategy, EngineStrategy):
    """Searches for a plan in several ways, follows it, and goes on looking for a better one.

    Refuses games of several roles. Plays as :class:`.SequentialPlanning` if the machine is not a
    compiled one. ``states`` bounds how many states each search remembers.

    Breadth-first search proves plans optimal in small games; beam search and best-first search are
    guided by a delete relaxation; depth-first search backtracks in puzzles with dead ends; nested
    Monte Carlo search improves scores step by step; independent subgames are planned one by one.
    See :mod:`ggp_player.strategies.planner.plan_portfolio`. A ``decomposition`` that is given is
    used in place of a new analysis of the game.
    """

    name = "planner"
    method = Method.PLAN

    def __init__(
        self,
        states: Annotated[int, Field(ge=1)] = 2_000_000,
        *,
        decomposition: Decomposition | None = None,
    ) -> None:
        self.states = states
        self._decomposition = decomposition
        self._textbook = SequentialPlanning()
        self._space: StateSpace | None = None
        self._portfolio: PlanPortfolio | None = None
        self._start: State | None = None
        self._line = PlannedLine(())

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the next move of the best plan so far, after every piece of work."""
        machine = compiled_machine(position.machine)
        if machine is None:
            yield from self._textbook.search(position)
            return
        if not position.legal_moves:
            return
        if position.state not in self._line.indices:
            self._line = PlannedLine(position.legal_moves[:1], indices={position.state: 0})
        yield self._choice(position.state)
        if self._line.final:
            return
        portfolio = self._portfolio_for(position, machine)
        yield self._choice(position.state)
        for found in portfolio.run():
            if found:
                moves = [machine.moves[0][move] for move in found.moves]
                self._take(found, PlannedLine.along(position, moves))
            yield self._choice(position.state)
            if self._line.final:
                return

    @property
    def states_evaluated(self) -> int:
        """How many states were evaluated in this match, apart from those of playouts."""
        return self._space.states if self._space else 0

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return the next move of the plan, with the rest of the plan as its line."""
        index = self._line.indices.get(position.state)
        if index is None or self._line.value is None:
            return ()
        rest, value = self._line.moves[index:], self._line.value
        bounds = (value, value if self._line.final else 100)
        return (MoveReport(rest[0], value, bounds=bounds, line=tuple((move,) for move in rest)),)

    def _portfolio_for(self, position: Position, machine: PropnetStateMachine) -> PlanPortfolio:
        """Return the portfolio for the position: the one that was stopped there, or a new one."""
        if self._space is None or self._space.machine is not machine:
            decomposition = self._decomposition or analyse(machine).decomposition
            self._space = StateSpace(machine, position.random.getrandbits(32), decomposition)
        if self._portfolio is None or self._start != position.state:
            random = np.random.default_rng(position.random.getrandbits(64))
            root = packed_state(machine, position.state)
            self._portfolio = PlanPortfolio(self._space, root, self.states, random)
            self._start = position.state
        return self._portfolio

    def _take(self, found: FoundPlan, line: PlannedLine) -> None:
        """Follow a line that is better than the present one; note if the plan is proved optimal."""
        value = -1 if self._line.value is None else self._line.value
        if line.value is not None and line.value > value:
            self._line = line
        if found.proved:
            # Where nothing better than nothing can be reached, no line has an end.
            value = found.value if self._line.value is None else self._line.value
            self._line = replace(self._line, value=value, final=True)

    def _choice(self, state: State) -> Choice:
        line = self._line
        index = line.indices[state]
        if line.value is None:
            return Choice.first_of(line.moves[index:], "no plan yet")
        note = f"plan of {len(line.moves) - index} steps"
        return Choice(line.moves[index], line.value, line.final, note)
