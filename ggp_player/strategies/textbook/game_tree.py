"""What the tree searches share: utilities, the others at the table, playouts."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from gdl import Constant, State, StateMachine, Term

Moves = tuple[Term, ...]
"""Moves of several roles: a joint move, or the part of it that is already decided."""


def utility(machine: StateMachine, state: State, role: Constant) -> int:
    """Return the role's goal value, 0 where the rules give none."""
    return machine.goal(state, role) or 0


def opponents_of(machine: StateMachine, role: Constant) -> tuple[Constant, ...]:
    """Return all other roles, ``random`` among them, in the order of the rules."""
    return tuple(other for other in machine.roles if other != role)


def own_first(machine: StateMachine, role: Constant) -> tuple[Constant, ...]:
    """Return all roles, the given one first: the order in which a joint move is analysed.

    The players move at the same time. To let one of them choose before the others is an order
    of analysis: he decides without knowing their moves, and they are credited with knowing his.
    """
    return (role, *opponents_of(machine, role))


def in_role_order(machine: StateMachine, role: Constant, moves: Moves) -> Moves:
    """Return the joint move whose moves are given in the order of :func:`own_first`."""
    place = machine.roles.index(role)
    return (*moves[1 : place + 1], moves[0], *moves[place + 1 :])


class PlayoutStep(NamedTuple):
    """One step of a match: a state, the joint move made in it, and what came of them."""

    before: State
    moves: Moves
    after: State


def playout(machine: StateMachine, state: State, random: Random) -> Iterator[PlayoutStep]:
    """Yield the steps of a match in which everybody moves at random.

    It ends in a terminal state, or where a role has no legal move. A game without a step limit
    may go on for ever: the caller sets the bound.
    """
    while not machine.is_terminal(state):
        choices = [machine.legal_moves(state, role) for role in machine.roles]
        if not all(choices):
            return
        moves = tuple(random.choice(choice) for choice in choices)
        after = machine.next_state(state, moves)
        yield PlayoutStep(state, moves, after)
        state = after
