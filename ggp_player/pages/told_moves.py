"""The moves that people are told of, and what they are called there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdl.analysis.move_names import MoveNames
from ggp_player.archive import ArchivedMatch
from ggp_player.events import MoveThought, SearchView, line_text


def moves_of_view(view: SearchView | None) -> Iterator[str]:
    """Yield the moves in what a search thinks, some more than once."""
    if view is None:
        return
    yield view.move
    for known in view.moves:
        yield known.move
        if known.twin:
            yield known.twin
        for joint_move in known.line:
            yield from joint_move


def named_cells(known: MoveThought, names: MoveNames) -> tuple[str, ...]:
    """The row of a move in the table of moves, with the names of moves."""
    if known.twin:
        expected = f"as {names.name(known.twin)}, by symmetry"
    else:
        expected = line_text([_named(joint_move, names) for joint_move in known.line])
    return (names.name(known.move), *known.cells[1:-1], expected)


def _named(joint_move: Sequence[str], names: MoveNames) -> list[str]:
    acting = [move for move in joint_move if not names.waits(move)]
    return [names.name(move) for move in acting or joint_move]


def moves_of_match(match: ArchivedMatch) -> Iterator[str]:
    """Yield the moves of a match of the archive, and of what our searches thought of it."""
    for step in match.steps:
        yield from step.joint_move
    for choice in match.choices:
        yield choice.move
        for joint_move in choice.line:
            yield from joint_move
        yield from _moves_of_thoughts(choice.thoughts or {})


def _moves_of_thoughts(thoughts: Mapping[str, object]) -> Iterator[str]:
    moves = thoughts.get("moves")
    for known in moves if isinstance(moves, list) else ():
        yield from filter(None, (known.get("move"), known.get("twin")))
        for joint_move in known.get("line", ()):
            yield from joint_move
