"""The line of a match: its steps from the start, as immutable values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from gdl import Constant, State, Term
from gdl.state_machine import RuledMachine
from ggp_player.errors import MatchError
from ggp_player.events import ObservedStep
from ggp_player.match_rules import MatchPosition
from ggp_player.protocol import move_texts

JointMove: TypeAlias = tuple[Term, ...]

History: TypeAlias = tuple[tuple[str, ...], ...]
"""Joint moves as texts."""


@dataclass(frozen=True, slots=True)
class LineStep:
    """A state, and the joint move that led there; that is empty at the start.

    ``legal_moves`` has an entry for each role and is empty where the match is over; ``goals`` are
    empty before.
    """

    joint_move: JointMove
    state: State
    legal_moves: tuple[tuple[Term, ...], ...]
    goals: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLine(MatchPosition):
    """The steps of a match; the first is the start."""

    machine: RuledMachine
    steps: tuple[LineStep, ...]

    @classmethod
    def begin(cls, machine: RuledMachine) -> MatchLine:
        """Return the line that has the initial state only."""
        return _line(machine, (_step(machine, machine.initial_state()),))

    @property
    def last(self) -> LineStep:
        """The newest step."""
        return self.steps[-1]

    @property
    def number(self) -> int:
        """How many joint moves were made."""
        return len(self.steps) - 1

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self.is_terminal

    @property
    def history(self) -> History:
        """The joint moves as texts."""
        return tuple(move_texts(step.joint_move) for step in self.steps[1:])

    def seen_by(self, role: Constant) -> tuple[ObservedStep, ...]:
        """What a role was told of each joint move: its own move, and its percepts."""
        place = self.machine.roles.index(role)
        return tuple(
            ObservedStep(
                str(step.joint_move[place]),
                tuple(map(str, self.machine.percepts(before.state, step.joint_move, role))),
            )
            for before, step in pairwise(self.steps)
        )

    def after(self, joint_move: Sequence[Term]) -> MatchLine:
        """Return the line with one more joint move.

        Raises :class:`gdl.MoveError` for one that does not fit the game, and :class:`MatchError`
        where the rules then leave a role without a move.
        """
        state = self.machine.next_state(self.last.state, tuple(joint_move))
        return _line(self.machine, (*self.steps, _step(self.machine, state, tuple(joint_move))))

    def back_to(self, number: int) -> MatchLine:
        """Return the line without the steps after a number."""
        return _line(self.machine, self.steps[: number + 1])


def _line(machine: RuledMachine, steps: tuple[LineStep, ...]) -> MatchLine:
    last = steps[-1]
    percepts: tuple[tuple[str, ...], ...] = ()
    if len(steps) > 1 and machine.ruleset.has_percepts:
        before = steps[-2].state
        seen = (machine.percepts(before, last.joint_move, role) for role in machine.roles)
        percepts = tuple(map(move_texts, seen))
    return MatchLine(
        not last.legal_moves,
        tuple(map(move_texts, last.legal_moves)),
        last.goals,
        percepts,
        machine=machine,
        steps=steps,
    )


def _step(machine: RuledMachine, state: State, joint_move: JointMove = ()) -> LineStep:
    if machine.is_terminal(state):
        goals = tuple(machine.goal(state, role) for role in machine.roles)
        return LineStep(joint_move, state, (), goals)
    legal = tuple(machine.legal_moves(state, role) for role in machine.roles)
    for role, moves in zip(machine.roles, legal, strict=True):
        if not moves:
            raise MatchError(f"the rules give {role} no legal move")
    return LineStep(joint_move, state, legal, ())
