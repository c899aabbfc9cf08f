"""Roles, moves and numbers as trees show them. Apart: drawings and steps of searches both do."""

from __future__ import annotations

from collections.abc import Sequence

from gdl import Constant, Function, State, StateMachine, Term

LONGEST_LABEL = 18
"""The most characters of a move on an edge."""


def choosing_roles(
    machine: StateMachine, state: State, order: Sequence[Constant]
) -> tuple[Constant, ...]:
    """Return the roles with a choice; where nobody has one, the first that does not just wait.

    A role waits where its only move is a constant, such as ``noop``.
    """
    legal = {role: machine.legal_moves(state, role) for role in order}
    choosers = tuple(role for role, moves in legal.items() if len(moves) > 1)
    acting = (role for role, moves in legal.items() if moves and isinstance(moves[0], Function))
    return choosers or (next(acting, order[0]),)


def number(value: float) -> str:
    """Write a value, with one decimal place unless it is whole."""
    return f"{value:.1f}".removesuffix(".0")


def move_label(move: Term) -> str:
    """Write a move for an edge: short, and without the outer parentheses."""
    text = str(move)
    return shortened(text[1:-1] if text.startswith("(") else text, LONGEST_LABEL)


def shortened(text: str, length: int) -> str:
    """Cut a text to a length, with an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
