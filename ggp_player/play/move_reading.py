"""Reads what a person types for a move: its name, number or text, or a part that only it has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdl import Term
from gdl.analysis.move_names import MoveNames
from ggp_player.errors import PlayError

SHOWN = 6
"""Moves that a sentence names."""


def have_numbers(names: MoveNames, legal_moves: Sequence[Term]) -> bool:
    """Whether moves can be chosen by number: not where a number alone is a column or a row."""
    words = map(names.word, names.names(legal_moves).values())
    return not any(word is not None and word.isdigit() for word in words)


def read_move(text: str, legal_moves: Sequence[Term], names: MoveNames | None = None) -> Term:
    """Return the legal move that a text means. Raises :class:`PlayError`, which says why not.

    Where a number is the name of a column or a row, it is not that of a move in the list.

    >>> from gdl import parse_term
    >>> moves = [parse_term(text) for text in ("(put a1)", "(put b2)", "noop")]
    >>> print(read_move("2", moves), read_move("PUT a1", moves), read_move("b", moves))
    (put b2) (put a1) (put b2)
    """
    wanted = _words(text)
    if not wanted:
        raise PlayError("type the number of a move, its text, or a part of it")
    names = names or MoveNames()
    number = text.strip()  # of more than int() takes off
    is_numbered, is_number = have_numbers(names, legal_moves), number.isdigit()
    if is_numbered and re.fullmatch(r"[0-9]{1,7}", number):
        if 1 <= int(number) <= len(legal_moves):
            return legal_moves[int(number) - 1]
    elif (named := names.parse(text, legal_moves)) is not None:
        return named
    called = names.names(legal_moves)
    known = [((_words(str(move)), _words(called[str(move)])), move) for move in legal_moves]
    for matches in (_is_same, _has_words, _has_part):
        if is_number and not is_numbered:
            break
        found = [move for texts, move in known if any(matches(wanted, words) for words in texts)]
        if len(found) == 1:
            return found[0]
        if found:
            listed = _listed([called[str(move)] for move in found])
            raise PlayError(f"that could be {len(found)} moves: {listed}")
    number = f"; the numbers are 1 to {len(legal_moves)}" if is_number and is_numbered else ""
    raise PlayError(f"no legal move is, or contains, {' '.join(wanted)[:80]}{number}")


def _words(text: str) -> list[str]:
    return text.lower().replace("(", " ").replace(")", " ").split()


def _is_same(wanted: list[str], words: list[str]) -> bool:
    return wanted == words


def _has_words(wanted: list[str], words: list[str]) -> bool:
    count = len(wanted)
    return any(words[i : i + count] == wanted for i in range(len(words) - count + 1))


def _has_part(wanted: list[str], words: list[str]) -> bool:
    return " ".join(wanted) in " ".join(words)


def _listed(moves: Sequence[str]) -> str:
    return ", ".join(moves[:SHOWN]) + (", …" if len(moves) > SHOWN else "")
