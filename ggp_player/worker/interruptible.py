"""A state machine that stops a search: between two choices of one there can be many seconds.

A strategy is asked for one choice after the other, and in between it cannot be told to stop. Where
there are thousands of moves, or where it goes to the end of the match, a choice takes long, but
each question to the machine does not. So it is the machine that ends the search, by an exception,
when it is asked too late.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdl import Constant, State, StateMachine, Term


class SearchInterrupted(Exception):  # noqa: N818 it is no error
    """The search is not wanted any more."""


class InterruptibleMachine:
    """Answers as another machine does, and raises :class:`SearchInterrupted` once that is wanted.

    It is raised instead of the answers that take the most time: legal moves and next states.
    """

    def __init__(self, machine: StateMachine, is_to_stop: Callable[[], bool]) -> None:
        self._machine = machine
        self._is_to_stop = is_to_stop

    @property
    def roles(self) -> tuple[Constant, ...]:
        """As of the machine itself; so are the other answers."""
        return self._machine.roles

    def initial_state(self) -> State:  # noqa: D102 see roles
        return self._machine.initial_state()

    def legal_moves(self, state: State, role: Term) -> tuple[Term, ...]:  # noqa: D102 see roles
        self._stop_in_time()
        return self._machine.legal_moves(state, role)

    def next_state(self, state: State, joint_move: Sequence[Term]) -> State:  # noqa: D102 see roles
        self._stop_in_time()
        return self._machine.next_state(state, joint_move)

    def is_terminal(self, state: State) -> bool:  # noqa: D102 see roles
        return self._machine.is_terminal(state)

    def goal(self, state: State, role: Term) -> int | None:  # noqa: D102 see roles
        return self._machine.goal(state, role)

    def goals(self, state: State, role: Term) -> tuple[int, ...]:  # noqa: D102 see roles
        return self._machine.goals(state, role)

    def percepts(  # noqa: D102 see roles
        self, state: State, joint_move: Sequence[Term], role: Term
    ) -> tuple[Term, ...]:
        return self._machine.percepts(state, joint_move, role)

    def _stop_in_time(self) -> None:
        if self._is_to_stop():
            raise SearchInterrupted
