"""The reader of prefix messages: expressions in KIF, as ggp-base, Dresden and Stanford write them.

They have one command each, in any case, and one reader for all prefix dialects, which tells them
apart by what follows::

    >>> request = parse_request("(play m1 ((mark 1 1) noop))")
    >>> request.match_id, [str(move) for move in request.moves]
    ('m1', ['(mark 1 1)', 'noop'])
    >>> request = parse_request("(PLAY m1 3 NOOP ((SEES HAND ACE) NOISE))")
    >>> request.turn, str(request.observation.move), len(request.observation.percepts)
    (3, 'NOOP', 2)

A PLAY or STOP of five elements has a turn, the move made for our role and our percepts. One of
three has a joint move, or percepts: the message does not say which, and they stand in ``moves``.

Managers and course tools are not exact, and are understood all the same: any white space, comments,
further arguments, text after the expression, a command without parentheses, and a message without
anything in it, which asks for INFO.

Messages can have half a million characters, nearly all of them rules. Splitting one is a single
linear pass over its parentheses, which leaves the rules as text.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

import gdl
from gdl.language import is_ground
from ggp_player.errors import ProtocolError
from ggp_player.protocol.lexer import Item, is_name, items_of, items_of_message, tokens
from ggp_player.protocol.messages import (
    COMMANDS,
    NIL,
    Abort,
    Info,
    InfoReply,
    Observation,
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

_TURN = re.compile(r"\d{1,9}", re.ASCII)


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
    return _PrefixArguments(name, arguments, len(text)).request()


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
    if is_name(text):
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


# ---------------------------------------------------------------------- commands


class Arguments(ABC):
    """The items after a command, taken one by one, each with what it is expected to be.

    ``end`` is the length of the message. Each method raises :class:`ProtocolError`.
    """

    def __init__(self, command: str, items: Iterable[Item], end: int) -> None:
        self._command = command
        self._items = list(items)
        self._end = end

    def request(self) -> Request:
        """Take all that a request of the command has; what follows is ignored."""
        match self._command.upper():
            case "INFO":
                return Info()
            case "PING":
                return Ping()
            case "PREVIEW":
                return self.preview()
            case "START":
                return self.start()
            case "STOP":
                return self.told(Stop)
            case "ABORT":
                return Abort(self.match_id())
            case _:
                return self.told(Play)

    @abstractmethod
    def start(self) -> Start:
        """Take a match id, a role, rules and two clocks."""

    @abstractmethod
    def preview(self) -> Preview:
        """Take rules and a clock."""

    @abstractmethod
    def told(self, kind: type[Play | Stop]) -> Play | Stop:
        """Take a match id, and what is told of the last step."""

    def take(self, what: str) -> Item:
        """Take the next item, whatever it is."""
        if not self._items:
            sentence = f"expected {what} in {self._command}, found the end of the message"
            raise ProtocolError(self._end, sentence)
        return self._items.pop(0)

    def word(self, what: str) -> str:
        """Take a word."""
        item = self.take(what)
        if not (found := self._word_in(item)):
            raise ProtocolError(item.start, f"expected {what} in {self._command}, found {item}")
        return found

    def _word_in(self, item: Item) -> str:
        return "" if item.is_list else item.text

    def match_id(self) -> str:
        """Take a match id."""
        match_id = self.word("a match id")
        if len(match_id) > MAX_MATCH_ID_CHARACTERS:
            sentence = f"the match id has {len(match_id)} characters"
            raise ProtocolError(
                self._end, f"{sentence}; at most {MAX_MATCH_ID_CHARACTERS} are read"
            )
        return match_id


class _PrefixArguments(Arguments):
    def start(self) -> Start:
        return Start(
            self.match_id(),
            self.word("a role"),
            self.rules(),
            self.seconds("the start clock"),
            self.seconds("the play clock"),
        )

    def preview(self) -> Preview:
        return Preview(self.rules(), self.seconds("the preview clock"))

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

    def told(self, kind: type[Play | Stop]) -> Play | Stop:
        """Take a match id, and the last step; where nothing is told of it, there was none yet."""
        match_id = self.match_id()
        if not self._items:
            return kind(match_id)
        turn = self._turn()
        if turn is not None:
            return kind(match_id, turn=turn, observation=self._observation())
        item = self.take("the moves")
        if not item.is_list:
            return kind(match_id, word=item.text)
        moves = _terms(item)
        return kind(match_id, moves) if moves else kind(match_id, observation=Observation())

    def _turn(self) -> int | None:
        """Take the turn, which is one only where two things follow it."""
        is_turn = len(self._items) > 2 and _TURN.fullmatch(self._items[0].text) is not None
        return int(self._items.pop(0).text) if is_turn else None

    def _observation(self) -> Observation | None:
        """Take the move made for us and our percepts; None where there was no step yet."""
        move, percepts = self.take("the last move"), self.take("the percepts")
        is_first = not percepts.is_list and move.text.upper() == NIL
        if is_first:
            return None
        own = None if move.text.upper() == NIL else _move(move)
        return Observation(own, _terms(percepts) if percepts.is_list else ())


def _terms(item: Item) -> tuple[gdl.Term, ...]:
    """Parse a list of moves or percepts."""
    check_length(item, "the list of moves")
    return tuple(_move(move) for move in items_of(item.text, 0, item.start))


def _move(item: Item) -> gdl.Term:
    return read_move(item, parse_move)


def check_length(item: Item, what: str) -> None:
    """Raise :class:`ProtocolError` for an item that is too long to be moves."""
    if len(item.text) > MAX_MOVES_CHARACTERS:
        sentence = f"{what} has {len(item.text)} characters"
        raise ProtocolError(item.start, f"{sentence}; at most {MAX_MOVES_CHARACTERS} are read")


def read_move(item: Item, parse: Callable[[str], gdl.Term], before: int = 0) -> gdl.Term:
    """Parse a move by ``parse``, whose problems count ``before`` characters more than the move.

    Raises :class:`ProtocolError` for what is none.
    """
    check_length(item, "a move")
    try:
        move = parse(item.text)
    except gdl.GdlSyntaxError as error:
        problem = error.problems[0]
        sentence = f"expected a move, found {item}: {problem.message}"
        raise ProtocolError(item.start + max(0, problem.span[0] - before), sentence) from error
    if not is_ground(move):
        raise ProtocolError(item.start, f"expected a move without variables, found {item}")
    return move
