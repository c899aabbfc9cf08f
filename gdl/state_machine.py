"""The protocol of state machines, and what can be counted with any of them.

A *state* is an immutable, hashable value that iterates over its facts as terms, without the
``true`` around them. A *joint move* is one move per role, in the order of ``roles``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import product
from typing import Any, Protocol, runtime_checkable

from gdl.errors import MoveError, counted
from gdl.language import Constant, Ruleset, Term, as_term


@runtime_checkable
class State(Hashable, Protocol):
    """The facts that are true between two steps of a match."""

    def __iter__(self) -> Iterator[Term]:
        """Iterate over the facts, in no particular order."""
        ...

    def __len__(self) -> int:
        """Return the number of facts."""
        ...


class StateMachine(Protocol):
    """A game as a machine: states in, states out.

    Roles, moves and facts are terms; upper and lower case are not distinguished in them. A role
    that the game does not have raises :class:`gdl.MoveError`.
    """

    @property
    def roles(self) -> tuple[Constant, ...]:
        """The roles in the order of joint moves."""
        ...

    def initial_state(self) -> State:
        """Return the state in which a match begins."""
        ...

    def legal_moves(self, state: State, role: Term) -> tuple[Term, ...]:
        """Return the role's legal moves, in an order that depends only on the rules."""
        ...

    def next_state(self, state: State, joint_move: Sequence[Term]) -> State:
        """Return the state after the joint move, which is not checked for legality.

        Raises :class:`gdl.MoveError` if it does not have one move per role.
        """
        ...

    def is_terminal(self, state: State) -> bool:
        """Return True if the match is over."""
        ...

    def goal(self, state: State, role: Term) -> int | None:
        """Return the role's goal value: the lowest that holds, None if none does."""
        ...

    def goals(self, state: State, role: Term) -> tuple[int, ...]:
        """Return all goal values that hold for the role, in ascending order."""
        ...

    def percepts(self, state: State, joint_move: Sequence[Term], role: Term) -> tuple[Term, ...]:
        """Return the role's percepts of the joint move made in the state."""
        ...


class RuledMachine(StateMachine, Protocol):
    """A state machine that knows its rules, as ours do."""

    ruleset: Ruleset

    def state_of(self, facts: Iterable[Term]) -> State:
        """Return the state in which just these facts are true."""
        ...

    def step(self, state: State, joint_move: Sequence[Term | str]) -> State:
        """Return the state after a joint move, which is checked."""
        ...

    def render(self, state: Iterable[Term], before: Iterable[Term] | None = None) -> Any:  # noqa: ANN401
        """Draw a state."""
        ...


class CheckedMoves:
    """What the state machines that know their rules add for people: checks, drawings, a name."""

    ruleset: Ruleset

    def __repr__(self: RuledMachine) -> str:
        return f"<{type(self).__name__} {self.ruleset.game}: {', '.join(map(str, self.roles))}>"

    def step(self: RuledMachine, state: State, joint_move: Sequence[Term | str]) -> State:
        """Return the state after a joint move of legal moves, in the order of the roles.

        Raises :class:`gdl.MoveError` for a terminal state and for moves that are not legal; it
        says which would be.
        """
        check_joint_move(self, state, [as_term(move) for move in joint_move])
        return self.next_state(state, [as_term(move) for move in joint_move])

    def render(self, state: Iterable[Term], before: Iterable[Term] | None = None) -> Any:  # noqa: ANN401
        """Draw a state: a :class:`gdl.drawing.Rendering`, which notebooks and ``print`` show.

        What has changed since the state ``before`` is marked.
        """
        # Drawings stand above the machines, which do without them, and without what they import.
        return import_module("gdl.drawing").render(self.ruleset, state, before)


MOST_MOVES_LISTED = 20
"""A sentence lists so many moves at most."""


def check_joint_move(machine: RuledMachine, state: State, joint_move: Sequence[Term]) -> None:
    """Raise :class:`gdl.MoveError` for what cannot be played in a state, with what could be."""
    roles = machine.roles
    if len(joint_move) != len(roles):
        order = ", ".join(map(str, roles))
        raise MoveError(
            f"expected a move for each of {order}, found {counted(len(joint_move), 'move')}"
        )
    if machine.is_terminal(state):
        raise MoveError("the match is over in this state: no move is legal")
    wrong = []
    for role, move in zip(roles, joint_move, strict=True):
        legal = machine.legal_moves(state, role)
        if machine.ruleset.spell(move) not in legal:
            wrong.append(f"{move} is not legal for {role}; {legal_moves_text(legal)}")
    if wrong:
        raise MoveError(". ".join(wrong))


def legal_moves_text(legal: Sequence[Term]) -> str:
    """Say which moves are legal: ``legal are noop, (drop 4)``."""
    if not legal:
        return "no move is"
    return f"legal {'is' if len(legal) == 1 else 'are'} {listed_moves(legal)}"


def listed_moves(moves: Sequence[Term]) -> str:
    """List moves for a sentence, of many only the first."""
    more = len(moves) - MOST_MOVES_LISTED
    rest = f" and {more} more" if more > 0 else ""
    return (", ".join(map(str, moves[:MOST_MOVES_LISTED])) or "none") + rest


def joint_moves(machine: StateMachine, state: State) -> Iterator[tuple[Term, ...]]:
    """Yield every joint move of a state; the last role's move varies fastest."""
    return product(*(machine.legal_moves(state, role) for role in machine.roles))


def perft(machine: StateMachine, depth: int) -> int:
    """Count the joint-move paths of exactly ``depth`` steps from the initial state.

    A path that ends earlier in a terminal state does not count.
    """
    return paths_from(machine, machine.initial_state(), depth)


def divide(machine: StateMachine, depth: int) -> dict[tuple[Term, ...], int]:
    """Count the paths of ``depth`` >= 1 steps by their first joint move."""
    start = machine.initial_state()
    if machine.is_terminal(start):
        return {}
    return {
        moves: paths_from(machine, machine.next_state(start, moves), depth - 1)
        for moves in joint_moves(machine, start)
    }


def paths_from(machine: StateMachine, state: State, depth: int) -> int:
    """Count the joint-move paths of exactly ``depth`` steps from a state."""
    if depth == 0:
        return 1
    if machine.is_terminal(state):
        return 0
    if depth == 1:
        count = 1
        for role in machine.roles:
            count *= len(machine.legal_moves(state, role))
        return count
    return sum(
        paths_from(machine, machine.next_state(state, moves), depth - 1)
        for moves in joint_moves(machine, state)
    )
