"""Requests as game managers write them, and as nobody should: bytes in, one request out."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.front.request_reader import (
    MAX_CHUNKS,
    MAX_HEAD,
    MAX_HEADERS,
    MAX_MESSAGE,
    HttpRequest,
    RequestReader,
)

SIZED = "POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n"


def read(*packets: bytes, ends: bool = False) -> RequestReader:
    reader = RequestReader()
    for packet in packets:
        reader.receive(packet)
    if ends:
        reader.end()
    return reader


def body_of(*packets: bytes, ends: bool = False) -> bytes:
    request = read(*packets, ends=ends).request
    assert request is not None
    return request.body


def refusal_of(*packets: bytes, ends: bool = False) -> tuple[int, str]:
    reader = read(*packets, ends=ends)
    assert reader.refusal is not None
    assert reader.request is None
    return reader.refusal.status.value, reader.refusal.sentence


def characters_counted(text: str) -> bytes:
    return SIZED.format(len(text)).encode() + text.encode()


def bytes_counted(text: str, encoding: str = "utf-8") -> bytes:
    body = text.encode(encoding)
    return SIZED.format(len(body)).encode() + body


RULES = "(start m ŷou ((role ŷou) (legal ŷou gö) ; ½\n) 1 1)"

REQUESTS = {
    "ggp-base": (bytes_counted("( INFO )"), b"( INFO )"),
    "empty": (bytes_counted(""), b""),
    "UTF-8, bytes counted": (bytes_counted(RULES), RULES.encode()),
    "UTF-8, characters counted": (characters_counted(RULES), RULES.encode()),
    "Latin-1": (bytes_counted("(play m (é))", "latin-1"), "(play m (é))".encode("latin-1")),
    "HTTP/1.1 without Host": (b"POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\n(info)", b"(info)"),
    "no length": (
        b"POST / HTTP/1.0\r\n\r\n(play m (; )\n(a b) noop))\r\n",
        b"(play m (; )\n(a b) noop))",
    ),
    "chunks": (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"3;x=y\r\n(in\r\n3\r\nfo)\r\n0\r\nA: b\r\n\r\n",
        b"(info)",
    ),
    "more than it says": (b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(info)\r\n", b"(info)"),
    "line ends without returns": (b"\r\nPOST / HTTP/1.0\nContent-Length: 6\n\n(info)", b"(info)"),
    "blanks in an address": (b"GET /( INFO ) HTTP/1.0\r\n\r\n", b""),
}  # fmt: skip


@pytest.mark.parametrize("name", REQUESTS)
def test_what_managers_send(name: str) -> None:
    data, body = REQUESTS[name]
    assert body_of(data) == body


@given(st.sampled_from(sorted(REQUESTS)), st.lists(st.integers(0, 200)))
def test_packets_change_nothing(name: str, cuts: list[int]) -> None:
    data, body = REQUESTS[name]
    at = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    packets = [data[begin:end] for begin, end in pairwise(at)]
    assert read(*packets).request == read(data).request
    assert body_of(*packets) == body


def in_packets(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@given(st.binary(max_size=300), st.integers(1, 5), st.booleans())
def test_any_bytes_give_the_same_in_any_packets(tail: bytes, size: int, is_sized: bool) -> None:
    head = SIZED.format(40) if is_sized else "POST / HTTP/1.0\r\n\r\n"
    data = head.encode() + tail
    one, many = read(data), read(*in_packets(data, size))
    assert (one.request, one.refusal) == (many.request, many.refusal)
    assert one.may_be_whole == many.may_be_whole


@given(st.binary(max_size=300), st.integers(1, 5))
def test_any_head_gives_the_same_in_any_packets(data: bytes, size: int) -> None:
    one, many = read(data, ends=True), read(*in_packets(data, size), ends=True)
    assert (one.request, one.refusal) == (many.request, many.refusal)


@given(st.text(alphabet="aé½ŷ🎲 ()", max_size=60))
def test_both_ways_to_count_give_the_same(text: str) -> None:
    message = f"({text.count(')') * '('}{text}{text.count('(') * ')'})"
    assert body_of(characters_counted(message)) == message.encode()
    assert body_of(bytes_counted(message)) == message.encode()


@given(st.sampled_from(sorted(REQUESTS)))
def test_a_strict_parser_reads_what_is_passed_on(name: str) -> None:
    request = read(REQUESTS[name][0]).request
    assert request is not None
    again = read(bytes(request)).request
    assert again is not None
    assert again.body == request.body
    assert again.head.target == request.head.target
    assert again.head.target.isascii()
    assert " " not in again.head.target
    assert again.head.header("host") == "localhost"


def test_blanks_and_letters_beyond_ascii_in_an_address_are_escaped() -> None:
    reader = read("GET http://x/( PLAY ½ ) HTTP/1.1\r\n\r\n".encode())
    assert reader.head is not None
    assert reader.head.target == "/(%20PLAY%20%C2%BD%20)"


def test_only_the_beginning_of_an_address_can_name_a_server() -> None:
    for target in ("/a/http://x/b", "http://y/a/http://x/b"):
        head = read(f"GET {target} HTTP/1.0\r\n\r\n".encode()).head
        assert head is not None
        assert head.target == "/a/http://x/b"


def test_of_headers_with_one_name_the_first_is_passed_on() -> None:
    head = b"POST / HTTP/1.0\r\nContent-Type: a\r\nSender: x\r\ncontent-type: b\r\n"
    request = read(head + b"Content-Length: 0\r\n\r\n").request
    assert bytes(request or b"").count(b"content-type") == 1
    assert b"content-type: a\r\n" in bytes(request or b"")
    assert b"sender: x\r\n" in bytes(request or b"")


def test_headers_of_the_connection_are_not_passed_on() -> None:
    head = b"POST / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSender: x\r\n y\r\n"
    request = read(head + b"Content-Length: 0\r\n\r\n").request
    assert request is not None
    assert b"upgrade" not in bytes(request).lower()
    assert b"sender: x y\r\n" in bytes(request)


def test_silence_or_the_end_decides_where_the_bytes_do_not() -> None:
    assert read(b"POST / HTTP/1.0\r\n\r\n").may_be_whole
    assert body_of(b"POST / HTTP/1.0\r\n\r\n", ends=True) == b""
    assert body_of(b"POST / HTTP/1.0\r\n\r\ninfo", ends=True) == b"info"
    assert body_of(SIZED.format(99).encode() + b"(info)", ends=True) == b"(info)"
    unclosed = bytes_counted("(play é")
    assert read(unclosed).may_be_whole
    assert body_of(unclosed, ends=True) == "(play é".encode()
    assert not read(b"POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n(play").may_be_whole


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [
        (b"(info)", 400, "this is no HTTP"),
        (b"\x16\x03\x01\x02\x00", 400, "this is no HTTP"),
        (b"POST\r\n\r\n", 400, "the first line"),
        (b"PRI * HTTP/2.0\r\n\r\n", 505, "HTTP/2.0 is not spoken"),
        (b"POST / HTTP/1.0\r\nwhat\r\n\r\n", 400, "no header of HTTP"),
        (b"POST / HTTP/1.0\r\na: b\x00\r\n\r\n", 400, "no header of HTTP"),
        (b"POST / HTTP/1.0\r\nContent-Length: -1\r\n\r\n", 400, "Content-Length is no number"),
        (b"POST / HTTP/1.0\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\n", 400, "no number"),
        (b"POST / HTTP/1.0\r\nContent-Length: 99999999\r\n\r\n", 413, "has more than"),
        (b"POST / HTTP/1.0\r\nContent-Encoding: gzip\r\n\r\n", 415, "compressed"),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501, "only chunked"),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400, "size of a chunk"),
        (b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 2000, 400, "size"),
        (b"GET /" + b"a" * MAX_HEAD, 431, "the head of the request has more than"),
        (b"GET / HTTP/1.0\r\n" + b"a: b\r\n" * (MAX_HEADERS + 1) + b"\r\n", 431, "headers"),
    ],
)  # fmt: skip
def test_what_is_refused(data: bytes, status: int, words: str) -> None:
    assert refusal_of(data)[0] == status
    assert words in refusal_of(data)[1]
    assert refusal_of(*in_packets(data, 1)) == refusal_of(data)


def test_what_ends_too_early_is_refused() -> None:
    for data in (b"POST / HT", SIZED.format(9).encode() + b"(info"):
        assert refusal_of(data, ends=True) == (400, "the request ends before its end")


@pytest.mark.thorough
def test_bodies_beyond_the_bound_are_refused() -> None:
    packet = b"(" * 2**16
    unsized = [b"POST / HTTP/1.0\r\n\r\n", *[packet] * (MAX_MESSAGE // len(packet) + 1)]
    assert refusal_of(*unsized)[0] == 413
    head = b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert refusal_of(head, b"fffffff\r\n")[0] == 413
    assert refusal_of(head, b"1\r\na\r\n" * (MAX_CHUNKS + 1))[0] == 400


def test_a_refusal_is_a_whole_response() -> None:
    refusal = read(b"(info)").refusal
    assert refusal is not None
    head, body = bytes(refusal).split(b"\r\n\r\n")
    assert body.startswith(b"error: ")
    assert f"Content-Length: {len(body)}".encode() in head
    assert head.startswith(b"HTTP/1.0 400 Bad Request\r\n")


def test_what_comes_after_a_request_is_ignored() -> None:
    reader = read(bytes_counted("(info)"), b"POST / HTTP/1.0\r\n\r\n", ends=True)
    assert isinstance(reader.request, HttpRequest)
    assert reader.refusal is None
