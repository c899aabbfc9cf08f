"""Sequential planning: find a whole plan once, then replay it, for one player."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from gdl import State, Term
from gdl.playouts import Ending, play_out
from ggp_player.strategies import Choice, LoneStrategy, Method, MoveReport, Position
from ggp_player.strategies.textbook.evaluation import LONGEST_PLAYOUT
from ggp_player.strategies.textbook.game_tree import utility


@dataclass(frozen=True, slots=True)
class Plan:
    """The move to make in each state on the path to a terminal state.

    ``value`` is the goal value there. A ``final`` plan is known to be optimal.
    """

    moves: Mapping[State, Term]
    value: int
    final: bool = False


class SequentialPlanning(LoneStrategy):
    """Finds a plan for the rest of the match and keeps to it. Refuses games of several roles.

    A plan for 100 is replayed without further search; with a plan for less, the search for a better
    one goes on from each state. A state that is not on the plan is searched afresh. ``states``
    bounds how many states the search remembers.

    Source: M. Genesereth and M. Thielscher, General Game Playing (2014), chapter 5.
    """

    name = "planning"
    method = Method.PLAN

    def __init__(self, states: Annotated[int, Field(ge=1)] = 200_000) -> None:
        self.states = states
        self._plan = Plan({}, 0)
        self._search: PlanSearch | None = None

    def search(self, position: Position) -> Iterator[Choice]:
        """Yield the next move of the best plan so far, after every small piece of work."""
        state, moves = position.state, position.legal_moves
        if not moves:
            return
        if state not in self._plan.moves:
            self._plan = Plan({state: moves[0]}, 0)
        yield self._choice(state)
        if self._plan.final:
            return
        if self._search is None or self._search.start != state:
            self._search = PlanSearch(position, self.states)
        for plan in self._search.improve():
            if plan.value > self._plan.value or plan.final:
                # Of two plans of the same value, the present one is kept.
                better = plan.value > self._plan.value
                self._plan = plan if better else replace(self._plan, final=True)
            yield self._choice(state)

    def report(self, position: Position) -> Sequence[MoveReport]:
        """Report the next move of the plan, with the plan as its line."""
        plan, state = self._plan, position.state
        if state not in plan.moves:
            return ()
        line: list[tuple[Term, ...]] = []
        while state in plan.moves and len(line) < len(plan.moves):
            line.append((plan.moves[state],))
            state = position.machine.next_state(state, line[-1])
        value = plan.value if plan.value or plan.final else None
        bounds = plan.value, plan.value if plan.final else 100
        return (MoveReport(plan.moves[position.state], value, bounds=bounds, line=tuple(line)),)

    def _choice(self, state: State) -> Choice:
        plan = self._plan
        # A value of 0 that is not final only means that no path to a goal was found yet.
        value = plan.value if plan.value or plan.final else None
        return Choice(plan.moves[state], value, plan.final, f"plan of length {len(plan.moves)}")


class PlanSearch:
    """A search for plans that spends half of its work on breadth-first search, half on playouts.

    Breadth-first search finds short plans, and in the end an optimal one; playouts find long plans
    early. If there is no room for all states, the search goes on with playouts alone. A search that
    was stopped can be resumed.
    """

    def __init__(self, position: Position, states: int) -> None:
        self._machine = position.machine
        self._role = position.role
        self._random = position.random
        self.start = position.state
        self._max_states = states
        self._origin: dict[State, tuple[State, Term]] = {}
        self._queue = deque([position.state])
        self._complete = True
        self._best = Plan({}, -1)

    def improve(self) -> Iterator[Plan]:
        """Yield the best plan so far, again and again, until it is final."""
        expansion_steps = playout_steps = 0
        while self._best.value < 100 and (self._queue or not self._complete):
            if self._queue and expansion_steps < playout_steps:
                # The state stays in the queue until it is expanded: the machine may interrupt this.
                expansion_steps += self._expand(self._queue[0])
                self._queue.popleft()
            else:
                expansion_steps, playout_steps = 0, self._play_out()
            if self._best.moves:
                yield self._best
        yield replace(self._best, final=True)

    def _expand(self, state: State) -> int:
        """Expand a state; return the number of its successors."""
        moves = self._machine.legal_moves(state, self._role)
        for move in moves:
            after = self._machine.next_state(state, (move,))
            if after in self._origin or after == self.start:
                continue
            if self._machine.is_terminal(after):
                if self._improves(after):
                    self._adopt(after, {**self._path_to(state), state: move})
            elif len(self._origin) < self._max_states:
                self._origin[after] = (state, move)
                self._queue.append(after)
            else:
                self._complete = False
        return len(moves)

    def _play_out(self) -> int:
        """Make a playout from the start; return the number of its steps."""
        steps = list(play_out(self._machine, self._random, LONGEST_PLAYOUT, self.start))
        last = steps[-1]
        if last.ending is Ending.TERMINAL and self._improves(last.state):
            # If a state occurs twice, its later move counts: that cuts out the cycle.
            self._adopt(last.state, {s.state: s.joint_move[0] for s in steps if s.joint_move})
        return last.number

    def _improves(self, final: State) -> bool:
        return utility(self._machine, final, self._role) > self._best.value

    def _adopt(self, final: State, moves: Mapping[State, Term]) -> None:
        value = utility(self._machine, final, self._role)
        self._best = Plan(moves, value, final=value == 100)

    def _path_to(self, state: State) -> dict[State, Term]:
        path = {}
        while state != self.start:
            state, move = self._origin[state]
            path[state] = move
        return path
