"""Messages of the protocol: any text is a request or a sentence, and requests are read back."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import gdl
from ggp_player.errors import ProtocolError
from ggp_player.protocol import (
    InfoReply,
    MatchRequest,
    Preview,
    Request,
    Start,
    beginning_of,
    format_info_reply,
    format_request,
    may_change_a_match,
    parse_info_reply,
    parse_move,
    parse_request,
    spaced,
)
from ggp_player.protocol.beginning import BEGINNING_CHARACTERS
from ggp_player.worker.always_legal import always_legal_move
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
    _check_info_reply(text)
    _check_move(text)
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
    assert parse_request(format_request(request)) == request
    _read_rules(request)


def _read_rules(request: Request) -> None:
    """Do with the rules what a match does before it evaluates any."""
    if isinstance(request, Start | Preview):
        with suppress(gdl.GdlError):
            ruleset = gdl.parse(request.rules)
            always_legal_move(ruleset, getattr(request, "role", "x"))


def _check_info_reply(text: str) -> None:
    try:
        reply = parse_info_reply(text)
    except ProtocolError as error:
        assert 0 <= error.offset <= len(text)
        return
    assert isinstance(reply, InfoReply)
    assert parse_info_reply(format_info_reply(reply)) == reply


def _check_move(text: str) -> None:
    try:
        move = parse_move(text)
    except gdl.GdlSyntaxError as error:
        assert str(error)
        return
    assert parse_move(str(move)) == move


def mutate(data: bytes, random: Random) -> bytes:
    """Change expressions of a message."""
    return mutate_expressions(data, random)


TARGET = Target("messages", check, lambda: SEEDS, mutate, seconds=1.0, max_bytes=8192)
