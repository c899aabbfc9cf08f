"""Reads one HTTP request as game managers write it: bytes in, a request or a refusal out, no I/O.

A connection carries one request. Managers are older than HTTP libraries, and less strict; what the
standard would refuse is read in the one way that makes sense:

- Content-Length counts characters for some senders, and bytes for others. So a body that is UTF-8
  beyond ASCII, and whose parentheses are still open after so many *bytes*, goes on until it has so
  many *characters*.
- A POST without Content-Length has a body that ends with its first expression.
- The address in a GET line may have blanks in it; HTTP/1.1 may come without Host.

How the bytes are split into packets changes nothing. Where the end cannot be told from the bytes
alone, :attr:`RequestReader.may_be_whole` says so, and the caller decides by a short silence, or by
the end of the stream, to call :meth:`RequestReader.end`.

What is refused is refused before it is read: a head or body beyond its bound, and encodings that
would have to be inflated.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import MappingProxyType
from typing import Protocol
from urllib.parse import quote

MAX_MESSAGE = 8 * 2**20
"""Bytes of the longest message; rulesheets of half a million bytes exist."""

MAX_HEAD = 2**16
"""Bytes of request line and headers; a whole START can stand in the address of a GET."""

MAX_HEADERS = 100

MAX_CHUNKS = 4096
"""Chunks of a body that comes in chunks."""

_MAX_CHUNK_LINE = 1024
_MAX_DIGITS = 12

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_REQUEST_LINE = re.compile(
    rb"(?P<method>[A-Za-z]{1,16})[ \t]+(?P<target>.*?)(?:[ \t]+HTTP/(?P<version>\d\.\d))?[ \t]*"
)
_HEADER = re.compile(
    rb"(?P<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(?P<value>[^\0-\x08\x0a-\x1f\x7f]*)"
)
_ABSOLUTE = re.compile(r"https?://[^/]*", re.IGNORECASE)
_NESTING = re.compile(rb";[^\r\n]*|\([^();]*+\)|[()]")
_LINE_END = re.compile(rb"[\r\n]")
_CHUNK_SIZE = re.compile(rb"[ \t]*(?P<size>[0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?")

_SAFE_IN_TARGET = "!$%&'()*+,-./:;=?@_~"
_OF_THE_CONNECTION = frozenset(
    {"connection", "content-length", "expect", "host", "keep-alive", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
"""Headers about the connection, which are not passed on as they came."""


def response(
    status: HTTPStatus,
    body: bytes,
    content_type: str,
    headers: Mapping[str, str] = MappingProxyType({}),
    version: str = "1.0",
) -> bytes:
    """Write a whole response, after which the connection is closed."""
    lines = (
        f"HTTP/{version} {status.value} {status.phrase}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in headers.items()),
    )
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served: a status of HTTP, and a sentence for whoever sent it."""

    status: HTTPStatus
    sentence: str

    def __bytes__(self) -> bytes:
        """The whole response. Managers read its body as a reply, and it is not one of a player."""
        body = f"error: {self.sentence}".encode("ascii", "backslashreplace")
        return self.response(body, "text/acl")

    def response(self, body: bytes, content_type: str) -> bytes:
        """The whole response with a body of another kind."""
        return response(self.status, body, content_type)


class RefusedError(Exception):
    """Carries a refusal to where the reader notes it."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        self.refusal = Refusal(status, sentence)
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A request line with its headers, whose names are in lower case.

    ``target`` is the path with what follows it, every byte that is no visible ASCII escaped.
    """

    method: str
    target: str
    version: str
    headers: tuple[tuple[str, str], ...]

    def header(self, name: str) -> str:
        """The value of the first header of a name, empty where there is none."""
        return next((value for key, value in self.headers if key == name), "")


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A whole request; the body is what the sender meant, whatever length it gave."""

    head: RequestHead
    body: bytes

    def __bytes__(self) -> bytes:
        """The same request as the standard has it, for a strict parser."""
        head = self.head
        lines = [
            f"{head.method} {head.target} HTTP/{head.version}",
            f"host: {head.header('host') or 'localhost'}",
            "connection: close",
            f"content-length: {len(self.body)}",
        ]
        kept = dict(reversed(head.headers))  # the first of a name: strict parsers refuse others
        lines += [f"{name}: {kept[name]}" for name in kept if name not in _OF_THE_CONNECTION]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + self.body


@dataclass(frozen=True, slots=True)
class Reading:
    """How bodies are read: so many bytes at most.

    ``guesses``: a length may be missing, or count characters, as game managers send it. Otherwise
    it is in bytes, and a body without one is empty.
    """

    max_body: int = MAX_MESSAGE
    guesses: bool = True


_AS_MANAGERS_SEND = Reading()


class _Body(Protocol):
    """A body that is being received. ``is_whole`` is final; ``may_be_whole`` is a guess."""

    data: bytearray
    is_whole: bool

    @property
    def may_be_whole(self) -> bool: ...

    def receive(self, data: bytes) -> None: ...


class RequestReader:
    """Receives the bytes of one request.

    One of ``request`` and ``refusal`` is set as soon as it is certain, and ``head`` before; what is
    received after that is ignored.
    """

    def __init__(self, reading: Reading = _AS_MANAGERS_SEND) -> None:
        self._reading = reading
        self.head: RequestHead | None = None
        self.request: HttpRequest | None = None
        self.refusal: Refusal | None = None
        self._unread = bytearray()
        self._body: _Body | None = None

    @property
    def has_begun(self) -> bool:
        """Whether anything of a request has come."""
        return bool(self._unread) or self.head is not None

    @property
    def may_be_whole(self) -> bool:
        """Whether the request may be whole, if nothing more comes."""
        return self._body is not None and not self._is_settled and self._body.may_be_whole

    @property
    def held(self) -> int:
        """The bytes that are held of an unfinished body."""
        return 0 if self._body is None else len(self._body.data)

    @property
    def _is_settled(self) -> bool:
        return self.request is not None or self.refusal is not None

    def receive(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        if self._is_settled:
            return
        try:
            if self._body is None:
                data = self._receive_head(data)
            if self._body is not None:
                self._body.receive(data)
                self._settle(self._body.is_whole)
        except RefusedError as error:
            self.refusal = error.refusal

    def end(self) -> None:
        """Take it that nothing more comes: the request is whole, or it never will be."""
        if self._is_settled:
            return
        self._settle(self.may_be_whole)
        if self.request is None:
            self.refusal = Refusal(HTTPStatus.BAD_REQUEST, "the request ends before its end")

    def _settle(self, is_whole: bool) -> None:
        if is_whole and self.head is not None and self._body is not None:
            self.request = HttpRequest(self.head, bytes(self._body.data))

    def _receive_head(self, data: bytes) -> bytes:
        """Take bytes of the head, and return those that belong to the body."""
        searched = max(0, len(self._unread) - 3)
        self._unread += data
        if not self._unread[:1].isalpha():  # empty lines before a request are allowed
            del self._unread[: len(self._unread) - len(self._unread.lstrip(b"\r\n"))]
            searched = 0
        if self._unread and not self._unread[:1].isalpha():
            raise RefusedError(HTTPStatus.BAD_REQUEST, "this is no HTTP; a message is sent by POST")
        end = _HEAD_END.search(self._unread, searched)
        if (len(self._unread) if end is None else end.start()) > MAX_HEAD:
            sentence = f"the head of the request has more than {MAX_HEAD} bytes"
            raise RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, sentence)
        if end is None:
            return b""
        self.head = _parse_head(bytes(self._unread[: end.start()]))
        self._body = _new_body(self.head, self._reading)
        return bytes(self._unread[end.end() :])


def _parse_head(text: bytes) -> RequestHead:
    first, *lines = re.split(rb"\r?\n", re.sub(rb"\r?\n[ \t]+", b" ", text))
    line = _REQUEST_LINE.fullmatch(first)
    if line is None:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "the first line is no request of HTTP")
    version = (line["version"] or b"1.0").decode()
    if version not in {"1.0", "1.1"}:
        sentence = f"HTTP/{version} is not spoken here, HTTP/1.0 and HTTP/1.1 are"
        raise RefusedError(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, sentence)
    if len(lines) > MAX_HEADERS:
        sentence = f"the request has more than {MAX_HEADERS} headers"
        raise RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, sentence)
    target = quote(line["target"], safe=_SAFE_IN_TARGET)
    if absolute := _ABSOLUTE.match(target):
        target = target[absolute.end() :]
    target = target if target.startswith("/") else f"/{target}"
    headers = tuple(map(_parse_header, filter(None, lines)))
    return RequestHead(line["method"].decode().upper(), target, version, headers)


def _parse_header(line: bytes) -> tuple[str, str]:
    header = _HEADER.fullmatch(line)
    if header is None:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "a line of the head is no header of HTTP")
    return header["name"].decode().lower(), header["value"].decode("latin-1").rstrip()


def _new_body(head: RequestHead, reading: Reading) -> _Body:
    if head.header("content-encoding").lower() not in {"", "identity"}:
        sentence = "compressed messages are not read; send it without Content-Encoding"
        raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, sentence)
    if coding := head.header("transfer-encoding").lower():
        if coding != "chunked":
            sentence = "of the transfer encodings, only chunked is read"
            raise RefusedError(HTTPStatus.NOT_IMPLEMENTED, sentence)
        return _ChunkedBody(reading.max_body)
    sizes = {value for name, value in head.headers if name == "content-length"}
    if not sizes:
        is_guessed = reading.guesses and head.method == "POST"
        return _UnsizedBody(reading.max_body) if is_guessed else _ExactBody(0)
    size = sizes.pop()
    if sizes or not (size.isascii() and size.isdigit()):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "Content-Length is no number")
    if len(size) > _MAX_DIGITS or int(size) > reading.max_body:
        raise _too_long(reading.max_body)
    return _SizedBody(int(size)) if reading.guesses else _ExactBody(int(size))


def _too_long(most: int) -> RefusedError:
    sentence = f"the message has more than {most} bytes"
    return RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, sentence)


class _ExactBody:
    """A body of so many bytes."""

    may_be_whole = False

    def __init__(self, size: int) -> None:
        self.data = bytearray()
        self.is_whole = size == 0
        self._size = size

    def receive(self, data: bytes) -> None:
        self.data += data[: self._size - len(self.data)]
        self.is_whole = len(self.data) == self._size


class _SizedBody:
    """A body of so many bytes; or of so many characters, if only that makes sense."""

    def __init__(self, size: int) -> None:
        self.data = bytearray()
        self.is_whole = size == 0
        self._size = size
        self._characters = 0
        self._depth = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_utf_8 = True
        self._goes_on = False

    @property
    def may_be_whole(self) -> bool:
        return self._goes_on or (bool(self.data) and self._depth == 0 and not self.is_whole)

    def receive(self, data: bytes) -> None:
        if not self._goes_on:
            room = self._size - len(self.data)
            self._receive_bytes(data[:room])
            data = data[room:]
        if self._goes_on:
            self._receive_characters(data)

    def _receive_bytes(self, data: bytes) -> None:
        self.data += data
        self._depth += data.count(b"(") - data.count(b")")
        if self._is_utf_8:
            try:
                self._characters += len(self._decoder.decode(data))
            except UnicodeDecodeError:
                self._is_utf_8 = False
        if len(self.data) == self._size:
            self._goes_on = self._depth > 0 and self._is_utf_8 and self._characters < self._size
            self.is_whole = not self._goes_on
        if self._goes_on:  # what the decoder has kept of a character comes with its last byte
            del self.data[self._size - len(self._decoder.getstate()[0]) :]

    def _receive_characters(self, data: bytes) -> None:
        try:
            text, is_whole = self._decoder.decode(data), False
        except UnicodeDecodeError as error:
            text, is_whole = error.object[: error.start].decode(), True
        text = text[: self._size - self._characters]
        self._characters += len(text)
        self.data += text.encode()
        self.is_whole = is_whole or self._characters == self._size


class _UnsizedBody:
    """A body without any length: it ends with its first expression."""

    may_be_whole = True

    def __init__(self, most: int) -> None:
        self._most = most
        self.data = bytearray()
        self.is_whole = False
        self._depth = 0
        self._in_comment = False

    def receive(self, data: bytes) -> None:
        end = self._end_of_expression(data)
        self.data += data if end is None else data[:end]
        self.is_whole = end is not None
        if len(self.data) > self._most:
            raise _too_long(self._most)

    def _end_of_expression(self, data: bytes) -> int | None:
        start = 0
        if self._in_comment:
            line_end = _LINE_END.search(data)
            if line_end is None:
                return None
            start = line_end.start()
        self._in_comment = False
        for token in _NESTING.finditer(data, start):
            found = token.group()
            if found.startswith(b";"):
                self._in_comment = token.end() == len(data)
            else:
                self._depth += (found == b"(") - (found == b")")
                if self._depth <= 0:
                    return token.end()
        return None


class _ChunkedBody:
    """A body in chunks, each with its size before it."""

    may_be_whole = False

    def __init__(self, most: int) -> None:
        self._most = most
        self.data = bytearray()
        self.is_whole = False
        self._line = bytearray()
        self._left = 0
        self._chunks = 0
        self._is_last = False

    def receive(self, data: bytes) -> None:
        at = 0
        while at < len(data) and not self.is_whole:
            if self._left:
                piece = data[at : at + self._left]
                self.data += piece
                self._left -= len(piece)
                at += len(piece)
            else:
                at = self._receive_line(data, at)
        if len(self.data) + self._left > self._most:
            raise _too_long(self._most)

    def _receive_line(self, data: bytes, at: int) -> int:
        """Take bytes up to the end of a line, and return where the next one begins."""
        end = data.find(b"\n", at) + 1
        self._line += data[at : end or len(data)]
        if len(self._line) > _MAX_CHUNK_LINE:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "the size of a chunk is no number")
        if end:
            line = bytes(self._line).rstrip(b"\r\n")
            self._line.clear()
            self._begin_chunk(line)
        return end or len(data)

    def _begin_chunk(self, line: bytes) -> None:
        if self._is_last:  # then headers may follow, and an empty line ends them
            self.is_whole = not line
            self._chunks += 1
        elif line or not self._chunks:
            size = _CHUNK_SIZE.fullmatch(line)
            if size is None:
                raise RefusedError(HTTPStatus.BAD_REQUEST, "the size of a chunk is no number")
            self._left = int(size["size"], 16)
            self._is_last = self._left == 0
            self._chunks += 1
        if self._chunks > MAX_CHUNKS:
            sentence = f"the message comes in more than {MAX_CHUNKS} chunks"
            raise RefusedError(HTTPStatus.BAD_REQUEST, sentence)
