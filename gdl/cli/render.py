"""The command ``gdl render``: a state of a game as boards, in the terminal or as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

import gdl
from gdl.analysis.boards import BoardLayout
from gdl.cli.options import game_name, read_rules, write_text
from gdl.drawing import SvgOptions, draw_svg, draw_text, layout_of
from gdl.errors import MoveError
from gdl.language import Term
from gdl.state_machine import State, StateMachine

MAX_LISTED = 20
"""Legal moves that an error names."""


def run_render(
    file: Path, moves: Sequence[str], svg: Path | None, explain: bool, width: int | None
) -> None:
    """Draw a state of a game: its boards, counters and table."""
    ruleset = read_rules(file)
    machine = gdl.interpret(ruleset)
    before, state = play(machine, moves)
    layout = layout_of(ruleset)
    if explain:
        click.echo(explanation(layout))
        return
    if svg is not None:
        write_text(svg, draw_svg(layout, state, before, SvgOptions(game_name(file))))
        return
    console = Console(width=width, highlight=False)
    console.print(draw_text(layout, state, before))


def explanation(layout: BoardLayout) -> str:
    """Say in lines what each board was found by, and what is shown beside them."""
    lines = [
        f"{board.shape.value}, {len(board.places)} places: {board.found_by}"
        for board in layout.boards
    ]
    beside = (
        ("turn", layout.turn),
        ("scores", [name for name, _ in layout.scores]),
        ("counters", [counter.name for counter in layout.counters]),
    )
    lines += [f"{kind}: {', '.join(names)}" for kind, names in beside if names]
    return "\n".join(lines) or "a table of facts"


def play(machine: StateMachine, steps: Sequence[str]) -> tuple[State | None, State]:
    """Make the moves of each step; return the last two states.

    Raises :class:`gdl.MoveError` for a move that is not legal, which says which are.
    """
    before: State | None = None
    state = machine.initial_state()
    for number, text in enumerate(steps, start=1):
        if machine.is_terminal(state):
            raise MoveError(f"step {number}: the match is over after step {number - 1}")
        joint_move = _joint_move(machine, state, text, number)
        before, state = state, machine.next_state(state, joint_move)
    return before, state


def _joint_move(machine: StateMachine, state: State, text: str, number: int) -> tuple[Term, ...]:
    moves = _parse_moves(text, number)
    legal = [machine.legal_moves(state, role) for role in machine.roles]
    if len(moves) < len(legal):
        choosing = [i for i, options in enumerate(legal) if len(options) != 1]
        if len(moves) != len(choosing):
            expected = f"{len(legal)} moves, one per role"
            if len(choosing) < len(legal):
                names = ", ".join(machine.roles[i].name for i in choosing) or "nobody"
                expected += f", or {len(choosing)}, as {names} can choose"
            raise MoveError(f"step {number}: expected {expected}, found {len(moves)}: {text}")
        given = dict(zip(choosing, moves, strict=True))
        moves = [given[i] if i in given else legal[i][0] for i in range(len(legal))]
    if len(moves) > len(legal):
        raise MoveError(
            f"step {number}: expected {len(legal)} moves, one per role, found {len(moves)}: {text}"
        )
    return tuple(
        _legal_move(move, options, role.name, number)
        for move, options, role in zip(moves, legal, machine.roles, strict=True)
    )


def _parse_moves(text: str, number: int) -> list[Term]:
    try:
        term = gdl.parse_term(f"(moves {text})")
    except gdl.GdlSyntaxError as error:
        raise MoveError(f"step {number}: these are not moves: {text}\n{error}") from error
    return list(getattr(term, "args", ()))


def _legal_move(move: Term, options: Sequence[Term], role: str, number: int) -> Term:
    by_text = {str(option).lower(): option for option in options}
    found = by_text.get(str(move).lower())
    if found is not None:
        return found
    listed = ", ".join(str(option) for option in options[:MAX_LISTED]) or "nothing"
    more = f" and {len(options) - MAX_LISTED} more" if len(options) > MAX_LISTED else ""
    raise MoveError(f"step {number}: {move} is not legal for {role}; legal: {listed}{more}")
