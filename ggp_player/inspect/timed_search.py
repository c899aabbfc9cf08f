"""One search of one position, stopped at a deadline, and what the strategy reports of it.

It needs a machine, a role and a strategy. ``notify`` is called with a sentence where a search is
not what was asked for: the rules are not compiled, or another strategy takes the place of one that
needs compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from html import escape

import gdl
from gdl import Constant, Ruleset, State, StateMachine, Term
from gdl.language import moves_by_chance
from ggp_player.clock import Clock, Deadline, monotonic
from ggp_player.errors import GgpPlayerError
from ggp_player.events import MoveThought, value_text
from ggp_player.strategies import Choice, EngineStrategy, MoveReport, Position, Strategy
from ggp_player.strategies.selection import STRATEGIES, create, strategy_from
from ggp_player.worker.compiling import COLD, interpreted_notice, is_warm
from ggp_player.worker.interruptible import (
    InterruptibleMachine,
    SearchInterrupted,
    interruptible_for,
    without_interruption,
)
from ggp_player.worker.messages import FALLBACK
from ggp_player.worker.move_thoughts import SymmetricMoves, move_thoughts

INTERRUPT_GRACE = 1.0
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
    evaluate blocks of states. ``has_ended`` says that it ended before the deadline, whether it had
    more to find or not. ``rows`` are the moves as all readers show them; ``notice`` says why the
    search was not at its full strength, ``about_game`` what it has found out about the game, and
    ``is_cancelled`` that Ctrl-C has ended it.
    """

    choices: tuple[TimedChoice, ...]
    moves: tuple[MoveReport, ...]
    rows: tuple[MoveThought, ...]
    states: int
    seconds: float
    has_ended: bool
    notice: str = ""
    about_game: str = ""
    is_cancelled: bool = False

    @property
    def choice(self) -> Choice | None:
        """The last choice, None if the search made none."""
        return self.choices[-1].choice if self.choices else None

    @property
    def is_complete(self) -> bool:
        """Whether there was nothing more to find: the value of the choice is proved."""
        return self.has_ended and self.choice is not None and self.choice.proved

    @property
    def line(self) -> tuple[tuple[Term, ...], ...]:
        """The joint moves that the search expects after its choice."""
        chosen = [
            report for report in self.moves if self.choice and report.move == self.choice.move
        ]
        return chosen[0].line if chosen else ()

    def __str__(self) -> str:
        lines = [f"{row.move}  {value_text(row.value)}" for row in self.rows]
        chosen = f"{self.choice.move} after {self.seconds:.1f} s" if self.choice else "no choice"
        return "\n".join([chosen, *lines])

    def _repr_html_(self) -> str:
        """A table of the moves, for a notebook."""
        cells = [(row.move, value_text(row.value), str(row.visits or "")) for row in self.rows]
        rows = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in cells]
        head = "<tr><th>move</th><th>value</th><th>visits</th></tr>"
        return f"<table>{head}{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def timed_search(
    strategy: Strategy, position: Position, seconds: float, clock: Clock = monotonic
) -> TimedSearch:
    """Let a strategy search a position for some seconds, and ask for its report.

    As in a match, a strategy of the compiled engine gets the machine itself: it looks at the time
    often enough. Any other is interrupted ``INTERRUPT_GRACE`` after the deadline.
    """
    start = clock()
    deadline = Deadline(start + seconds, clock)
    last = Deadline(deadline.at + INTERRUPT_GRACE, clock)
    is_searching = True
    machine = interruptible_for(
        strategy, position.machine, lambda: is_searching and last.has_passed
    )
    notice = interpreted_notice(position.machine)
    position = replace(position, machine=machine, deadline=deadline)
    choices: list[TimedChoice] = []
    has_ended = False
    is_cancelled = False
    try:  # whatever ends it, the choices until then stand, as in a match
        has_ended = _collect(strategy, position, choices, start, deadline)
    except SearchInterrupted:
        pass
    except KeyboardInterrupt:
        is_cancelled = True
    is_searching = False
    states = machine.states if isinstance(machine, InterruptibleMachine) else 0
    took = clock() - start
    moves = tuple(strategy.report(position))
    position = replace(position, machine=without_interruption(machine))
    choice = choices[-1].choice if choices else None
    rows = tuple(move_thoughts(position, moves, choice, SymmetricMoves()))
    ended = (states, took, has_ended, notice, strategy.about_game, is_cancelled)
    return TimedSearch(tuple(choices), moves, rows, *ended)


def _collect(
    strategy: Strategy,
    position: Position,
    choices: list[TimedChoice],
    start: float,
    deadline: Deadline,
) -> bool:
    """Append new choices until the deadline; return whether the search ended before."""
    search = strategy.search(position)
    for choice in map(strategy.credited, search):
        if not choices or choice != choices[-1].choice:
            choices.append(TimedChoice(deadline.clock() - start, choice))
        if deadline.has_passed:
            if isinstance(search, Generator):
                search.close()
            return False
    return True


def machine_for(ruleset: Ruleset, notify: Callable[[str], None]) -> StateMachine:
    """Compile the rules if that is quick, or else interpret them."""
    if is_warm():
        try:
            return gdl.compile(ruleset)
        except gdl.ResourceLimitError as error:
            notify(f"the rules are not compiled: {error}")
    return gdl.interpret(ruleset)


def searching_role(machine: StateMachine, state: State, name: str | None) -> Constant:
    """Return the role of a name, or else the first that has a choice.

    Raises :class:`GgpPlayerError` for a name of no role.
    """
    roles = machine.roles
    if name is None:
        players = [r for r in roles if not moves_by_chance(r)]
        choosing = [r for r in players if len(machine.legal_moves(state, r)) > 1]
        return (*choosing, *players, *roles)[0]
    for role in roles:
        if role.name.lower() == name.lower():
            return role
    raise GgpPlayerError(f"expected one of the roles {', '.join(map(str, roles))}; found {name}")


def strategy_for(
    spec: str,
    machine: StateMachine,
    notify: Callable[[str], None],
    known: Mapping[str, type[Strategy]] = STRATEGIES,
) -> Strategy:
    """Make a strategy that can play on a machine, or its stand-in until kernels are compiled.

    Raises :class:`GgpPlayerError` for one that cannot.
    """
    strategy = strategy_from(spec, known)
    refusal = strategy.refusal(machine)
    if refusal is None:
        return strategy
    if isinstance(strategy, EngineStrategy) and interpreted_notice(machine) == COLD:
        notify(f"{spec} is not compiled yet: {FALLBACK} searches in its place")
        return create(FALLBACK)
    raise GgpPlayerError(refusal)
