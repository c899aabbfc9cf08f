"""The moves that people are told of, and what they are called there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from gdl.analysis.move_names import MoveNames
from ggp_player.archive.archived_match import ArchivedMatch
from ggp_player.events import BranchThought, MoveThought, SearchView

_BETWEEN_MOVES = re.compile(r"(, | \+ )")
"""What stands between moves in the text of a line, and is not in the text of a move."""


def moves_of_view(view: SearchView | None) -> Iterator[str]:
    """Yield the moves in what a search thinks, some more than once."""
    if view is not None:
        yield view.move
        for known in view.moves:
            yield from (known.move, known.twin)
            yield from _moves_of_line(known.line, known.cells)
        yield from _moves_of_tree(view.tree)


def _moves_of_tree(tree: Iterable[BranchThought]) -> Iterator[str]:
    for branch in tree:
        yield from branch.moves
        yield from _moves_of_tree(branch.children)


def moves_of_match(match: ArchivedMatch) -> Iterator[str]:
    """Yield the moves of a match of the archive, and of what our searches thought of it."""
    for step in match.steps:
        yield from step.joint_move
    for choice in match.choices:
        yield choice.move
        yield from _moves_of_line(choice.line, ())
        rows = (choice.thoughts or {}).get("moves")
        for known in rows if isinstance(rows, list) else ():
            yield from (known.get("move", ""), known.get("twin", ""))
            yield from _moves_of_line(known.get("line", ()), known.get("cells", ()))


def _moves_of_line(line: Iterable[Iterable[str]], cells: Sequence[str]) -> Iterator[str]:
    """The moves of a line, and of its text, which is kept of more moves than the line is."""
    for joint_move in line:
        yield from joint_move
    yield from _BETWEEN_MOVES.split(cells[-1])[::2] if cells else ()


def named_cells(known: MoveThought, names: MoveNames) -> tuple[str, ...]:
    """The row of a move in the table of moves, with the names of moves."""
    *others, expected = known.cells[1:]
    if known.twin:
        expected = expected.replace(known.twin, names.name(known.twin))
    else:
        parts = _BETWEEN_MOVES.split(expected)
        parts[::2] = map(names.name, parts[::2])
        expected = "".join(parts)
    return (names.name(known.move), *others, expected)
