"""Requests as the server's front reads them: what it passes on is HTTP, whatever came."""

from __future__ import annotations

import asyncio
from functools import cache
from ipaddress import ip_network
from unittest.mock import Mock

from aiohttp.http_parser import HttpRequestParser

from ggp_player.front.admission import Admission
from ggp_player.front.front import MAX_LINE
from ggp_player.front.request_reader import HttpRequest, Refusal, RequestReader
from ggp_player.server.access import AccessRules, message_in
from tests.fuzz.http_inputs import SEEDS, mutate
from tests.fuzz.target import Target

RULES = (
    AccessRules(),
    AccessRules(token="0123456789abcdef", hosts=frozenset({"a.example"}), get_changes=True),
    AccessRules(networks=(ip_network("192.0.2.0/24"),), origins=frozenset({"http://a.example"})),
)


def check(data: bytes) -> None:
    """Read the bytes in several ways, and pass on what is admitted."""
    size, data = (data[:1] or b"\1")[0] % 16 + 1, data[1:]
    whole, pieces = RequestReader(), RequestReader()
    whole.receive(data)
    for at in range(0, len(data), size):
        pieces.receive(data[at : at + size])
    assert _outcome(whole) == _outcome(pieces)
    assert whole.may_be_whole == pieces.may_be_whole
    for reader in (whole, pieces):
        reader.end()
        assert (reader.request is None) != (reader.refusal is None)
    assert _outcome(whole) == _outcome(pieces)
    if whole.refusal is not None:
        assert bytes(whole.refusal).isascii()
    if whole.request is not None:
        _pass_on(whole.request)


def _outcome(reader: RequestReader) -> tuple[HttpRequest | None, Refusal | None]:
    return reader.request, reader.refusal


def _pass_on(request: HttpRequest) -> None:
    for rules in RULES:
        for address in ("127.0.0.1", "192.0.2.7", "::1", ""):
            verdict = rules.check(request.head, address)
            if isinstance(verdict, Admission):
                message_in(verdict.head.target)
                _read_strictly(HttpRequest(verdict.head, request.body))


def _read_strictly(request: HttpRequest) -> None:
    """Have aiohttp's own parser read what it is passed, and compare."""
    data = bytes(request)
    parser = HttpRequestParser(
        Mock(), _loop(), 2**16, max_line_size=MAX_LINE, max_field_size=MAX_LINE
    )
    messages, _, _ = parser.feed_data(data)
    assert len(messages) == 1
    message, body = messages[0]
    assert _loop().run_until_complete(body.read()) == request.body
    assert (message.method, message.path) == (request.head.method, request.head.target)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


TARGET = Target("http-requests", check, lambda: SEEDS, mutate, max_bytes=8192)
