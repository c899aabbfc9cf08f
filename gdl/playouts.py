"""Playouts: matches in which every role moves at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from gdl.language import Term
from gdl.state_machine import State, StateMachine

JointMove: TypeAlias = tuple[Term, ...]

AnyState = TypeVar("AnyState")

DEFAULT_MAX_STEPS = 1000
"""The step limit of a playout, unless the caller sets another."""


class Ending(StrEnum):
    """Why a playout ends."""

    TERMINAL = "terminal"
    """The state is terminal."""
    NO_MOVE = "no legal move"
    """A role has no legal move in a state that is not terminal: a mistake in the rules."""
    STEP_LIMIT = "step limit"
    """The limit on the number of steps is reached."""


class Step(NamedTuple):
    """A state of a playout, numbered from 0, and what happens in it."""

    number: int
    state: State
    options: tuple[tuple[Term, ...], ...] = ()
    """The legal moves of each role, in role order; empty in a terminal state."""
    joint_move: tuple[Term, ...] | None = None
    """The moves made, one per role; None in the last state."""
    ending: Ending | None = None
    """Why the playout ends here; None before the last state."""


@dataclass(frozen=True, slots=True)
class StatePath(Generic[AnyState]):
    """A state with the path by which it was reached; paths share their beginnings."""

    state: AnyState
    parent: StatePath[AnyState] | None = None
    joint_move: JointMove = ()
    depth: int = 0

    def after(self, joint_move: JointMove, state: AnyState) -> StatePath[AnyState]:
        """Return the path to the state that a joint move leads to."""
        return StatePath(state, self, joint_move, self.depth + 1)

    def moves(self) -> tuple[JointMove, ...]:
        """Return the joint moves from the beginning."""
        moves: list[JointMove] = []
        path = self
        while path.parent is not None:
            moves.append(path.joint_move)
            path = path.parent
        return tuple(reversed(moves))


def randomness(seed: int, number: int) -> Random:
    """Create the random number generator of one of several playouts with the same seed."""
    return Random(f"{seed} {number}")


def play_out(
    machine: StateMachine,
    random: Random,
    max_steps: int = DEFAULT_MAX_STEPS,
    start: State | None = None,
) -> Iterator[Step]:
    """Yield each state of one playout, of at most ``max_steps`` joint moves.

    It begins at the initial state unless ``start`` is given. Every role picks uniformly among its
    legal moves. The same numbers from ``random`` lead to the same playout.
    """
    state = machine.initial_state() if start is None else start
    number = 0
    while True:
        if machine.is_terminal(state):
            yield Step(number, state, ending=Ending.TERMINAL)
            return
        options = tuple(machine.legal_moves(state, role) for role in machine.roles)
        if not all(options):
            yield Step(number, state, options, ending=Ending.NO_MOVE)
            return
        if number == max_steps:
            yield Step(number, state, options, ending=Ending.STEP_LIMIT)
            return
        joint_move = tuple(map(random.choice, options))
        yield Step(number, state, options, joint_move)
        state = machine.next_state(state, joint_move)
        number += 1
