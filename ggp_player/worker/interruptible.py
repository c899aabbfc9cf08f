"""A state machine that can interrupt a search, which may take seconds from one choice to the next.

A strategy is asked for one choice after the other, and in between it cannot be told to stop. Where
there are thousands of moves, or where it searches to the end of the match, a choice takes long, but
each query of the machine does not. So the machine ends the search, by an exception, when it is
queried too late.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdl import Constant, State, StateMachine, Term
from ggp_player.strategies import EngineStrategy, Strategy, compiled_machine


class SearchInterrupted(Exception):  # noqa: N818 it is no error
    """The search is no longer wanted."""


class InterruptibleMachine:
    """Answers as another machine does, but raises :class:`SearchInterrupted` once it should stop.

    It is raised in place of the answers that take the most time: legal moves and next states.
    ``states`` counts the next states asked for.
    """

    def __init__(self, machine: StateMachine, should_stop: Callable[[], bool]) -> None:
        self.states = 0
        self.machine = machine
        self._should_stop = should_stop

    @property
    def roles(self) -> tuple[Constant, ...]:
        """As of the machine itself; so are the other answers."""
        return self.machine.roles

    def initial_state(self) -> State:  # noqa: D102 see roles
        return self.machine.initial_state()

    def legal_moves(self, state: State, role: Term) -> tuple[Term, ...]:  # noqa: D102 see roles
        self._stop_in_time()
        return self.machine.legal_moves(state, role)

    def next_state(self, state: State, joint_move: Sequence[Term]) -> State:  # noqa: D102 see roles
        self.states += 1
        self._stop_in_time()
        return self.machine.next_state(state, joint_move)

    def is_terminal(self, state: State) -> bool:  # noqa: D102 see roles
        return self.machine.is_terminal(state)

    def goal(self, state: State, role: Term) -> int | None:  # noqa: D102 see roles
        return self.machine.goal(state, role)

    def goals(self, state: State, role: Term) -> tuple[int, ...]:  # noqa: D102 see roles
        return self.machine.goals(state, role)

    def percepts(  # noqa: D102 see roles
        self, state: State, joint_move: Sequence[Term], role: Term
    ) -> tuple[Term, ...]:
        return self.machine.percepts(state, joint_move, role)

    def _stop_in_time(self) -> None:
        if self._should_stop():
            raise SearchInterrupted


def without_interruption(machine: StateMachine) -> StateMachine:
    """The machine behind one that interrupts, to ask it what no search depends on."""
    return machine.machine if isinstance(machine, InterruptibleMachine) else machine


def interruptible_for(
    strategy: Strategy, machine: StateMachine, should_stop: Callable[[], bool]
) -> StateMachine:
    """The machine that a strategy is to query in a search that can be interrupted.

    A strategy on the compiled engine gets the compiled machine itself, which its kernels work on:
    it yields every few hundredths of a second, and can be stopped then.
    """
    if isinstance(strategy, EngineStrategy) and compiled_machine(machine) is not None:
        return machine
    return InterruptibleMachine(machine, should_stop)
