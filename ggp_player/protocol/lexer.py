"""The lexer of messages: it splits one into its items by parentheses and parses none of them.

Messages come from strangers and can have megabytes: this is one pass over the text, and an
innermost list, such as ``(cell 1 1 b)``, is a single step of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from gdl.language import COMMENT, WORD
from ggp_player.errors import ProtocolError

MAX_ITEMS = 64
"""How many items of a message are read; START, which has the most, has six."""

MAX_NESTING = 1000
"""The deepest nesting of parentheses that is followed; the deepest known game has 25."""

_TOKEN = re.compile(rf"{COMMENT}|[()]|{WORD.pattern}")
_NESTING = re.compile(rf"{COMMENT}|\([^();]*+\)|[()]")


@dataclass(frozen=True, slots=True)
class Item:
    """A word, or a list with its parentheses, exactly as in the message."""

    text: str
    start: int

    @property
    def is_list(self) -> bool:
        """Whether this is a list and not a word."""
        return self.text.startswith("(")

    def __str__(self) -> str:
        return f"'{self.text}'" if len(self.text) <= 40 else f"'{self.text[:37]}...'"


def tokens(text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """Yield parentheses and words from ``start`` on, without the comments."""
    return (token for token in _TOKEN.finditer(text, start) if not token.group().startswith(";"))


def is_word(text: str) -> bool:
    """Check whether the text is a single word, with nothing around it."""
    return WORD.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Check whether the text is a single word, and no variable."""
    return is_word(text) and not text.startswith("?")


def items_of_message(text: str) -> list[Item]:
    """List the items of the first expression in a message; a lone word is its only item.

    What comes after the expression is ignored. Raises :class:`ProtocolError` where the expression
    has no end.
    """
    first = next(tokens(text), None)
    if first is None:
        return []
    if first.group() == "(":
        return list(islice(items_of(text, first.start(), 0), MAX_ITEMS))
    if first.group() == ")":
        raise ProtocolError(first.start(), "expected '(' and a command, found ')'")
    return [Item(first.group(), first.start())]


def items_of(text: str, opening: int, offset: int) -> Iterator[Item]:
    """Yield the items of the list that opens at ``opening``; ``offset`` is added to positions."""
    at = opening + 1
    while True:
        token = next(tokens(text, at), None)
        if token is None:
            raise ProtocolError(offset + len(text), _unclosed(offset + opening))
        start, at = token.span()
        if token.group() == ")":
            return
        if token.group() == "(":
            at = _closing(text, start, offset) + 1
        yield Item(text[start:at], offset + start)


def _closing(text: str, opening: int, offset: int) -> int:
    """Find where the list that opens at ``opening`` is closed. Innermost lists are one step."""
    depth = 0
    for token in _NESTING.finditer(text, opening):
        found = token.group()
        if found == "(":
            depth += 1
            if depth > MAX_NESTING:
                sentence = f"parentheses are nested deeper than {MAX_NESTING} levels"
                raise ProtocolError(offset + token.start(), sentence)
        elif found == ")":
            depth -= 1
        if depth == 0:
            return token.end() - 1
    raise ProtocolError(offset + len(text), _unclosed(offset + opening))


def _unclosed(opening: int) -> str:
    return f"expected ')' for the '(' at character {opening + 1}, found the end of the message"
