"""The messages between game manager and player: text in, typed requests out. No I/O here.

A request is one expression in KIF. ``str`` of a request is the text that ggp-base's game manager
sends, blank for blank, and reads back as an equal request::

    >>> request = parse_request("(play m1 ((mark 1 1) noop))")
    >>> request.match_id, [str(move) for move in request.moves]
    ('m1', ['(mark 1 1)', 'noop'])
    >>> str(request)
    '( PLAY m1 (( mark 1 1 ) noop ) )'

The reading is made for the other managers and course tools too, which are not so exact: commands
in any case, any white space, comments, further arguments of START, text after the expression, a
command without parentheses, and a message without anything in it, which asks for INFO.

The rules of a START are left as text. They come from strangers and can have half a million
characters: splitting a message is one linear pass over its parentheses, and whoever reads the
rules does so where they can do no harm.

To understand another dialect, add its command to ``_READERS``, or let a reader look at how many
items it was given: managers for GDL-II send PLAY and STOP with a turn, a move and percepts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import gdl
from gdl.language import is_ground
from ggp_player.errors import ProtocolError
from ggp_player.protocol.lexer import Item, is_word, items_of, items_of_message, tokens

NIL = "NIL"
"""What stands in the place of the moves before there are any."""

READY = "ready"
BUSY = "busy"
DONE = "done"
ABORTED = "aborted"

MAX_MOVES_CHARACTERS = 2**16
"""The longest list of moves that is read; joint moves have some hundred characters."""


@dataclass(frozen=True, slots=True)
class Info:
    """The game manager asks who we are and whether we are free."""

    def __str__(self) -> str:
        return "( INFO )"


@dataclass(frozen=True, slots=True)
class Ping:
    """The game manager asks whether we are there."""

    def __str__(self) -> str:
        return "( PING )"


@dataclass(frozen=True, slots=True)
class Preview:
    """The game manager shows a rulesheet before any match; ``clock`` is in seconds."""

    rules: str
    clock: int

    def __str__(self) -> str:
        return f"( PREVIEW {_rules_list(self.rules)} {self.clock} )"


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins. ``rules`` is the rulesheet's text, the clocks are in seconds."""

    match_id: str
    role: str
    rules: str
    start_clock: int
    play_clock: int

    def __str__(self) -> str:
        rules = _rules_list(self.rules)
        return f"( START {self.match_id} {self.role} {rules} {self.start_clock} {self.play_clock})"


@dataclass(frozen=True, slots=True)
class Play:
    """A move is asked for. ``moves`` is the joint move of the last step, in role order.

    Before the first step ``moves`` is empty, and ``word`` is what stood in its place. A manager
    that is not exact sends a lone move there: in a game with one role, ``word`` can be a move.
    """

    match_id: str
    moves: tuple[gdl.Term, ...] = ()
    word: str = NIL

    def __str__(self) -> str:
        return f"( PLAY {self.match_id} {_moves_list(self.moves, self.word)} )"


@dataclass(frozen=True, slots=True)
class Stop:
    """The match is over; ``moves`` and ``word`` are as in :class:`Play`."""

    match_id: str
    moves: tuple[gdl.Term, ...] = ()
    word: str = NIL

    def __str__(self) -> str:
        return f"( STOP {self.match_id} {_moves_list(self.moves, self.word)} )"


@dataclass(frozen=True, slots=True)
class Abort:
    """The match is given up, wherever it stands."""

    match_id: str

    def __str__(self) -> str:
        return f"( ABORT {self.match_id} )"


Request: TypeAlias = Info | Ping | Preview | Start | Play | Stop | Abort


@dataclass(frozen=True, slots=True)
class InfoReply:
    """The reply to INFO. Schedulers give matches to a player whose status is ``available``.

    No value has a blank in it: managers leave blanks out.
    """

    name: str = ""
    status: str = ""
    species: str = ""

    def __str__(self) -> str:
        pairs = {"name": self.name, "status": self.status, "species": self.species}
        return f"( {' '.join(f'( {key} {value} )' for key, value in pairs.items() if value)} )"


def parse_request(text: str) -> Request:
    """Read one request. Raises :class:`ProtocolError` saying what was expected, and where."""
    items = items_of_message(text)
    if not items:
        return Info()
    command, *arguments = items
    reader = _READERS.get(command.text.lower())
    if reader is None:
        known = ", ".join(name.upper() for name in _READERS)
        raise ProtocolError(command.start, f"expected one of {known}, found {command}")
    return reader(_Arguments(command.text.upper(), arguments, len(text)))


def parse_info_reply(text: str) -> InfoReply:
    """Read the reply to INFO as managers do: a bare word is the status, unknown keys are skipped.

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


def parse_move(text: str) -> gdl.Term:
    """Read a move, a term in KIF. Raises :class:`gdl.GdlSyntaxError`.

    A word is taken as it stands: ``a.`` is a name here, whatever it may be in another notation.
    """
    is_name = is_word(text) and not text.startswith("?")
    return gdl.Constant(text) if is_name else gdl.parse_term(text)


def spaced(kif: str) -> str:
    """Return the text with one blank around every parenthesis, as ggp-base prints terms and rules.

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
        """Return the moves and the word in their place; a missing list is no moves yet."""
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


def _read_preview(arguments: _Arguments) -> Preview:
    return Preview(arguments.rules(), arguments.seconds("the preview clock"))


def _read_start(arguments: _Arguments) -> Start:
    return Start(
        arguments.word("a match id"),
        arguments.word("a role"),
        arguments.rules(),
        arguments.seconds("the start clock"),
        arguments.seconds("the play clock"),
    )


def _read_play(arguments: _Arguments) -> Play:
    return Play(arguments.word("a match id"), *arguments.moves())


def _read_stop(arguments: _Arguments) -> Stop:
    return Stop(arguments.word("a match id"), *arguments.moves())


_READERS: Mapping[str, Callable[[_Arguments], Request]] = MappingProxyType(
    {
        "info": lambda _: Info(),
        "ping": lambda _: Ping(),
        "preview": _read_preview,
        "start": _read_start,
        "play": _read_play,
        "stop": _read_stop,
        "abort": lambda arguments: Abort(arguments.word("a match id")),
    }
)
