"""The game as a graph of numbered states, which remembers every step that was asked for."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdl import State, StateMachine, Term
from gdl.engine import PropnetStateMachine
from gdl.language import moves_by_chance
from ggp_player.belief import Joint, StepOutcome, View, batch_machine

Choice: TypeAlias = tuple[int, ...]
"""A joint move: the number of each role's move among its legal ones."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A step: the number of the next state, and what each role sees, as a number."""

    target: int
    percepts: tuple[int, ...]


class Vertex:
    """A state: its roles' legal moves and goal values, and the steps from it so far."""

    __slots__ = ("edges", "goals", "is_terminal", "legal", "options", "state")

    def __init__(
        self, state: State, view: View, options: tuple[int, ...], goals: tuple[float, ...]
    ) -> None:
        self.state = state
        self.goals = goals
        """Those of a terminal state; empty elsewhere."""
        self.is_terminal = bool(goals)
        self.legal = () if goals else view.legal
        self.options = options
        """Numbers that are equal, of one role, where its legal moves are."""
        self.edges: dict[Choice, Edge] = {}

    def joint_move(self, choice: Choice) -> Joint:
        """The joint move of some numbers."""
        return tuple([moves[index] for moves, index in zip(self.legal, choice, strict=True)])


class GameGraph:
    """The states of a game by number, and the steps between them.

    Percepts are numbered too: the same set of terms has the same number, of whatever role.
    """

    def __init__(self, machine: StateMachine) -> None:
        self.machine = machine
        self.chance = tuple(map(moves_by_chance, machine.roles))
        self.vertices: list[Vertex] = []
        self._numbers: dict[State, int] = {}
        self._percepts: dict[frozenset[Term], int] = {}
        self._options: dict[tuple[int, Hashable], int] = {}
        self._terms: list[frozenset[Term]] = []
        self._batch = batch_machine(machine)

    def forget(self) -> None:
        """Forget all states; percepts and legal moves keep their numbers."""
        self.vertices.clear()
        self._numbers.clear()

    def number(self, state: State) -> int:
        """The number of a state."""
        if state not in self._numbers:
            self._add_all([state])
        return self._numbers[state]

    def _add_all(self, states: Sequence[State]) -> None:
        """Number new states."""
        for state, view in zip(states, self._batch.views(states), strict=True):
            options = tuple(
                self._options.setdefault((role, option), len(self._options))
                for role, option in enumerate(view.options)
            )
            self._numbers[state] = len(self.vertices)
            self.vertices.append(Vertex(state, view, options, self._goals(state, view)))

    def _goals(self, state: State, view: View) -> tuple[float, ...]:
        """The goal values where the match is over, also by a role without a legal move."""
        if not view.is_terminal and all(view.legal):
            return ()
        return tuple(float(self.machine.goal(state, r) or 0) for r in self.machine.roles)

    def percept_number(self, percepts: frozenset[Term]) -> int:
        """The number of a set of percepts."""
        found = self._percepts.get(percepts)
        if found is None:
            found = self._percepts[percepts] = len(self._terms)
            self._terms.append(percepts)
        return found

    def step(self, number: int, choice: Choice) -> Edge:
        """Make a joint move in a state."""
        return self.step_from(self.vertices[number], choice)

    def step_from(self, vertex: Vertex, choice: Choice) -> Edge:
        """Make a joint move in a state."""
        edge = vertex.edges.get(choice)
        if edge is None:
            edge = vertex.edges[choice] = self._made(vertex, choice)
        return edge

    def percepts_of(self, number: int, choice: Choice) -> tuple[frozenset[Term], ...]:
        """What each role sees of a joint move in a state."""
        return tuple([self._terms[seen] for seen in self.step(number, choice).percepts])

    def make_all(self, steps: Sequence[tuple[int, Choice]]) -> None:
        """Make many steps at once, by blocks where the rules are compiled."""
        new = [(self.vertices[n], choice) for n, choice in steps]
        new = [(vertex, choice) for vertex, choice in new if choice not in vertex.edges]
        states = [vertex.state for vertex, _ in new]
        joint_moves = [vertex.joint_move(choice) for vertex, choice in new]
        outcomes = list(self._batch.outcomes(states, joint_moves))
        following = dict.fromkeys(outcome.state for outcome in outcomes)
        self._add_all([state for state in following if state not in self._numbers])
        for outcome in outcomes:
            vertex, choice = new[outcome.number]
            vertex.edges[choice] = self._edge(outcome)

    def _made(self, vertex: Vertex, choice: Choice) -> Edge:
        machine, joint_move = self.machine, vertex.joint_move(choice)
        if isinstance(machine, PropnetStateMachine):
            following, percepts = machine.next_with_percepts(vertex.state, joint_move)
            return self._edge(StepOutcome(0, following, percepts))
        return self._edge(next(iter(self._batch.outcomes([vertex.state], [joint_move]))))

    def _edge(self, outcome: StepOutcome) -> Edge:
        seen = tuple([self.percept_number(percepts) for percepts in outcome.percepts])
        return Edge(self.number(outcome.state), seen)
