"""Messages of the protocol: any text is a request or a sentence, and requests are read back."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import astuple
from random import Random

import gdl
from gdl.language import is_ground
from ggp_player.errors import ProtocolError
from ggp_player.protocol import (
    SYNTAXES,
    InfoReply,
    MatchRequest,
    Preview,
    Request,
    Start,
    Syntax,
    beginning_of,
    format_envelope,
    may_change_a_match,
    parse_envelope,
    parse_request,
    spaced,
)
from ggp_player.protocol.dialects import BEGINNING_CHARACTERS
from ggp_player.worker.fallback_moves import move_legal_by_facts
from tests.fuzz.mutators import mutate_expressions
from tests.fuzz.target import Target

SEEDS = (
    b"( INFO )",
    b"(ping) more",
    b"( PREVIEW (( role x ) ) -1 )",
    b"( START m.1 x (( role x ) ( init a ) (<= (legal x go) (true a)) ) 10 3)",
    b"(start m x ((role x) ; :-)\n) 010 +3 extra (arguments))",
    b"( PLAY m.1 NIL )",
    b"( PLAY m.1 (( mark 1 1 ) noop ) )",
    b'(play m (a. b:-c (f \xc3\xa9 "x" (g ?))))',
    b"( STOP m.1 (noop ( mark 1 1 ) ) )",
    b"(stop id left)",
    b"(PLAY m.1 0 NIL NIL)",
    b"(PLAY m.1 3 (MARK 1 1) ((DID RED NOOP) SEEN ))",
    b"(STOP m.1 4 NIL ())",
    b"info()",
    b"start(m1,x,{role(x),init(a),legal(x,go) :- true(a) & ~b | c},10,3)",
    b'start("M-1",x,[role(x) % all, (\n init("A").\n],10,3,more)',
    b"play(m1,[mark(1, 1),noop])",
    b'sees(m1,{(a),f(+1,"X")})',
    b"stop(m1,nil)",
    b"message(17,manager,play(m1,{mark(1,1),noop}))",
    b"info(name(x),status(available))",
    b"( ABORT m.1 )",
    b"( ( name x ) ( status available ) ( species alien (a b) ) )",
    b"busy",
    b"\xef\xbb\xbf(info)\x00",
)


def check(data: bytes) -> None:
    """Check everything that reads a message, or a part of one."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    _check_request(text)
    for syntax in SYNTAXES.values():
        _check_info_reply(text, syntax)
        _check_move(text, syntax)
    _check_envelope(text)
    assert spaced(spaced(text)) == spaced(text)


def _check_request(text: str) -> None:
    beginning = beginning_of(text)
    try:
        request = parse_request(text)
    except ProtocolError as error:
        assert 0 <= error.offset <= len(text)
        assert str(error)
        return
    if len(text) <= BEGINNING_CHARACTERS and beginning.command:
        assert beginning.command == type(request).__name__.upper()
        assert getattr(request, "match_id", beginning.match_id) == beginning.match_id
    if isinstance(request, MatchRequest):
        assert may_change_a_match(text)
    for syntax in SYNTAXES.values():
        _check_written(request, syntax)
    _read_rules(request)


def _check_written(request: Request, syntax: Syntax) -> None:
    """Check that what a dialect can write of a request says the same again."""
    is_nonsense = isinstance(request, Start | Preview) and not _are_rules(request.rules)
    if is_nonsense or getattr(request, "word", "").startswith("?"):
        return
    try:
        text = syntax.format_request(request)
    except ValueError:
        return
    again = parse_request(text)
    assert type(again) is type(request)
    if not isinstance(request, Start | Preview):
        with suppress(ValueError):  # what reads as moves may be percepts there
            assert parse_request(syntax.format_request(again)) == again


def _are_rules(text: str) -> bool:
    try:
        gdl.parse(text)
    except gdl.GdlError:
        return False
    return True


def _check_envelope(text: str) -> None:
    try:
        envelope = parse_envelope(text)
    except ProtocolError as error:
        assert 0 <= error.offset <= len(text)
        return
    assert parse_envelope(format_envelope(envelope)) == envelope


def _read_rules(request: Request) -> None:
    """Do with the rules what a match does before it evaluates any."""
    if isinstance(request, Start | Preview):
        with suppress(gdl.GdlError):
            ruleset = gdl.parse(request.rules)
            move_legal_by_facts(ruleset, getattr(request, "role", "x"))


def _check_info_reply(text: str, syntax: Syntax) -> None:
    try:
        reply = syntax.parse_info_reply(text)
    except ProtocolError as error:
        assert 0 <= error.offset <= len(text)
        return
    assert isinstance(reply, InfoReply)
    has_blanks = any(len(value.split()) > 1 for value in astuple(reply))
    assert has_blanks or syntax.parse_info_reply(syntax.format_info_reply(reply)) == reply


def _check_move(text: str, syntax: Syntax) -> None:
    try:
        move = syntax.parse_move(text)
    except gdl.GdlSyntaxError as error:
        assert str(error)
        return
    if is_ground(move):
        assert syntax.parse_move(syntax.format_move(move)) == move


def mutate(data: bytes, random: Random) -> bytes:
    """Change expressions of a message."""
    return mutate_expressions(data, random)


TARGET = Target("messages", check, lambda: SEEDS, mutate, seconds=1.0, max_bytes=8192)
