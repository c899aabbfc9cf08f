"""Dialects D, E and F: the managers of Stanford's course.

D, of its notes of 2010 to 2013. As ggp-base, with PING, in lower case::

    (ping)
    (start m1 red ((role red) ...) 10 5)
    (play m1 nil)
    (play m1 ((mark 1 1) noop))

E, of its notes of about 2014 to 2017. Messages and rules are in infix::

    info()
    start(m1,red,{role(red),legal(red,noop) :- true(free)},10,5)
    play(m1,nil)
    play(m1,{mark(1,1),noop})

Lists are written in braces, as the course's own programs read them;
:mod:`ggp_player.protocol.infix` reads others too.
The reply to INFO is a term, ``info(name(x),status(available))``.

F, of 2018. A player asks the manager for a message again and again, and sends it the reply; the
messages, in infix, are in an envelope::

    GET  URL?recipient=NAME                      message(17,manager,play(m1,{mark(1,1),noop}))
    POST URL?sender=NAME&recipient=manager&msgid=17

The reply is the body of the POST. Where there is no message, the body is empty. What the players of
that course read is the first two arguments of the envelope and the last: the message's number, its
sender, and the message. So there may be others between them, and the envelope's name does not
matter.

Besides those of dialect E there is ``sees(m1,{...})``, a PLAY that tells the role's percepts. STOP
has the same list where players get percepts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import gdl
from gdl.language import Notation, convert_text, infix_name
from ggp_player.errors import ProtocolError
from ggp_player.protocol import infix, prefix
from ggp_player.protocol.dialects.ggp_base import PrefixSyntax, kif_rules
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
_BEGINNING = re.compile(r"[\s\ufeff]*+[A-Za-z_]\w{0,63}\s*\(", re.ASCII)

MAX_NAME_CHARACTERS = 1000
"""The longest number or sender of a message that is read."""


class StanfordPrefix(PrefixSyntax):
    """Dialect D."""

    dialect = Dialect.STANFORD_PREFIX
    messages = (Info, Ping, Start, Play, Stop, Abort)

    def _format(self, request: Request) -> str:
        command = type(request).__name__.lower()
        match request:
            case Start(match_id, role, rules, start_clock, play_clock):
                rules = kif_rules(rules)
                # A comment would swallow the closing parenthesis if no line end came between.
                end = "\n)" if ";" in rules else ")"
                return f"({command} {match_id} {role} ({rules}{end} {start_clock} {play_clock})"
            case Play(match_id, moves, word) | Stop(match_id, moves, word):
                step = f"({' '.join(map(str, moves))})" if moves else word.lower()
                return f"({command} {match_id} {step})"
            case Abort(match_id):
                return f"({command} {match_id})"
            case _:
                return f"({command})"


STANFORD_PREFIX = StanfordPrefix()


class InfixSyntax(Syntax):
    """What the dialects in infix have in common."""

    parse_move = staticmethod(infix.parse_move)
    format_move = staticmethod(infix.format_term)

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


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message with what its reply has to say: which message it answers, and whose."""

    number: str
    sender: str
    message: str


class StanfordPolling(InfixSyntax):
    """Dialect F, without the envelope."""

    dialect = Dialect.STANFORD_POLLING
    messages = (Info, Ping, Preview, Start, Play, Stop, Abort)
    follows_rules = True

    def _can_tell(self, request: Play | Stop) -> bool:
        return True

    def _format(self, request: Request) -> str:
        text = super()._format(request)
        is_seen = isinstance(request, Play) and request.observation is not None
        return f"{infix.SEES.lower()}{text.removeprefix('play')}" if is_seen else text


STANFORD_POLLING = StanfordPolling()


def parse_envelope(text: str) -> Envelope:
    """Take a message out of its envelope. Raises :class:`ProtocolError`."""
    begin = _BEGINNING.match(text)
    if begin is None:
        raise ProtocolError(0, "expected message(number,sender,...)")
    items = list(infix.arguments(text, begin.end() - 1))
    if len(items) < 3:
        raise ProtocolError(begin.end(), "expected a number, a sender and a message")
    number, sender, message = infix.word(items[0]), infix.word(items[1]), items[-1]
    if not number or not sender or max(len(number), len(sender)) > MAX_NAME_CHARACTERS:
        raise ProtocolError(items[0].start, "expected a message's number and its sender")
    return Envelope(number, sender, message.text)


def format_envelope(envelope: Envelope) -> str:
    """Put a message in its envelope."""
    number, sender = infix_name(envelope.number), infix_name(envelope.sender)
    return f"message({number},{sender},{envelope.message})"
