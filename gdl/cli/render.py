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
from gdl.state_machine import RuledMachine, State


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
        ("counters", list(layout.counters)),
    )
    lines += [f"{kind}: {', '.join(names)}" for kind, names in beside if names]
    return "\n".join(lines) or "a table of facts"


def play(machine: RuledMachine, steps: Sequence[str]) -> tuple[State | None, State]:
    """Make the moves of each step; return the last two states.

    Raises :class:`gdl.MoveError` for a move that is not legal, which says which are.
    """
    before: State | None = None
    state = machine.initial_state()
    for number, text in enumerate(steps, start=1):
        if machine.is_terminal(state):
            raise MoveError(f"step {number}: the match is over after step {number - 1}")
        try:
            before, state = state, machine.step(state, _joint_move(machine, state, text))
        except MoveError as error:
            raise MoveError(f"step {number}: {error}") from error
    return before, state


def _joint_move(machine: RuledMachine, state: State, text: str) -> list[Term]:
    """Read the moves of a step; those of roles that have one legal move only may be left out."""
    moves = _parse_moves(text)
    legal = [machine.legal_moves(state, role) for role in machine.roles]
    if len(moves) >= len(legal):
        return moves
    choosing = [i for i, options in enumerate(legal) if len(options) != 1]
    if len(moves) != len(choosing):
        expected = f"{len(legal)} moves, one per role"
        if len(choosing) < len(legal):
            names = ", ".join(machine.roles[i].name for i in choosing) or "nobody"
            expected += f", or {len(choosing)}, as {names} can choose"
        raise MoveError(f"expected {expected}, found {len(moves)}: {text}")
    given = dict(zip(choosing, moves, strict=True))
    return [given[i] if i in given else legal[i][0] for i in range(len(legal))]


def _parse_moves(text: str) -> list[Term]:
    try:
        term = gdl.parse_term(f"(moves {text})")
    except gdl.GdlSyntaxError as error:
        raise MoveError(f"these are not moves: {text}\n{error}") from error
    return list(getattr(term, "args", ()))
