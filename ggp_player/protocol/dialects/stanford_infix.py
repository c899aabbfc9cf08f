"""Dialect E: the notes of Stanford's course, about 2014 to 2017. Messages and rules in infix.

::

    info()
    start(m1,red,{role(red),legal(red,noop) :- true(free)},10,5)
    play(m1,nil)
    play(m1,{mark(1,1),noop})

Lists are written in braces, as the course's own programs read them;
:mod:`ggp_player.protocol.infix` reads others too.
The reply to INFO is a term, ``info(name(x),status(available))``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import gdl
from gdl.language import Notation, convert_text, infix_name
from ggp_player.errors import ProtocolError
from ggp_player.protocol import infix, prefix
from ggp_player.protocol.dialects.syntax import Dialect, Syntax
from ggp_player.protocol.messages import (
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

_STATEMENT = re.compile(r"\n(?=\S)")
_PAIR = re.compile(r'([A-Za-z]+)\(\s*("(?:[^"\\]|\\.)*+"|[^()\s"]*+)\s*\)', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class InfixSyntax(Syntax):
    """What the dialects in infix have in common."""

    notation = Notation.INFIX

    def parse_request(self, text: str) -> Request:
        """Parse a request in infix."""
        return infix.parse_request(text)

    def parse_info_reply(self, text: str) -> InfoReply:
        """Parse the reply to INFO: a word alone is the status. A reply in KIF is read too."""
        if text.lstrip().startswith("("):
            return prefix.parse_info_reply(text)
        if "(" not in text:
            return InfoReply(status=_plain(text))
        if not text.rstrip().endswith(")"):
            raise ProtocolError(len(text), "expected ')', found the end of the reply")
        pairs = {name.lower(): value for name, value in _PAIR.findall(text)}
        return InfoReply(*(_plain(pairs.get(key, "")) for key in ("name", "status", "species")))

    def format_info_reply(self, reply: InfoReply) -> str:
        """Write the reply to INFO; a key without a value is left out."""
        pairs = {"name": reply.name, "status": reply.status, "species": reply.species}
        written = (f"{key}({infix_name(value)})" for key, value in pairs.items() if value)
        return f"info({','.join(written)})"

    def parse_move(self, text: str) -> gdl.Term:
        """Parse a move in infix."""
        return infix.parse_move(text)

    def format_move(self, move: gdl.Term) -> str:
        """Write a move in infix."""
        return infix.format_term(move)

    def _format(self, request: Request) -> str:
        command = type(request).__name__.lower()
        return f"{command}({','.join(self._arguments(request))})"

    def _arguments(self, request: Request) -> tuple[str, ...]:
        match request:
            case Preview(rules, clock):
                return _rules(rules), str(clock)
            case Start(match_id, role, rules, start_clock, play_clock):
                names = infix_name(match_id), infix_name(role)
                return *names, _rules(rules), str(start_clock), str(play_clock)
            case Play() | Stop():
                return infix_name(request.match_id), self._step(request)
            case Abort(match_id):
                return (infix_name(match_id),)
            case _:
                return ()

    def _step(self, request: Play | Stop) -> str:
        if request.observation is not None:
            return _list(request.observation.percepts)
        if request.moves:
            return _list(request.moves)
        return NIL.lower() if request.word.upper() == NIL else infix_name(request.word)


class StanfordInfix(InfixSyntax):
    """Dialect E."""

    dialect = Dialect.STANFORD_INFIX
    messages = (Info, Ping, Start, Play, Stop, Abort)


STANFORD_INFIX = StanfordInfix()


def _list(terms: Sequence[gdl.Term]) -> str:
    return f"{{{','.join(map(infix.format_term, terms))}}}"


def _rules(text: str) -> str:
    """Write rules as a list of statements; where they cannot be read, as they are."""
    try:
        rules = gdl.parse(text).rules
    except gdl.GdlSyntaxError:
        return f"{{{text}\n}}"
    written = convert_text("\n".join(map(str, rules)), Notation.INFIX).strip()
    statements = (statement.strip() for statement in _STATEMENT.split(written))
    return f"{{{','.join(' '.join(one.split()).removesuffix('.') for one in statements)}}}"


def _plain(value: str) -> str:
    """A value without its quotes, and without blanks, as in other dialects."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = _ESCAPE.sub(r"\1", value[1:-1])
    return "".join(value.split())
