"""The line of a match: its steps from the start, as immutable values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from gdl import Constant, State, StateMachine, Term
from ggp_player.errors import MatchError
from ggp_player.events import ObservedStep
from ggp_player.protocol import MatchRecord, move_texts, state_text

JointMove: TypeAlias = tuple[Term, ...]

History: TypeAlias = tuple[tuple[str, ...], ...]
"""Joint moves as texts."""


@dataclass(frozen=True, slots=True)
class LineStep:
    """A state, and the joint move that led there; that is empty at the start.

    ``legal_moves`` has an entry for each role and is empty where the match is over; ``goals`` are
    empty before. ``errors`` are as in match records. ``time`` is in milliseconds since 1970.
    """

    joint_move: JointMove
    state: State
    legal_moves: tuple[tuple[Term, ...], ...]
    goals: tuple[int | None, ...]
    errors: tuple[str, ...]
    time: int


@dataclass(frozen=True, slots=True)
class MatchLine:
    """The steps of a match; the first is the start."""

    machine: StateMachine
    steps: tuple[LineStep, ...]

    @classmethod
    def begin(cls, machine: StateMachine, time: int) -> MatchLine:
        """Return the line that has the initial state only."""
        return cls(machine, (_step(machine, machine.initial_state(), time=time),))

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
        return not self.last.legal_moves

    @property
    def history(self) -> History:
        """The joint moves as texts."""
        return tuple(move_texts(step.joint_move) for step in self.steps[1:])

    @property
    def percepts(self) -> tuple[tuple[Term, ...], ...]:
        """What each role saw of the last joint move; nothing before the first one."""
        if not self.number:
            return tuple(() for _ in self.machine.roles)
        before, joint_move = self.steps[-2].state, self.last.joint_move
        return tuple(self.machine.percepts(before, joint_move, role) for role in self.machine.roles)

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

    def after(
        self, joint_move: Sequence[Term], errors: Sequence[str] = (), time: int = 0
    ) -> MatchLine:
        """Return the line with one more joint move.

        Raises :class:`gdl.MoveError` for one that does not fit the game, and :class:`MatchError`
        where the rules then leave a role without a move.
        """
        state = self.machine.next_state(self.last.state, tuple(joint_move))
        step = _step(self.machine, state, tuple(joint_move), tuple(errors), time)
        return MatchLine(self.machine, (*self.steps, step))

    def back_to(self, number: int) -> MatchLine:
        """Return the line without the steps after a number."""
        return MatchLine(self.machine, self.steps[: number + 1])

    def record(self, header: MatchRecord, is_aborted: bool) -> MatchRecord:
        """Return the match record of the line; ``header`` has all that is not in it."""
        is_completed = self.is_over and not is_aborted
        values = {
            name: getattr(header, name)
            for name in header.__dataclass_fields__
            if name not in {"states", "state_times", "moves", "errors", "goal_values"}
        }
        values |= {"is_completed": is_completed, "is_aborted": is_aborted}
        return MatchRecord(
            **values,
            states=tuple(state_text(step.state) for step in self.steps),
            state_times=tuple(step.time for step in self.steps),
            moves=self.history,
            errors=tuple(step.errors for step in self.steps),
            goal_values=tuple(goal or 0 for goal in self.last.goals) if is_completed else (),
        )


def _step(
    machine: StateMachine,
    state: State,
    joint_move: JointMove = (),
    errors: tuple[str, ...] = (),
    time: int = 0,
) -> LineStep:
    errors = errors or ("",) * len(machine.roles)
    if machine.is_terminal(state):
        goals = tuple(machine.goal(state, role) for role in machine.roles)
        return LineStep(joint_move, state, (), goals, errors, time)
    legal = tuple(machine.legal_moves(state, role) for role in machine.roles)
    for role, moves in zip(machine.roles, legal, strict=True):
        if not moves:
            raise MatchError(f"the rules give {role} no legal move")
    return LineStep(joint_move, state, legal, (), errors, time)
