"""Planning for one player on the compiled machine: several searches side by side, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from pydantic import Field

from gdl import State, Term
from gdl.analysis import Decomposition, analyse
from gdl.engine import PropnetStateMachine, packed_state
from ggp_player.strategies import Choice, LoneStrategy, MoveReport, Position
from ggp_player.strategies.engine_strategy import EngineStrategy, compiled_machine
from ggp_player.strategies.planner.plan_portfolio import PlanPortfolio
from ggp_player.strategies.planner.state_space import Found, StateSpace
from ggp_player.strategies.textbook import SequentialPlanning, utility


@dataclass(frozen=True, slots=True)
class PlannedLine:
    """A plan: the moves from one state to a terminal state, and the state before each of them.

    ``value`` is the goal value at the end, None where no end is known; a ``final`` line cannot be
    bettered.
    """

    moves: tuple[Term, ...]
    value: int | None = None
    final: bool = False
    places: Mapping[State, int] = field(default_factory=dict)

    @staticmethod
    def along(position: Position, moves: Sequence[Term]) -> PlannedLine:
        """Return the line of these moves from the position."""
        machine, state = position.machine, position.state
        places: dict[State, int] = {}
        for place, move in enumerate(moves):
            # Of a state that comes up twice the later place counts: that cuts the circle out.
            places[state] = place
            state = machine.next_state(state, (move,))
        value = utility(machine, state, position.role) if machine.is_terminal(state) else None
        return PlannedLine(tuple(moves), value, value == 100, places)


class Planner(LoneStrategy, EngineStrategy):
    """Searches for a plan in many ways at once, follows it, and goes on looking for a better one.

    Refuses games of several roles. Plays as :class:`.planning.SequentialPlanning` where the machine is not a
    compiled one. ``states`` bounds how many states each search remembers.

    Breadth-first search proves that nothing better is to be had where the game is small; beams
    and best-first searches are guided by how far the goal seems in a relaxed game; depth-first
    search backtracks in puzzles with dead ends; nested playouts improve scores step by step; the
    independent parts of a game are planned one by one. See
    :mod:`ggp_player.strategies.planner.plan_portfolio`. ``division`` spares it the analysis of the
    game where that has been made before.
    """

    name = "planner"

    def __init__(
        self,
        states: Annotated[int, Field(ge=1)] = 2_000_000,
        *,
        division: Decomposition | None = None,
    ) -> None:
        self.states = states
        self._division = division
        self._textbook = SequentialPlanning()
        self._space: StateSpace | None = None
        self._portfolio: PlanPortfolio | None = None
        self._start: State | None = None
        self._line = PlannedLine(())

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the first move of the best plan so far, after every piece of work."""
        machine = compiled_machine(position.machine)
        if machine is None:
            yield from self._textbook.search(position)
            return
        if not position.legal_moves:
            return
        if position.state not in self._line.places:
            self._line = PlannedLine(position.legal_moves[:1], places={position.state: 0})
        yield self._choice(position.state)
        if self._line.final:
            return
        searches = self._searches(position, machine)
        yield self._choice(position.state)
        for found in searches.run():
            if found:
                moves = [machine.moves[0][move] for move in found.moves]
                self._take(found, PlannedLine.along(position, moves))
            yield self._choice(position.state)
            if self._line.final:
                return

    @property
    def states_seen(self) -> int:
        """How many states were looked at in this match, those of playouts aside."""
        return self._space.states if self._space else 0

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Return what is known of the plan's next move: where it leads."""
        place = self._line.places.get(position.state)
        if place is None or self._line.value is None:
            return ()
        rest, value = self._line.moves[place:], self._line.value
        bounds = (value, value if self._line.final else 100)
        return (MoveReport(rest[0], value, bounds=bounds, line=tuple((move,) for move in rest)),)

    def _searches(self, position: Position, machine: PropnetStateMachine) -> PlanPortfolio:
        """Return the searches from the position: those that were stopped there, or new ones."""
        if self._space is None or self._space.machine is not machine:
            division = self._division or analyse(machine).decomposition
            self._space = StateSpace(machine, position.random.getrandbits(32), division)
        if self._portfolio is None or self._start != position.state:
            random = np.random.default_rng(position.random.getrandbits(64))
            root = packed_state(machine, position.state)
            self._portfolio = PlanPortfolio(self._space, root, self.states, random)
            self._start = position.state
        return self._portfolio

    def _take(self, found: Found, line: PlannedLine) -> None:
        """Follow a line that is better than the present one; remember it if none can be."""
        value = -1 if self._line.value is None else self._line.value
        if line.value is not None and line.value > value:
            self._line = line
        if found.proved:
            self._line = replace(self._line, final=True)

    def _choice(self, state: State) -> Choice:
        line = self._line
        place = line.places[state]
        if line.value is None:
            return Choice(line.moves[place], proved=line.final, note="no plan yet")
        note = f"plan of {len(line.moves) - place} steps"
        return Choice(line.moves[place], line.value, line.final, note)
