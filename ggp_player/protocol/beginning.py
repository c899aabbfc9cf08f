"""What a message is about, read from its beginning alone, whatever its dialect is.

So a request that is answered ``busy`` whatever else is in it costs next to nothing, and so does the
question whether it may change a match. Apart from the dialects, which read whole messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, takewhile

from gdl.language import Notation
from ggp_player.errors import ProtocolError
from ggp_player.protocol import infix
from ggp_player.protocol.lexer import is_word, tokens
from ggp_player.protocol.messages import CHANGING_COMMANDS

BEGINNING_CHARACTERS = 4096
"""How much of a message :func:`beginning_of` reads."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The command of a message in upper case, and the match id if one comes next.

    Both are empty where they do not stand among the first :data:`BEGINNING_CHARACTERS`.
    """

    command: str = ""
    match_id: str = ""


def notation_of_message(text: str) -> Notation:
    """Tell the notation in which a message is written: infix begins with a command and ``(``."""
    return Notation.INFIX if infix.command_in(text) is not None else Notation.KIF


def beginning_of(text: str) -> Beginning:
    """Read what a message is about, in a time that does not grow with it, and without checks."""
    if (head := infix.command_in(text)) is not None:
        return Beginning(head.command, _infix_match_id(text, head))
    first = _words_at_beginning(text, 3)
    words = first[1:] if first[:1] == ["("] else first[:1]
    command, match_id = [*takewhile(is_word, words), "", ""][:2]
    return Beginning(command.upper(), match_id)


def may_change_a_match(text: str) -> bool:
    """Check whether a message may begin, go on with or end a match; a long one always may."""
    is_long = len(text) > BEGINNING_CHARACTERS
    return is_long or beginning_of(text).command in CHANGING_COMMANDS


def _infix_match_id(text: str, head: infix.Head) -> str:
    try:
        first = next(infix.arguments(text[:BEGINNING_CHARACTERS], head.opening), None)
        return "" if first is None else infix.word(first)
    except ProtocolError:
        return ""


def _words_at_beginning(text: str, count: int) -> list[str]:
    """Return the first words and parentheses; one that may be cut off is none of them."""
    found = list(islice(tokens(text[:BEGINNING_CHARACTERS]), count))
    if len(text) > BEGINNING_CHARACTERS and found and found[-1].end() == BEGINNING_CHARACTERS:
        found.pop()
    return [token.group() for token in found]
