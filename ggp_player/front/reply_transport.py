"""The transport that replies are written to: it counts what is on its way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any


class ReplyTransport:
    """A transport that tells ``on_write`` of every write; all else is the given transport's."""

    def __init__(self, transport: asyncio.Transport, on_write: Callable[[], None]) -> None:
        self._transport = transport
        self._on_write = on_write
        self._written = 0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the transport has
        return getattr(self._transport, name)

    @property
    def unread(self) -> int:
        """The bytes that the system has not taken over yet, as the peer does not receive."""
        return self._transport.get_write_buffer_size()

    @property
    def taken(self) -> int:
        """The bytes that the system has taken over."""
        return self._written - self.unread

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write bytes."""
        self._written += memoryview(data).nbytes
        self._transport.write(data)
        self._on_write()

    def writelines(self, pieces: Iterable[bytes | bytearray | memoryview]) -> None:
        """Write bytes that come in pieces."""
        self.write(b"".join(pieces))
