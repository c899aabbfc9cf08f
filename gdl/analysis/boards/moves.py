"""Moves on boards: which places a move names, so that it can be made by pointing at them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from gdl.analysis.boards.layout import Board, BoardLayout, MovePattern, function_of, words_of
from gdl.language import Term
from gdl.state_machine import State, StateMachine

Outcome: TypeAlias = Callable[[Term], Iterable[Term] | None]
"""Gives the facts after a move; None where that is not known."""


class BoardCell(NamedTuple):
    """A place on a board: the board's index in the layout, and the place's key."""

    board: int
    key: tuple[str, ...]


def cells_of_move(
    layout: BoardLayout,
    move: Term,
    state: Iterable[Term] = (),
    outcome: Outcome | None = None,
) -> tuple[BoardCell, ...]:
    """Return the cells that a move names, in its order: from, to, placed.

    A move that names only a column or a row has all its cells. With a ``state``, a move that names
    no place but a piece by its word has the cells where that lies; where it names one piece, and
    the ``outcome`` is known, those that it leaves, or where it leaves none, those where it comes to
    lie. Empty where the move names nothing on a board.
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
    if found:
        return tuple(found)
    if line := _line_of(layout, pattern, words):
        return line
    pieces = _pieces_named(pattern, words)
    if not pieces:
        return ()
    facts = frozenset(state)
    lies = list(_places_of(layout, pieces, sorted(facts, key=str)))
    after = outcome(move) if outcome is not None and len(pieces) == 1 else None
    if after is None:
        return tuple(dict.fromkeys(cell for _, cell in lies))
    later = frozenset(after)
    left = [cell for fact, cell in lies if fact not in later]
    comes = _places_of(layout, pieces, sorted(later - facts, key=str))
    return tuple(dict.fromkeys(left or (cell for _, cell in comes)))


def state_after(machine: StateMachine, state: State, move: Term) -> State | None:
    """Return the state after a move, for which all others make their first; None if it is illegal.

    If several roles may make it, the first of them does.
    """
    legal = [machine.legal_moves(state, role) for role in machine.roles]
    mover = next((number for number, moves in enumerate(legal) if move in moves), None)
    if mover is None or not all(legal):
        return None
    joint_move = [move if number == mover else moves[0] for number, moves in enumerate(legal)]
    return machine.next_state(state, joint_move)


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
            ends = (board.far_corners.get((word, key)) for word in words)
            return size, [BoardCell(number, each) for each in (key, *filter(None, ends))]
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


def _pieces_named(
    pattern: MovePattern, words: tuple[str, ...]
) -> list[tuple[tuple[int, ...], str]]:
    """The words of a move that are a piece, and no place, each with the boards that have it."""
    named = zip(pattern.contents, pattern.places, words, strict=True)
    return [(numbers, word) for numbers, places, word in named if numbers and not places]


def _places_of(
    layout: BoardLayout, pieces: list[tuple[tuple[int, ...], str]], facts: Collection[Term]
) -> Iterator[tuple[Term, BoardCell]]:
    """Yield the facts that have one of these pieces, each with its place."""
    for numbers, word in pieces:
        for fact in facts:
            for number in numbers:
                drawn = layout.boards[number].pattern_of.get(function_of(fact))
                if drawn is not None and word in drawn.content_of(words_of(fact)):
                    yield fact, BoardCell(number, drawn.key_of(words_of(fact)))


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
