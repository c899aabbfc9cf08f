"""The reader of infix messages, ``play(m1,[mark(1,1),noop])``, as Stanford's managers write them.

    >>> request = parse_request("play(m1,[mark(1,1),noop])")
    >>> request.match_id, [str(move) for move in request.moves]
    ('m1', ['(mark 1 1)', 'noop'])

Terms and rules are in the infix notation of :mod:`gdl.language.infix`. Lists stand in brackets,
braces or parentheses, and ``nil`` is an empty one; rules may also stand in quotes, or as they are,
between the role and the clocks. ``sees(m1,[...])`` asks for a move as PLAY does, and tells what our
role sees in place of the joint move.

As in prefix messages, splitting one is a single pass, and the rules stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import gdl
from gdl.language import Notation, infix_name, notation_of
from ggp_player.errors import ProtocolError
from ggp_player.protocol.lexer import MAX_NESTING, Item, is_name, is_word
from ggp_player.protocol.messages import (
    COMMANDS,
    NIL,
    Observation,
    Play,
    Preview,
    Request,
    Start,
    Stop,
)
from ggp_player.protocol.plain_terms import plain_infix_term
from ggp_player.protocol.prefix import Arguments, check_length, read_move

SEES = "SEES"
"""The command of a PLAY that tells what our role sees."""

MAX_ARGUMENTS = 2**16
"""The most arguments, or items of a list, that are read: rules can have a statement in each."""

_QUOTED = r'"(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*+"'
_COMMENT = r"%[^\r\n]*+"
_NAME_IN_QUOTES = re.compile(_QUOTED)
_HEAD = re.compile(rf"(?:[\s\ufeff]|{_COMMENT})*+([A-Za-z]{{1,16}})[ \t]*\(")
_NESTING = re.compile(rf'{_COMMENT}|{_QUOTED}|\([^()\[\]{{}}"%]*+\)|[()\[\]{{}},]')
_LIST = {"(": ")", "[": "]", "{": "}"}
_SECONDS = re.compile(r"[+-]?\d{1,9}", re.ASCII)
_WORD = re.compile(r'[^\s()\[\]{},"%;\x00-\x1f\x7f\ufeff]++')
_ESCAPE = re.compile(r"\\(.)")
_AROUND = "move("


@dataclass(frozen=True, slots=True)
class Head:
    """The command of a message, in upper case, and where its parenthesis opens."""

    name: str
    opening: int

    @property
    def command(self) -> str:
        """The command; that of ``sees`` is PLAY."""
        return Play.__name__.upper() if self.name == SEES else self.name


def command_in(text: str) -> Head | None:
    """Find the command that an infix message begins with; None where the text is none."""
    found = _HEAD.match(text)
    if found is None or (name := found[1].upper()) not in {*COMMANDS, SEES}:
        return None
    return Head(name, found.end() - 1)


def parse_request(text: str) -> Request:
    """Parse one request. Raises :class:`ProtocolError` saying what was expected, and where."""
    head = command_in(text)
    if head is None:
        names = ", ".join(name.lower() for name in (*COMMANDS, SEES))
        raise ProtocolError(0, f"expected one of {names} and its arguments in parentheses")
    items = arguments(text, head.opening)
    return _InfixArguments(head.name.lower(), items, len(text)).request()


def parse_move(text: str) -> gdl.Term:
    """Parse a move, a term in infix. Raises :class:`gdl.GdlSyntaxError`.

    A name alone is taken as it stands, as in prefix: ``or`` is one here.
    """
    plain = plain_infix_term(text)
    if plain is not None:
        return plain
    if text.startswith('"') and is_name(name := word(Item(text, 0))):
        return gdl.Constant(name)
    # As an argument, since a word alone would be read as KIF.
    around = gdl.parse_term(f"{_AROUND}{text}\n)")
    if not isinstance(around, gdl.Function) or len(around.args) != 1:
        span = (0, max(1, len(text)))
        problem = gdl.Problem(gdl.Severity.ERROR, "one-term", "expected exactly one term", span)
        raise gdl.GdlSyntaxError(gdl.Source(text, "<term>"), (problem,))
    return around.args[0]


def format_term(term: gdl.Term) -> str:
    """Write a ground term in infix, without blanks; names that need it are quoted."""
    if isinstance(term, gdl.Function):
        return f"{infix_name(term.name)}({','.join(map(format_term, term.args))})"
    return infix_name(str(term))


def word(item: Item) -> str:
    """The name that an argument is, without its quotes; empty where it is none."""
    if _NAME_IN_QUOTES.fullmatch(item.text):
        name = _ESCAPE.sub(r"\1", item.text[1:-1])
        return name if is_word(name) else ""
    return item.text if _WORD.fullmatch(item.text) else ""


def arguments(text: str, opening: int) -> Iterator[Item]:
    """Yield the arguments of the term or list that opens at ``opening``, without blanks around.

    Comments stay in them. Raises :class:`ProtocolError` where it is not closed.
    """
    start, depth, count = opening + 1, 0, 0
    for token in _NESTING.finditer(text, start):
        mark = token.group()[0] if token.end() - token.start() == 1 else ""
        if mark in _LIST:
            depth += 1
            if depth > MAX_NESTING:
                sentence = f"parentheses are nested deeper than {MAX_NESTING} levels"
                raise ProtocolError(token.start(), sentence)
        elif depth and mark in {")", "]", "}"}:
            depth -= 1
        elif not depth and mark in {",", ")", "]", "}"}:
            item = _item(text, start, token.start())
            if item.text or mark == ",":
                yield item
            if mark != ",":
                return
            start, count = token.end(), count + 1
            if count > MAX_ARGUMENTS:
                sentence = f"a term or list has more than {MAX_ARGUMENTS} arguments"
                raise ProtocolError(start, sentence)
    sentence = f"expected the end of what begins at character {opening + 1}"
    raise ProtocolError(len(text), f"{sentence}, found the end of the message")


def _item(text: str, start: int, end: int) -> Item:
    inside = text[start:end]
    stripped = inside.strip()
    return Item(stripped, start + len(inside) - len(inside.lstrip()) if stripped else start)


class _InfixArguments(Arguments):
    def _word_in(self, item: Item) -> str:
        return word(item)

    def start(self) -> Start:
        match_id, role = self.match_id(), self.word("a role")
        clocks = self._first_clock(2)
        rules = self._rules(clocks)
        start_clock, play_clock = (int(item.text) for item in self._items[clocks : clocks + 2])
        return Start(match_id, role, rules, start_clock, play_clock, Notation.INFIX)

    def preview(self) -> Preview:
        clock = self._first_clock(1)
        return Preview(self._rules(clock), int(self._items[clock].text))

    def told(self, kind: type[Play | Stop]) -> Play | Stop:
        """Take a match id, and moves; an empty list is one of percepts, ``nil`` is no step."""
        match_id = self.match_id()
        is_told = bool(self._items) and self._items[0].text.upper() != NIL
        terms = self._terms() if is_told else ()
        if self._command.upper() == SEES:
            return kind(match_id, observation=Observation(None, terms))
        seen = Observation() if is_told and not terms else None
        return kind(match_id, terms, observation=seen)

    def _terms(self) -> tuple[gdl.Term, ...]:
        first = self._items[0]
        items = _list_items(first) if _is_list(first) else self._items
        return tuple(read_move(item, parse_move, len(_AROUND)) for item in items)

    def _first_clock(self, number: int) -> int:
        """Find the first of so many clocks in a row, with the rules before them."""
        are_seconds = [_SECONDS.fullmatch(item.text) is not None for item in self._items]
        for at in range(1, len(are_seconds) - number + 1):
            if all(are_seconds[at : at + number]):
                return at
        sentence = f"expected the rules and then {'two clocks' if number > 1 else 'a clock'}"
        start = self._items[0].start if self._items else self._end
        raise ProtocolError(start, f"{sentence} in {self._command}, whole numbers of seconds")

    def _rules(self, end: int) -> str:
        """The rules as text, a statement a line where commas were between them."""
        items = self._items[:end]
        if len(items) > 1:
            return "\n".join(item.text for item in items)
        item = items[0]
        if _is_list(item):
            if notation_of(item.text[1:-1]) is Notation.KIF:
                return item.text[1:-1].strip()
            return "\n".join(one.text for one in arguments(item.text, 0) if one.text)
        return _unquoted(item.text)


def _unquoted(text: str) -> str:
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return _ESCAPE.sub(r"\1", text[1:-1]).strip() if is_quoted else text


def _is_list(item: Item) -> bool:
    return item.text[:1] in _LIST and item.text[-1:] == _LIST[item.text[0]]


def _list_items(item: Item) -> list[Item]:
    check_length(item, "the list of moves")
    return [Item(one.text, item.start + one.start) for one in arguments(item.text, 0)]
