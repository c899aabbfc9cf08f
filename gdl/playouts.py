"""Playouts: matches in which every role moves at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from gdl.language import Term
from gdl.state_machine import State, StateMachine

DEFAULT_MAX_STEPS = 1000
"""After how many steps a playout is broken off, unless the caller says otherwise."""


class Ending(StrEnum):
    """Why a playout ends."""

    TERMINAL = "terminal"
    """The rules say that the match is over."""
    NO_MOVE = "no legal move"
    """A role has no legal move, though the match is not over: the rules are at fault."""
    STEP_LIMIT = "step limit"
    """The bound on the steps is reached."""


@dataclass(frozen=True, slots=True)
class Step:
    """A state of a playout, counted from 0, and what happens in it."""

    number: int
    state: State
    options: tuple[tuple[Term, ...], ...] = ()
    """The legal moves of each role, in role order; empty in a terminal state."""
    joint_move: tuple[Term, ...] | None = None
    """The moves made, one per role; None in the last state."""
    ending: Ending | None = None
    """Why the playout ends here; None before the last state."""


def randomness(seed: int, number: int) -> Random:
    """Return what the moves of one playout, of several with one seed, are drawn from."""
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
