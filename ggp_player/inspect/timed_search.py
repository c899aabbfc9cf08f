"""One search of one position, stopped at a deadline, and what the strategy reports of it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from gdl import State, StateMachine, Term
from ggp_player.clock import Clock, Deadline, monotonic
from ggp_player.strategies import Choice, MoveReport, Position, Strategy
from ggp_player.strategies.engine_strategy import EngineStrategy, compiled_machine
from ggp_player.worker import InterruptibleMachine, SearchInterrupted

PATIENCE = 1.0
"""Seconds after the deadline in which a search may still come to its next choice."""


@dataclass(frozen=True, slots=True)
class TimedChoice:
    """A choice, and after how many seconds the search came to it."""

    seconds: float
    choice: Choice


@dataclass(frozen=True, slots=True)
class TimedSearch:
    """The result of a search.

    ``states`` counts the states that it asked the machine for one by one, 0 for strategies that
    evaluate blocks of states. ``is_complete`` says that it had nothing more to find.
    """

    choices: tuple[TimedChoice, ...]
    moves: tuple[MoveReport, ...]
    states: int
    seconds: float
    is_complete: bool

    @property
    def choice(self) -> Choice | None:
        """The last choice, None if the search made none."""
        return self.choices[-1].choice if self.choices else None

    @property
    def line(self) -> tuple[tuple[Term, ...], ...]:
        """The joint moves that the search expects after its choice."""
        chosen = [
            report for report in self.moves if self.choice and report.move == self.choice.move
        ]
        return chosen[0].line if chosen else ()


class _SearchedMachine(InterruptibleMachine):
    """Counts the states that a search asks for, and interrupts it at the deadline."""

    def __init__(self, machine: StateMachine, deadline: Deadline) -> None:
        super().__init__(machine, lambda: not self.is_released and deadline.has_passed)
        self.states = 0
        self.is_released = False
        """Whether the search is over: what it found may be looked at for any time."""

    def next_state(self, state: State, joint_move: Sequence[Term]) -> State:
        """Count the state."""
        self.states += 1
        return super().next_state(state, joint_move)


def timed_search(
    strategy: Strategy, position: Position, seconds: float, clock: Clock = monotonic
) -> TimedSearch:
    """Let a strategy search a position for some seconds, and ask for its report.

    As in a match, a strategy of the compiled engine gets the machine itself: it looks at the time
    often enough. Any other is interrupted ``PATIENCE`` after the deadline.
    """
    start = clock()
    deadline = Deadline(start + seconds, clock)
    machine = _SearchedMachine(position.machine, Deadline(deadline.at + PATIENCE, clock))
    if not _needs_machine_itself(strategy, position.machine):
        position = replace(position, machine=machine)
    choices: list[TimedChoice] = []
    is_complete = False
    search = strategy.search(position)
    with suppress(SearchInterrupted):  # The choices until then stand, as in a match.
        for choice in search:
            if not choices or choice != choices[-1].choice:
                choices.append(TimedChoice(clock() - start, choice))
            if deadline.has_passed:
                break
        else:
            is_complete = True
    if isinstance(search, Generator):
        search.close()
    machine.is_released = True
    took, states = clock() - start, machine.states
    moves = tuple(strategy.report(position))
    return TimedSearch(tuple(choices), moves, states, took, is_complete)


def _needs_machine_itself(strategy: Strategy, machine: StateMachine) -> bool:
    return isinstance(strategy, EngineStrategy) and compiled_machine(machine) is not None
