"""Reads what a person types for a move: its number, its text, or a part that only it has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdl import Term
from ggp_player.errors import PlayError

SHOWN = 6
"""Moves that a sentence names."""


def read_move(text: str, legal_moves: Sequence[Term]) -> Term:
    """Return the legal move that a text means. Raises :class:`PlayError`, which says why not.

    >>> from gdl import parse_term
    >>> moves = [parse_term(text) for text in ("(put a1)", "(put b2)", "noop")]
    >>> print(read_move("2", moves), read_move("PUT a1", moves), read_move("b", moves))
    (put b2) (put a1) (put b2)
    """
    wanted = _words(text)
    if not wanted:
        raise PlayError("type the number of a move, its text, or a part of it")
    if re.fullmatch(r"[0-9]{1,7}", text.strip()) and 1 <= int(text) <= len(legal_moves):
        return legal_moves[int(text) - 1]
    known = [(_words(str(move)), move) for move in legal_moves]
    for matches in (_is_same, _has_words, _has_part):
        found = [move for words, move in known if matches(wanted, words)]
        if len(found) == 1:
            return found[0]
        if found:
            raise PlayError(f"that could be {len(found)} moves: {_listed(found)}")
    number = f"; the numbers are 1 to {len(legal_moves)}" if text.strip().isdigit() else ""
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


def _listed(moves: Sequence[Term]) -> str:
    more = ", …" if len(moves) > SHOWN else ""
    return ", ".join(map(str, moves[:SHOWN])) + more
