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
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from urllib.parse import unquote_plus

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from gdl.system import child_environment
from ggp_player.errors import ServerError
from ggp_player.logs import shown
from ggp_player.server.config import Config
from ggp_player.server.monitoring import loop_delay_measured, page
from ggp_player.server.player import Player
from ggp_player.server.reply_deadline import (
    CONNECTIONS_LIMIT,
    UNKNOWN_ROUND_TRIP,
    ReplyDeadline,
)
from ggp_player.worker import is_warm

DRAIN_SIGNALS = (signal.SIGUSR1,) if hasattr(signal, "SIGUSR1") else ()
"""What has a server finish its matches, begin no others, and end; Windows has no such signal."""

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

WARM = "the searches are warm"
"""What the log says once all is compiled that matches share."""

_http_log = logging.getLogger(f"{__name__}.http")

_log = logging.getLogger(__name__)


def application(player: Player) -> web.Application:
    """Create the web application that answers for a player."""

    async def post(request: web.Request) -> web.Response:
        deadline = player.new_deadline(_round_trip(request))
        return await reply(request, _decoded(await request.read()), deadline)

    async def get(request: web.Request) -> web.Response:
        if (found := page(player, request.path)) is not None:
            kind = {"Content-Type": found.content_type}
            return web.Response(status=found.status, body=found.body, headers=kind)
        deadline = player.new_deadline(_round_trip(request))
        return await reply(request, unquote_plus(request.raw_path.removeprefix("/")), deadline)

    async def options(_request: web.Request) -> web.Response:
        return web.Response()

    async def reply(request: web.Request, message: str, deadline: ReplyDeadline) -> web.Response:
        text = await player.reply_in_time(message, deadline, request.remote or "unknown")
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


async def serve(
    config: Config,
    on_listening: Callable[[str, int], None],
    on_stopping: Callable[[], None] = lambda: None,
) -> None:
    """Answer game managers until SIGINT or SIGTERM; ``on_listening`` gets host and port.

    SIGUSR1, where the system has it, drains the player: the server ends with the last match.
    ``on_stopping`` is called at SIGINT and SIGTERM, in the signal handler. Raises
    :class:`ServerError` where the address cannot be listened at.
    """
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()

    def stop() -> None:
        on_stopping()  # here, as the event loop may hang
        loop.call_soon_threadsafe(stopped.set)

    with _called_at_signals(stop, signal.SIGINT, signal.SIGTERM):
        async with Player(config) as player:
            drain = partial(loop.call_soon_threadsafe, player.drain)
            with _called_at_signals(drain, *DRAIN_SIGNALS):
                async with loop_delay_measured(player.metrics.loop_delay):
                    await _serve_until(stopped, player, on_listening)


async def _serve_until(
    stopped: asyncio.Event,
    player: Player,
    on_listening: Callable[[str, int], None],
) -> None:
    config = player.config
    runner = web.AppRunner(
        application(player),
        logger=_http_log,
        access_log=None,
        shutdown_timeout=CONNECTIONS_LIMIT,
    )
    await runner.setup()
    gc.freeze()  # what is here stays: scanning it for garbage would delay replies
    try:
        site = await _listen(runner, config)
        port: int = runner.addresses[0][1]
        on_listening(config.host, port)
        warming = asyncio.create_task(_warm_up())
        await _any_set(stopped, player.drained)
        warming.cancel()
        await asyncio.wait([warming])
        _log.info("stopping")
        await site.stop()
        await player.close()
    finally:
        await runner.cleanup()


async def _any_set(*events: asyncio.Event) -> None:
    """Wait until one of the events is set."""
    waiting = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()


@contextmanager
def _called_at_signals(function: Callable[[], object], *numbers: int) -> Iterator[None]:
    """Call a function at these signals, between any two steps of this thread."""

    # Not through the event loop's own signal handlers, which it does not have on Windows.
    def handle(_number: int, _frame: FrameType | None) -> None:
        function()

    before = {number: signal.signal(number, handle) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _warm_up() -> None:
    """Have a process compile what all matches share, unless that has been done on this machine.

    Until it has, matches are played by simpler means.
    """
    if is_warm():
        _log.info(WARM)
        return
    _log.info("the searches are not compiled for this machine yet, which takes some ten seconds")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ggp_player", "warm-up", "--until-closed"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=child_environment(),
    )
    assert process.stdout is not None
    try:
        async for line in process.stdout:
            _log.info("warm-up: %s", line.decode(errors="replace").strip())
        status = await process.wait()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if status == 0 and is_warm():
        _log.info(WARM)
    else:
        reason = f"it ended with status {status}" if status else "the cache cannot be written"
        _log.error("WARM-UP FAILED: %s; textbook searches play all matches", reason)


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
        record.msg, record.args = (
            "a request that is no HTTP: %s",
            (shown(" ".join(str(error).split()), 120),),
        )
        record.exc_info = None
    return True


_http_log.addFilter(_in_one_line)


def _decoded(body: bytes) -> str:
    """Decode a body: as UTF-8 where it is valid, otherwise as Latin-1, which is always valid."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("latin-1")
