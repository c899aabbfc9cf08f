"""The whole server over loopback sockets: it answers or closes in time, and goes on for others.

The first byte of an input says how the others are split into packets, and whether the stranger
half-closes, waits between packets, or leaves without waiting for a reply.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ggp_player.front import front
from ggp_player.server.config import Config
from ggp_player.server.http import new_runner, new_site
from ggp_player.server.player import Player
from tests.fuzz.http_inputs import SEEDS, mutate
from tests.fuzz.target import Target

CONFIG = Config(
    strategy="legal",
    head_timeout=0.3,
    body_timeout=0.3,
    max_clock=1,
    allow_get=True,
    idle_limit=0.5,
    max_matches=2,
    port=0,
)
"""Settings with which nothing takes long."""

REPLY_SECONDS = 8.0
"""The longest wait for the end of a connection: its time-outs, and two clocks of a second."""

WHOLE = 0x80
"""First bytes from here on send the others at once, and wait for a reply."""

PAUSE = 0.01
"""Seconds between the packets of a slow stranger."""

INPUTS_PER_CENSUS = 50
"""How many inputs there are between two counts of descriptors."""

SPARE_DESCRIPTORS = 40
"""What matches, their workers and connections that are being closed may have at a time."""


class _Errors(logging.Handler):
    """Keeps the exceptions that are logged: no stranger can cause any."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info or record.name.startswith("asyncio"):
            self.texts.append(self.format(record))


class Server:
    """A server in this process's own event loop, which runs only while an input is checked."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.errors = _Errors()
        self.unhandled: list[dict[str, Any]] = []
        self._inputs = 0
        asyncio.set_event_loop(self.loop)
        logging.getLogger().addHandler(self.errors)
        self.loop.set_exception_handler(lambda _, context: self.unhandled.append(context))
        self.loop.run_until_complete(self._start())
        self._descriptors = _descriptors()

    async def _start(self) -> None:
        player = await Player(CONFIG).__aenter__()
        runner = new_runner(player)
        await runner.setup()
        self._site = new_site(runner, player)
        await self._site.start()

    def check(self, data: bytes) -> None:
        """Send an input, then ask for INFO."""
        self._inputs += 1
        with patch.object(front, "QUIET_SECONDS", 0.03), patch.object(front, "LINGER_SECONDS", 0.2):
            self.loop.run_until_complete(asyncio.wait_for(self._exchange(data), REPLY_SECONDS))
            healthy = b"\xffPOST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)"
            reply = self.loop.run_until_complete(asyncio.wait_for(self._exchange(healthy), 5))
        assert b"( ( name ggp-player ) ( status " in reply, reply
        assert not self.unhandled, self.unhandled.pop()
        assert not self.errors.texts, self.errors.texts.pop()
        if self._inputs % INPUTS_PER_CENSUS == 0:
            self.loop.run_until_complete(self._settled())

    async def _exchange(self, data: bytes) -> bytes:
        """Send bytes as the first of them says; return what comes back until the end."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._site.port)
        how, data = (data[:1] or b"\xff")[0], data[1:]
        is_whole = how >= WHOLE
        size = len(data) + 1 if is_whole else how % 16 * 8 + 1
        try:
            with suppress(ConnectionError):
                for at in range(0, len(data), size):
                    writer.write(data[at : at + size])
                    is_slow = how & 0x20 and at < 20 * size and not is_whole
                    await asyncio.sleep(PAUSE if is_slow else 0)
                if how & 0x10 and not is_whole:
                    with suppress(OSError):  # the server has closed already
                        writer.write_eof()
                if how & 0x40 and not is_whole:
                    return b""  # the stranger leaves
                reply = await reader.read()
                _check_reply(reply)
                return reply
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
        return b""

    async def _settled(self) -> None:
        """Wait until descriptors are as few as at first, or fail."""
        for _ in range(100):
            if _descriptors() <= self._descriptors + SPARE_DESCRIPTORS:
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"{_descriptors()} descriptors, {self._descriptors} at first")


def _check_reply(reply: bytes) -> None:
    """Check that every manager can read a response, and takes no error for a move."""
    reply = reply.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    if not reply:  # closed for silence
        return
    head, _, body = reply.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    assert f"content-length: {len(body)}".encode() in head.lower(), head
    assert b"connection: close" in head.lower(), head
    if status >= 400:
        assert body.startswith((b"error: ", b"not ", b"{")), reply


def _descriptors() -> int:
    return len(list(Path(f"/proc/{os.getpid()}/fd").iterdir()))


@cache
def _server() -> Server:
    return Server()


def check(data: bytes) -> None:
    """Send an input to a server that has had all those before."""
    _server().check(data)


TARGET = Target("http", check, lambda: SEEDS, mutate, seconds=5.0, max_bytes=4096)
