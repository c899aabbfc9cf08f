"""Moves on boards: which places a move names, so that it can be made by pointing at them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gdl.analysis.boards.layout import Board, BoardLayout, MovePattern, function_of, words_of
from gdl.language import Term


class BoardCell(NamedTuple):
    """A place on a board: the board's index in the layout, and the place's key."""

    board: int
    key: tuple[str, ...]


def cells_of_move(
    layout: BoardLayout, move: Term, state: Iterable[Term] = ()
) -> tuple[BoardCell, ...]:
    """Return the cells that a move names, in its order: from, to, placed.

    A move that names only a column or a row has all its cells. With a ``state``, a move that names
    no place but a piece by its word has the cells where that lies. Empty where it names nothing
    on a board.
    """
    words = words_of(move)
    pattern = layout.move_patterns.get(function_of(move)) or MovePattern(
        *function_of(move), (None,) * len(words), ((),) * len(words)
    )
    found: list[BoardCell] = []
    i = 0
    while i < len(words):
        taken, cells = _cells_at(layout, pattern, words, i)
        found += [cell for cell in cells if cell not in found]
        i += max(1, taken)
    return tuple(
        found
        or _line_of(layout, pattern, words)
        or [
            cell
            for i, word in enumerate(words)
            for cell in _cells_of_piece(layout, pattern, i, word, state)
        ]
    )


def _cells_at(
    layout: BoardLayout, pattern: MovePattern, words: tuple[str, ...], start: int
) -> tuple[int, list[BoardCell]]:
    """The cell that the words from ``start`` on name whole, and how many words that takes."""
    order = sorted(range(len(layout.boards)), key=lambda n: -layout.boards[n].key_length)
    for number in order:
        board = layout.boards[number]
        size = board.key_length
        key = words[start : start + size]
        if key in board.index and _may_name(pattern, number, start, size):
            return size, [BoardCell(number, key)]
    return 0, []


def _may_name(pattern: MovePattern, number: int, start: int, size: int) -> bool:
    """Whether nothing in the rules speaks against these arguments being the board's key."""
    for position in range(size):
        slots = pattern.places[start + position]
        if slots is None:
            continue
        elsewhere = pattern.contents[start + position] or (slots and size == 1)
        if (number, position) not in slots and elsewhere:
            return False
    return True


def _cells_of_piece(
    layout: BoardLayout, pattern: MovePattern, i: int, word: str, state: Iterable[Term]
) -> list[BoardCell]:
    found = []
    if pattern.contents[i] and not pattern.places[i]:
        for fact in state:
            for number in pattern.contents[i]:
                board = layout.boards[number]
                drawn = board.pattern_of.get(function_of(fact))
                if drawn is not None and word in drawn.content_of(words_of(fact)):
                    found.append(BoardCell(number, drawn.key_of(words_of(fact))))
    return found


def _line_of(
    layout: BoardLayout, pattern: MovePattern, words: tuple[str, ...]
) -> tuple[BoardCell, ...]:
    """The cells of the columns or rows that a move names without naming a whole place."""
    wanted: dict[int, dict[int, str]] = {}
    for i, word in enumerate(words):
        for number, position in (pattern.places[i] or ())[:1]:
            wanted.setdefault(number, {})[position] = word
    return tuple(
        BoardCell(number, place.key)
        for number, words_at in wanted.items()
        for place in layout.boards[number].places
        if _matches(layout.boards[number], place.key, words_at)
    )


def _matches(board: Board, key: tuple[str, ...], words_at: dict[int, str]) -> bool:
    return all(p < board.key_length and key[p] == word for p, word in words_at.items())
