"""The prefix dialect: messages as expressions in KIF, as ggp-base and Tiltyard send them.

Dresden's game manager for GDL-I sends the same in upper case. :func:`format_request` writes the
text of ggp-base's game manager, blank for blank, and :func:`parse_request` reads it back::

    >>> request = parse_request("(play m1 ((mark 1 1) noop))")
    >>> request.match_id, [str(move) for move in request.moves]
    ('m1', ['(mark 1 1)', 'noop'])
    >>> format_request(request)
    '( PLAY m1 (( mark 1 1 ) noop ) )'

Other managers and course tools are less exact, and are understood too: commands in any case, any
white space, comments, further arguments of START, text after the expression, a command without
parentheses, and a message without anything in it, which asks for INFO.

Messages can have half a million characters, nearly all of them rules. Splitting one is a single
linear pass over its parentheses, which leaves the rules as text.

Another dialect is another file like this one. Managers for GDL-II also write in KIF, but send
PLAY and STOP with a turn, a move and percepts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from types import MappingProxyType

import gdl
from gdl.language import is_ground
from ggp_player.errors import ProtocolError
from ggp_player.protocol.lexer import Item, is_word, items_of, items_of_message, tokens
from ggp_player.protocol.messages import (
    CHANGING_COMMANDS,
    COMMANDS,
    NIL,
    Abort,
    Info,
    InfoReply,
    Ping,
    Play,
    Preview,
    Request,
    Start,
    Stop,
)
from ggp_player.protocol.plain_terms import plain_term

MAX_MOVES_CHARACTERS = 2**16
"""The longest list of moves that is read; joint moves have some hundred characters."""

MAX_MATCH_ID_CHARACTERS = 1000
"""The longest match id that is read; those of known managers have less than a hundred."""

BEGINNING_CHARACTERS = 4096
"""How much of a message :func:`beginning_of` reads."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The command of a message in upper case, and the match id if one comes next.

    Both are empty where they do not stand among the first :data:`BEGINNING_CHARACTERS`.
    """

    command: str = ""
    match_id: str = ""


def beginning_of(text: str) -> Beginning:
    """Read what a message is about, in a time that does not grow with it, and without checks."""
    first = list(islice(_words_at_beginning(text), 3))
    words = first[1:] if first[:1] == ["("] else first[:1]
    command, match_id = [*takewhile(is_word, words), "", ""][:2]
    return Beginning(command.upper(), match_id)


def may_change_a_match(text: str) -> bool:
    """Check whether a message may begin, go on with or end a match; a long one always may."""
    is_long = len(text) > BEGINNING_CHARACTERS
    return is_long or beginning_of(text).command in CHANGING_COMMANDS


def _words_at_beginning(text: str) -> Iterator[str]:
    """Yield the first words and parentheses; one that may be cut off is none of them."""
    is_cut = len(text) > BEGINNING_CHARACTERS
    for token in tokens(text[:BEGINNING_CHARACTERS]):
        if not (is_cut and token.end() == BEGINNING_CHARACTERS):
            yield token.group()


def parse_request(text: str) -> Request:
    """Parse one request. Raises :class:`ProtocolError` saying what was expected, and where."""
    items = items_of_message(text)
    if not items:
        return Info()
    command, *arguments = items
    name = command.text.upper()
    if name not in COMMANDS:
        known = ", ".join(COMMANDS)
        raise ProtocolError(command.start, f"expected one of {known}, found {command}")
    return _PARSERS[COMMANDS[name]](_Arguments(name, arguments, len(text)))


def format_request(request: Request) -> str:
    """Write a request as ggp-base's game manager does."""
    match request:
        case Info():
            return "( INFO )"
        case Ping():
            return "( PING )"
        case Preview(rules, clock):
            return f"( PREVIEW {_rules_list(rules)} {clock} )"
        case Start(match_id, role, rules, start_clock, play_clock):
            clocks = f"{start_clock} {play_clock}"
            return f"( START {match_id} {role} {_rules_list(rules)} {clocks})"
        case Play(match_id, moves, word):
            return f"( PLAY {match_id} {_moves_list(moves, word)} )"
        case Stop(match_id, moves, word):
            return f"( STOP {match_id} {_moves_list(moves, word)} )"
        case Abort(match_id):
            return f"( ABORT {match_id} )"


def parse_info_reply(text: str) -> InfoReply:
    """Parse the reply to INFO as managers do: a bare word is the status, unknown keys are skipped.

    Raises :class:`ProtocolError` where the text is no KIF.
    """
    values: dict[str, str] = {}
    for item in items_of_message(text):
        if item.is_list:
            key, *words = [word.text for word in items_of(item.text, 0, item.start)] or [""]
            values[key.lower()] = "".join(words)
        else:
            values.setdefault("status", item.text)
    return InfoReply(values.get("name", ""), values.get("status", ""), values.get("species", ""))


def format_info_reply(reply: InfoReply) -> str:
    """Write the reply to INFO; a key without a value is left out."""
    pairs = {"name": reply.name, "status": reply.status, "species": reply.species}
    return f"( {' '.join(f'( {key} {value} )' for key, value in pairs.items() if value)} )"


def parse_move(text: str) -> gdl.Term:
    """Parse a move, a term in KIF. Raises :class:`gdl.GdlSyntaxError`.

    A word is taken as it stands: ``a.`` is a name here, whatever it may be in another notation.
    """
    if is_word(text) and not text.startswith("?"):
        return gdl.Constant(text)
    term = plain_term(text)
    return gdl.parse_term(text) if term is None else term


def spaced(kif: str) -> str:
    """Put one blank around every parenthesis, as ggp-base prints terms and rules.

    Comments are left out.

    >>> spaced("(<= (legal ?r noop)(role ?r)) ; anybody")
    '( <= ( legal ?r noop ) ( role ?r ) )'
    """
    return " ".join(token.group() for token in tokens(kif))


def _rules_list(rules: str) -> str:
    # A comment would swallow the closing parenthesis if no line end came between them.
    return f"({rules}\n)" if ";" in rules else f"({rules} )"


def _moves_list(moves: Sequence[gdl.Term], word: str) -> str:
    return f"({''.join(f'{spaced(str(move))} ' for move in moves)})" if moves else word


# ---------------------------------------------------------------------- commands


class _Arguments:
    """The items after a command, taken one by one, each with what it is expected to be."""

    def __init__(self, command: str, items: Sequence[Item], end: int) -> None:
        self._command = command
        self._items = list(items)
        self._end = end

    def __bool__(self) -> bool:
        return bool(self._items)

    def take(self, what: str) -> Item:
        if not self._items:
            sentence = f"expected {what} in {self._command}, found the end of the message"
            raise ProtocolError(self._end, sentence)
        return self._items.pop(0)

    def word(self, what: str) -> str:
        item = self.take(what)
        if item.is_list:
            raise ProtocolError(item.start, f"expected {what} in {self._command}, found {item}")
        return item.text

    def match_id(self) -> str:
        match_id = self.word("a match id")
        if len(match_id) > MAX_MATCH_ID_CHARACTERS:
            sentence = f"the match id has {len(match_id)} characters"
            raise ProtocolError(
                self._end, f"{sentence}; at most {MAX_MATCH_ID_CHARACTERS} are read"
            )
        return match_id

    def seconds(self, what: str) -> int:
        item = self.take(what)
        if not re.fullmatch(r"[+-]?\d{1,9}", item.text, re.ASCII):
            sentence = f"expected {what} in {self._command}, a whole number of seconds"
            raise ProtocolError(item.start, f"{sentence}, found {item}")
        return int(item.text)

    def rules(self) -> str:
        item = self.take("the rules")
        if not item.is_list:
            sentence = f"expected the rules in {self._command}, a list in parentheses"
            raise ProtocolError(item.start, f"{sentence}, found {item}")
        return item.text[1:-1].strip()

    def moves(self) -> tuple[tuple[gdl.Term, ...], str]:
        """Take the moves, and the word sent instead of them; a missing list means no moves yet."""
        if not self:
            return (), NIL
        item = self.take("the moves")
        if not item.is_list:
            return (), item.text
        if len(item.text) > MAX_MOVES_CHARACTERS:
            sentence = f"the list of moves has {len(item.text)} characters"
            raise ProtocolError(item.start, f"{sentence}; at most {MAX_MOVES_CHARACTERS} are read")
        return tuple(_move(move) for move in items_of(item.text, 0, item.start)), NIL


def _move(item: Item) -> gdl.Term:
    try:
        move = parse_move(item.text)
    except gdl.GdlSyntaxError as error:
        problem = error.problems[0]
        sentence = f"expected a move, found {item}: {problem.message}"
        raise ProtocolError(item.start + problem.span[0], sentence) from error
    if not is_ground(move):
        raise ProtocolError(item.start, f"expected a move without variables, found {item}")
    return move


def _parse_preview(arguments: _Arguments) -> Preview:
    return Preview(arguments.rules(), arguments.seconds("the preview clock"))


def _parse_start(arguments: _Arguments) -> Start:
    return Start(
        arguments.match_id(),
        arguments.word("a role"),
        arguments.rules(),
        arguments.seconds("the start clock"),
        arguments.seconds("the play clock"),
    )


_PARSERS: Mapping[type[Request], Callable[[_Arguments], Request]] = MappingProxyType(
    {
        Info: lambda _: Info(),
        Ping: lambda _: Ping(),
        Preview: _parse_preview,
        Start: _parse_start,
        Play: lambda arguments: Play(arguments.match_id(), *arguments.moves()),
        Stop: lambda arguments: Stop(arguments.match_id(), *arguments.moves()),
        Abort: lambda arguments: Abort(arguments.match_id()),
    }
)
"""What reads the arguments of each command."""
