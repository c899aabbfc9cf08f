"""Reports of a position and of a search in it, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from gdl import Term
from gdl.state_machine import listed_moves
from ggp_player.events import COLUMNS, MoveThought, line_text, value_text
from ggp_player.inspect.timed_search import TimedSearch
from ggp_player.protocol import move_texts
from ggp_player.strategies import Choice, Position
from ggp_player.strategies.textbook.game_tree import Moves

SHOWN_CHOICES = 12
"""The most choices shown, the last ones, of a search that reports on no moves."""

MAX_SHOWN_FACTS = 60
"""The most facts of a state that are shown."""


def json_object(
    position: Position, steps: Sequence[Moves], analysis: TimedSearch | None
) -> dict[str, object]:
    """Report on a position as values for JSON; move values are 0 to 100, None if unknown."""
    machine, state = position.machine, position.state
    is_over = machine.is_terminal(state)
    found: dict[str, object] = {
        "steps": [move_texts(joint_move) for joint_move in steps],
        "state": sorted(map(str, state)),
        "role": str(position.role),
        "goals": {str(r): machine.goal(state, r) for r in machine.roles} if is_over else None,
        "legal": {str(r): move_texts(_legal(position, r)) for r in machine.roles},
    }
    if analysis is None:
        return found
    choice = analysis.choice
    return found | {
        "choice": None if choice is None else _choice_object(choice),
        "line": [move_texts(joint_move) for joint_move in analysis.line],
        "moves": list(map(_move_object, analysis.rows)),
        "choices": [{"seconds": c.seconds} | _choice_object(c.choice) for c in analysis.choices],
        "complete": analysis.is_complete,
        "ended": analysis.has_ended,
        "about_game": analysis.about_game or None,
        "notice": analysis.notice or None,
        "states": analysis.states,
        "seconds": analysis.seconds,
    }


def _choice_object(choice: Choice) -> dict[str, object]:
    return {
        "move": str(choice.move),
        "value": choice.value,
        "proved": choice.proved,
        "method": choice.method,
        "note": choice.details,
    }


def _move_object(row: MoveThought) -> dict[str, object]:
    return {
        "move": row.move,
        "value": row.value,
        "bounds": (row.low, row.high),
        "proved": row.proved,
        "visits": row.visits,
        "line": row.line,
        "twin": row.twin or None,
    }


def _legal(position: Position, role: Term) -> tuple[Term, ...]:
    machine, state = position.machine, position.state
    return () if machine.is_terminal(state) else machine.legal_moves(state, role)


# ------------------------------------------------------------------------ as text


def _console() -> Console:
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True)


def _say(console: Console, name: str, text: str) -> None:
    console.print(f"{name:<11}{text}")


def print_position(heading: str, position: Position) -> None:
    """Print the state and the legal moves, or the goals."""
    console, machine, state = _console(), position.machine, position.state
    facts = sorted(map(str, state))
    more = f" and {len(facts) - MAX_SHOWN_FACTS} more" if len(facts) > MAX_SHOWN_FACTS else ""
    console.print(heading)
    _say(console, "state", " ".join(facts[:MAX_SHOWN_FACTS]) + more)
    for role in machine.roles:
        if machine.is_terminal(state):
            _say(console, "goal", f"{role} {machine.goal(state, role)}")
        else:
            moves = _legal(position, role)
            count = f"{len(moves)} legal moves: " if len(moves) > 1 else ""
            _say(console, "turn" if count else "waits", f"{role}, {count}{listed_moves(moves)}")
    if machine.is_terminal(state):
        console.print("the match is over")


def print_analysis(position: Position, analysis: TimedSearch, spec: str) -> None:
    """Print the moves with their values, the choice, and how much was searched."""
    console = _console()
    _say(console, "search", f"{spec} for {position.role}")
    if analysis.about_game:
        _say(console, "game", analysis.about_game)
    if analysis.notice:
        _say(console, "notice", analysis.notice)
    if analysis.rows:
        console.print(_move_table(analysis.rows))
    elif analysis.choices:
        console.print(_choice_table(analysis))
    choice = analysis.choice
    if choice is None:
        _say(console, "choice", "none: the search came to no choice in time")
    else:
        proof = ", proved" if choice.proved else ""
        found = f"{choice.move}, {_value(choice.value)}{proof}"
        _say(console, "choice", f"{found} ({choice.explanation})")
    if analysis.line:
        _say(console, "line", line_text(list(map(move_texts, analysis.line))))
    if analysis.states:
        speed = f", {analysis.states / analysis.seconds:,.0f} a second" if analysis.seconds else ""
        _say(console, "states", f"{analysis.states:,} one by one{speed}")
    _say(console, "time", f"{analysis.seconds:.2f} s, {_end(analysis)}")


def _end(analysis: TimedSearch) -> str:
    if analysis.is_cancelled:
        return "ended by Ctrl-C"
    if analysis.is_complete:
        return "nothing more to find"
    return "ended without a proof" if analysis.has_ended else "stopped"


def _move_table(rows: Sequence[MoveThought]) -> Table:
    table = Table(*COLUMNS)
    for column in table.columns[1:4]:
        column.justify = "right"
    for row in rows:
        table.add_row(*row.cells)
    if any(row.value is None for row in rows):
        table.caption = "moves without a value are no better, or were not searched"
    return table


def _choice_table(analysis: TimedSearch) -> Table:
    table = Table("after", "choice", "value", "note")
    for timed in analysis.choices[-SHOWN_CHOICES:]:
        choice = timed.choice
        proof = " proved" if choice.proved else ""
        value = f"{_value(choice.value)}{proof}"
        table.add_row(f"{timed.seconds:.2f} s", str(choice.move), value, choice.explanation)
    return table


def _value(value: float | None) -> str:
    return value_text(value) or "no value"
