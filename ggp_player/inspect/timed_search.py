"""An analysis: a strategy's search of one position, stopped at a deadline, and what it tells."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from gdl import State, StateMachine, Term
from ggp_player.clock import Clock, Deadline, monotonic
from ggp_player.strategies import Choice, MoveReport, Position, Strategy

PATIENCE = 1.0
"""Seconds after the deadline that a search gets to come to a place where it can be stopped."""


@dataclass(frozen=True, slots=True)
class TimedChoice:
    """A choice, and after how many seconds the search came to it."""

    seconds: float
    choice: Choice


@dataclass(frozen=True, slots=True)
class TimedSearch:
    """What a search thinks of a position.

    ``states`` counts the states that it asked the machine for one by one; what it evaluates in
    blocks is not among them. ``is_complete`` says that it had nothing more to find.
    """

    choices: tuple[TimedChoice, ...]
    moves: tuple[MoveReport, ...]
    states: int
    seconds: float
    is_complete: bool

    @property
    def choice(self) -> Choice | None:
        """The last choice, None where the search came to none."""
        return self.choices[-1].choice if self.choices else None

    @property
    def line(self) -> tuple[tuple[Term, ...], ...]:
        """The joint moves that the search expects after its choice."""
        chosen = [
            report for report in self.moves if self.choice and report.move == self.choice.move
        ]
        return chosen[0].line if chosen else ()


class _TimeIsUpError(Exception):
    """The search went on without a choice, long after its deadline."""


class _Watch:
    """Counts the states that a machine is asked for, and breaks off a search that does not stop.

    It sits in the machine's ``next_state``, which every search calls, so that strategies need not
    know of time. The machine stays the object that it is: some strategies ask for more than
    the protocol has.
    """

    def __init__(self, machine: StateMachine, deadline: Deadline) -> None:
        self.states = 0
        self._machine = machine
        self._next_state = machine.next_state
        self._last = Deadline(deadline.at + PATIENCE, deadline.clock)

    def __enter__(self) -> _Watch:
        setattr(self._machine, "next_state", self._watched)  # noqa: B010 no assignment to a method
        return self

    def __exit__(self, *failure: object) -> None:
        setattr(self._machine, "next_state", self._next_state)  # noqa: B010 likewise

    def _watched(self, state: State, joint_move: Sequence[Term]) -> State:
        self.states += 1
        if self._last.has_passed:
            raise _TimeIsUpError
        return self._next_state(state, joint_move)


def timed_search(
    strategy: Strategy, position: Position, seconds: float, clock: Clock = monotonic
) -> TimedSearch:
    """Let the strategy search the position for so many seconds, and ask it for what it knows."""
    start = clock()
    deadline = Deadline(start + seconds, clock)
    choices: list[TimedChoice] = []
    is_complete = False
    with _Watch(position.machine, deadline) as watch:
        search = strategy.search(position)
        try:
            for choice in search:
                if not choices or choice != choices[-1].choice:
                    choices.append(TimedChoice(clock() - start, choice))
                if deadline.has_passed:
                    break
            else:
                is_complete = True
        except _TimeIsUpError:
            pass  # The choices until now stand, as in a match.
        if isinstance(search, Generator):
            search.close()
    took = clock() - start
    moves = tuple(strategy.report(position))
    return TimedSearch(tuple(choices), moves, watch.states, took, is_complete)
