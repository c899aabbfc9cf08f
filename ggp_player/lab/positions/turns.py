"""Games in which one role at a time has a choice: who it is, and where the others' moves lead."""

from __future__ import annotations

from collections.abc import Sequence

from gdl import State, StateMachine, Term
from ggp_player.errors import PositionSetError


def chooser(machine: StateMachine, state: State) -> int | None:
    """Return the index of the role that has more than one legal move; None where nobody has.

    Raises :class:`PositionSetError` where several have, and for a role without a legal move.
    """
    widths = [len(machine.legal_moves(state, role)) for role in machine.roles]
    choosing = [index for index, width in enumerate(widths) if width > 1]
    if len(choosing) > 1 or 0 in widths:
        names = ", ".join(str(machine.roles[index]) for index in choosing) or "nobody"
        raise PositionSetError(f"expected one role with a choice in each state; found {names}")
    return choosing[0] if choosing else None


def after_choice(machine: StateMachine, state: State, role: int, move: Term) -> State:
    """Return the state after a role's move and the only legal moves of the others."""
    joint_move = [
        move if index == role else machine.legal_moves(state, other)[0]
        for index, other in enumerate(machine.roles)
    ]
    return machine.next_state(state, joint_move)


def after_forced(machine: StateMachine, state: State) -> State:
    """Return the first state from a state on in which somebody has a choice, or the match is over.

    Raises :class:`PositionSetError` where several have a choice at once.
    """
    while not machine.is_terminal(state) and chooser(machine, state) is None:
        moves = [machine.legal_moves(state, role)[0] for role in machine.roles]
        state = machine.next_state(state, moves)
    return state


def replayed(machine: StateMachine, line: Sequence[Term]) -> State:
    """Return the state to which a line of choices leads from the initial state.

    A line names the moves of whoever has a choice; steps in which nobody has one take no entry.
    Raises :class:`PositionSetError` for a move that is not legal, and a line that goes on after the
    end of the match.
    """
    return _replay(machine, line)[0]


def joint_moves(machine: StateMachine, line: Sequence[Term]) -> list[tuple[Term, ...]]:
    """Return all joint moves of the match that :func:`replayed` replays."""
    return _replay(machine, line)[1]


def _replay(machine: StateMachine, line: Sequence[Term]) -> tuple[State, list[tuple[Term, ...]]]:
    state, made = machine.initial_state(), []
    left = list(line)[::-1]
    while not machine.is_terminal(state):
        role = chooser(machine, state)
        if role is not None and not left:
            break
        moves = [machine.legal_moves(state, other)[0] for other in machine.roles]
        if role is not None:
            moves[role] = _legal(machine, state, role, left.pop(), len(line) - len(left))
        made.append(tuple(moves))
        state = machine.next_state(state, moves)
    if left:
        number = len(line) - len(left) + 1
        raise PositionSetError(f"move {number}, {left[-1]}: the match is over before it")
    return state, made


def _legal(machine: StateMachine, state: State, role: int, move: Term, number: int) -> Term:
    """The move, if it is legal."""
    legal = machine.legal_moves(state, machine.roles[role])
    if move not in legal:
        raise PositionSetError(
            f"move {number}, {move}, is not legal; legal are {', '.join(map(str, legal))}"
        )
    return move
