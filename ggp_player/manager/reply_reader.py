"""Reading the HTTP reply of a player, who is a stranger: in bounded bytes, heads and time.

What a player sends is read into one small buffer, and the connection is closed as soon as the reply
is whole or has gone beyond a bound. So one that sends without end costs some pages of memory and as
many microseconds. How long a reply may take is for the caller, who cancels the wait for it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from ggp_player.errors import ServerError

MAX_HEADS = 16_384
"""Bytes of the heads of a reply, of interim ones too."""

MAX_INTERIM = 4
"""Interim heads, such as ``100 Continue``, that may come before a reply."""

MAX_FRAMING = 16_384
"""Bytes in a body that only say how long its chunks are."""

_BUFFER = 8_192

_NO_HTTP = "what listens there does not speak HTTP"
_NO_REPLY = "the connection was closed without a reply"

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/\d\.\d (\d{3})\b")
_HEADER = re.compile(rb"^([!-9;-~]+)[ \t]*:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
_LENGTH = re.compile(rb"\d{1,18}")
_CHUNK = re.compile(rb"(?:\r?\n)?([0-9a-fA-F]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_LONGEST_CHUNK_HEAD = 1_024


class ReplyParser:
    """Finds the body of a reply in what comes; of a longer one the first ``limit`` bytes.

    Both methods raise :class:`ServerError` with a sentence for what is no reply.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()
        self._heads = 0
        self._interim = 0
        self._length: int | None = None
        self._is_chunked = False
        self._has_head = False
        self._body = bytearray()
        self._chunk = 0
        self._framing = 0

    def feed(self, data: bytes) -> bytes | None:
        """Take the next bytes; return the body if no more are needed."""
        self._data += data
        while not self._has_head:
            end = _HEAD_END.search(self._data)
            length = len(self._data) if end is None else end.end()
            if self._heads + length > MAX_HEADS:
                raise ServerError(f"the head of its reply has more than {MAX_HEADS:,} bytes")
            if end is None:
                return None
            self._take_head(bytes(self._data[: end.start()]))
            self._heads += length
            del self._data[:length]
        if self._is_chunked:
            return self._take_chunks()
        wanted = self._limit if self._length is None else min(self._length, self._limit)
        return bytes(self._data[:wanted]) if len(self._data) >= wanted else None

    def end(self) -> bytes:
        """Return the body, as nothing more comes."""
        if not self._has_head:
            raise ServerError(_NO_HTTP if self._data.strip() or self._interim else _NO_REPLY)
        if self._length is not None or self._is_chunked:
            raise ServerError("the connection was closed within the reply")
        return bytes(self._data[: self._limit])

    def _take_head(self, head: bytes) -> None:
        status = _STATUS.match(head.lstrip(b"\r\n"))
        if status is None:
            raise ServerError(_NO_HTTP)
        if status[1].startswith(b"1") and status[1] != b"101":
            self._interim += 1
            if self._interim > MAX_INTERIM:
                raise ServerError(f"it sends more than {MAX_INTERIM} heads before its reply")
            return
        self._has_head = True
        fields = {name.lower(): value for name, value in _HEADER.findall(head)}
        self._is_chunked = fields.get(b"transfer-encoding", b"").lower().endswith(b"chunked")
        length = fields.get(b"content-length")
        if length is None or self._is_chunked:
            return
        if not _LENGTH.fullmatch(length):
            raise ServerError(_NO_HTTP)
        self._length = int(length)

    def _take_chunks(self) -> bytes | None:
        """Move what has come of chunks to the body; return it at its end."""
        while True:
            part = self._data[: self._chunk]
            self._body += part
            del self._data[: len(part)]
            self._chunk -= len(part)
            if len(self._body) >= self._limit:
                return bytes(self._body[: self._limit])
            head = None if self._chunk else _CHUNK.match(self._data)
            if head is None:
                if len(self._data) > _LONGEST_CHUNK_HEAD:
                    raise ServerError(_NO_HTTP)
                return None
            self._framing += head.end()
            if self._framing > MAX_FRAMING:
                raise ServerError(f"the chunks of its reply take more than {MAX_FRAMING:,} bytes")
            self._chunk = int(head[1], 16)
            del self._data[: head.end()]
            if self._chunk == 0:
                return bytes(self._body)


class ReplyProtocol(asyncio.BufferedProtocol):
    """Sends a request, and reads the reply; ``reply`` is its body in the end, or ServerError.

    The body is cut at ``limit`` bytes. ``on_sent`` is called when the last byte of the request has
    gone to the system.
    """

    def __init__(self, request: bytes, limit: int, on_sent: Callable[[], None]) -> None:
        self.reply: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._request = request
        self._on_sent = on_sent
        self._is_sent = False
        self._parser = ReplyParser(limit)
        self._buffer = bytearray(_BUFFER)
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the request."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(0)
        transport.write(self._request)
        if not transport.get_write_buffer_size():
            self.resume_writing()

    def resume_writing(self) -> None:
        """Tell that the system has all of the request, as the buffer is empty."""
        if not self._is_sent:
            self._is_sent = True
            self._on_sent()

    def get_buffer(self, sizehint: int) -> bytearray:
        """Return where the next bytes go."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take the next bytes."""
        if not self.reply.done():
            self._parse(lambda: self._parser.feed(bytes(self._buffer[:nbytes])))

    def eof_received(self) -> None:
        """End the reply, and the connection."""
        if not self.reply.done():
            self._parse(self._parser.end)

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail where the reply is not whole."""
        if not self.reply.done():
            self.reply.set_exception(ServerError(_NO_REPLY))

    def _parse(self, step: Callable[[], bytes | None]) -> None:
        """Go a step on; close the connection where it is the last."""
        try:
            body = step()
        except ServerError as error:
            self.reply.set_exception(error)
        else:
            if body is not None:
                self.reply.set_result(body)
        if self.reply.done() and self._transport is not None:
            self._transport.abort()
