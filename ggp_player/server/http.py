"""The player over HTTP: one message in each request, its reply in the response.

What game managers do with HTTP, and what follows from it:

- ggp-base reads as many characters as Content-Length says and ignores the status line; Dresden's
  manager reads until the connection is closed and ignores Content-Length. So every reply has an
  exact length, the connection is closed after it, and a message that cannot be understood gets a
  sentence with status 200, like any other reply.
- Schedulers send INFO as an empty form. So the body is read whatever its content type is, and an
  empty one means INFO.
- Browsers and course tools send the message in the address, ``GET /%28INFO%29``, where ``+`` is a
  blank; and browsers ask with OPTIONS first, whether they may.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from urllib.parse import unquote_plus

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from ggp_player.errors import ServerError
from ggp_player.move_service import ensure_warm
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from ggp_player.server.reply_deadline import CLOSING_LIMIT, UNKNOWN_ROUND_TRIP, ReplyDeadline

MAX_MESSAGE = 16 * 2**20
"""Bytes of the longest message; rulesheets of half a million bytes exist."""

CORS_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Sender, Receiver, Content-Type, Accept",
    "Access-Control-Max-Age": "86400",
}

_TCP_INFO = struct.Struct("68x I")
"""The beginning of what Linux reports of a connection, up to ``tcpi_rtt`` in microseconds."""

_http_log = logging.getLogger(f"{__name__}.http")

_SHOWN = 120
"""Characters of a message that the log shows."""

_log = logging.getLogger(__name__)


def application(player: Player) -> web.Application:
    """Create the web application that answers for a player."""

    async def post(request: web.Request) -> web.Response:
        deadline = player.new_deadline(_round_trip(request))
        return await reply(request, _decoded(await request.read()), deadline)

    async def get(request: web.Request) -> web.Response:
        deadline = player.new_deadline(_round_trip(request))
        return await reply(request, unquote_plus(request.raw_path.removeprefix("/")), deadline)

    async def options(_request: web.Request) -> web.Response:
        return web.Response()

    async def reply(request: web.Request, message: str, deadline: ReplyDeadline) -> web.Response:
        began = time.monotonic()
        text = await player.reply_in_time(message, deadline)
        seconds = time.monotonic() - began
        _log.info("%s: %s -> %s, %.2f s", request.remote, _short(message), _short(text), seconds)
        return _Reply(text, deadline)

    app = web.Application(client_max_size=MAX_MESSAGE)
    app.on_response_prepare.append(_finish)
    app.router.add_post("/{tail:.*}", post)
    app.router.add_get("/{tail:.*}", get, allow_head=False)
    app.router.add_options("/{tail:.*}", options)
    return app


class _Reply(web.Response):
    """Tells its deadline when the socket has taken over the reply."""

    def __init__(self, text: str, deadline: ReplyDeadline) -> None:
        super().__init__(body=text.encode(), content_type="text/acl")
        self._deadline = deadline

    async def write_eof(self, data: bytes = b"") -> None:
        await super().write_eof(data)
        self._deadline.reply_sent()


def _round_trip(request: web.Request) -> float:
    """Seconds to the game manager and back, as measured when it connected."""
    connection = request.get_extra_info("socket")
    if connection is None or sys.platform != "linux":
        return UNKNOWN_ROUND_TRIP
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
    microseconds: int = _TCP_INFO.unpack(info)[0]
    return microseconds / 1e6


async def serve(config: Config, on_listening: Callable[[str, int], None]) -> None:
    """Answer game managers until SIGINT or SIGTERM; ``on_listening`` gets host and port.

    Raises :class:`ServerError` where the address cannot be listened at.
    """
    stopped = asyncio.Event()
    with _set_by_signals(stopped):
        await _serve_until(stopped, config, on_listening)


async def _serve_until(
    stopped: asyncio.Event, config: Config, on_listening: Callable[[str, int], None]
) -> None:
    async with Player(config) as player:
        runner = web.AppRunner(
            application(player), logger=_http_log, access_log=None, shutdown_timeout=CLOSING_LIMIT
        )
        await runner.setup()
        gc.freeze()  # what is here stays: scanning it for garbage would delay replies
        try:
            site = await _listen(runner, config)
            port: int = runner.addresses[0][1]
            on_listening(config.host, port)
            warming = asyncio.create_task(ensure_warm(player.health))
            await stopped.wait()
            warming.cancel()
            await asyncio.wait([warming])
            _log.info("stopping")
            await site.stop()
            await player.close()
        finally:
            await runner.cleanup()


@contextmanager
def _set_by_signals(event: asyncio.Event) -> Iterator[None]:
    """Set an event at SIGINT, which is Ctrl-C, and at SIGTERM."""
    loop = asyncio.get_running_loop()

    # Not through the event loop's own signal handlers, which it does not have on Windows.
    def set_event(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(event.set)

    before = {
        number: signal.signal(number, set_event) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _listen(runner: web.AppRunner, config: Config) -> web.TCPSite:
    site = web.TCPSite(runner, config.host, config.port)
    try:
        await site.start()
    except OSError as error:
        where = f"{config.host}:{config.port}"
        if error.errno == errno.EADDRINUSE:
            hint = "another program listens there; stop it or choose another --port"
            raise ServerError(f"cannot listen at {where}: {hint}") from error
        reason = error.strerror or str(error)
        raise ServerError(f"cannot listen at {where}: {reason}") from error
    return site


async def _finish(_request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers of every response, including those that refuse a request."""
    response.force_close()
    response.headers["Connection"] = "close"
    response.headers.update(CORS_HEADERS)


def _in_one_line(record: logging.LogRecord) -> bool:
    """Log a request that is no HTTP in one line, without a traceback: it is the peer's fault."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, HttpProcessingError):
        record.msg, record.args = "a request that is no HTTP: %s", (_short(str(error)),)
        record.exc_info = None
    return True


_http_log.addFilter(_in_one_line)


def _decoded(body: bytes) -> str:
    """Decode a body: as UTF-8 where it is valid, otherwise as Latin-1, which is always valid."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _short(text: str) -> str:
    printable = (char if char.isprintable() else " " for char in text[: 2 * _SHOWN])
    line = " ".join("".join(printable).split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}..."
