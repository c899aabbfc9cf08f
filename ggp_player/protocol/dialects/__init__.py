"""The dialects of the protocol: who speaks which, and which messages each has.

=======  ===============================  =======================================================
dialect  game managers                    file
=======  ===============================  =======================================================
A        ggp-base, Kiosk, Tiltyard        :mod:`.ggp_base`
B        Dresden, GDL-I                   :mod:`.dresden`
C        Dresden, GDL-II, 2013            :mod:`.dresden`
C'       Dresden, GDL-II, 2010            :mod:`.dresden`
D        Stanford, 2010 to 2013           :mod:`.stanford`
E        Stanford, about 2014 to 2017     :mod:`.stanford`
F        Stanford, 2018: players poll     :mod:`.stanford`
=======  ===============================  =======================================================

=======  ====  ====  =======  =====  ==================================  ====  =====
dialect  INFO  PING  PREVIEW  START  PLAY                                STOP  ABORT
=======  ====  ====  =======  =====  ==================================  ====  =====
A        x           x        x      joint move                          x     x
B                             x      joint move                          x
C                             x      turn, move made for us, percepts    x
C'                            x      percepts                            x
D        x     x              x      joint move                          x     x
E        x     x              x      joint move                          x     x
F        x     x     x        x      joint move, or SEES with percepts   x     x
=======  ====  ====  =======  =====  ==================================  ====  =====

A player is not told which it gets. It can tell the notation by how a message begins, and the rest
by its shape: :func:`parse_request` reads a message of any dialect. A match keeps the notation of
its START.

What a message is about is read from its beginning alone, whatever its dialect is
(:func:`beginning_of`). So a request that is answered ``busy`` whatever else is in it costs next to
nothing, and so does the question whether it may change a match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from types import MappingProxyType

from gdl.language import Notation
from ggp_player.errors import ProtocolError
from ggp_player.protocol import infix, prefix
from ggp_player.protocol.dialects.dresden import DRESDEN, DRESDEN_PERCEPTS, DRESDEN_TURNS
from ggp_player.protocol.dialects.ggp_base import GGP_BASE
from ggp_player.protocol.dialects.stanford import STANFORD_INFIX, STANFORD_POLLING, STANFORD_PREFIX
from ggp_player.protocol.dialects.syntax import Dialect, Syntax
from ggp_player.protocol.lexer import is_word, tokens
from ggp_player.protocol.messages import CHANGING_COMMANDS, COMMANDS, Request

_ALL: tuple[Syntax, ...] = (
    GGP_BASE,
    DRESDEN,
    DRESDEN_TURNS,
    DRESDEN_PERCEPTS,
    STANFORD_PREFIX,
    STANFORD_INFIX,
    STANFORD_POLLING,
)

SYNTAXES: Mapping[Dialect, Syntax] = MappingProxyType({syntax.dialect: syntax for syntax in _ALL})
"""How messages are written, for every dialect."""


def parse_request(text: str) -> Request:
    """Parse a request of any dialect, without its envelope. Raises :class:`ProtocolError`."""
    is_infix = notation_of_message(text) is Notation.INFIX
    return infix.parse_request(text) if is_infix else prefix.parse_request(text)


def reply_syntax(notation: Notation) -> Syntax:
    """How replies are written in a match, or to a message, of a notation."""
    return STANFORD_INFIX if notation is Notation.INFIX else GGP_BASE


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


def is_meant_as_message(text: str) -> bool:
    """Check for what a message has: a parenthesis, a command at its beginning, or nothing."""
    return not text.strip() or "(" in text or beginning_of(text).command in COMMANDS


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
