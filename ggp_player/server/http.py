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

How a request is read, and whether it is served at all, is decided before: see
:mod:`ggp_player.front`. :func:`responder` answers messages; aiohttp serves the pages and the health
checks.
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
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from types import FrameType
from typing import TypeAlias

from aiohttp import web

from gdl.system import return_large_blocks
from ggp_player.archive import default_archive
from ggp_player.errors import ServerError
from ggp_player.events import EventBus
from ggp_player.front.connections import ConnectionBounds, Streams
from ggp_player.front.front import MAX_LINE, Front, FrontSettings, FrontSite, Responder, front_of
from ggp_player.front.request_reader import MAX_MESSAGE, HttpRequest, RequestHead, response
from ggp_player.pages.player_pages import PlayerPages
from ggp_player.pages.site import asks_for_page
from ggp_player.protocol import is_meant_as_message
from ggp_player.server.access import AccessRules, message_in
from ggp_player.server.config import Config
from ggp_player.server.monitoring import is_monitoring, loop_delay_measured, page
from ggp_player.server.player import LATIN_1, UTF_8, Message, Player
from ggp_player.server.polling import Poller
from ggp_player.server.registration import registered
from ggp_player.server.reply_deadline import (
    CONNECTIONS_LIMIT,
    UNKNOWN_ROUND_TRIP,
    ReplyDeadline,
)
from ggp_player.worker.warm_up_process import ensure_warm

DRAIN_SIGNALS = (signal.SIGUSR1,) if hasattr(signal, "SIGUSR1") else ()
"""What has a server finish its matches, begin no others, and end; Windows has no such signal."""

RESERVED_FILES = 192
"""Descriptors for the server itself, and for connections that are accepted but not counted yet."""

FILES_PER_MATCH = 16
"""Descriptors for a match, or for a spare process: channels, pipes and shared memory."""

MAX_HELD = 4 * MAX_MESSAGE
"""Bytes of large messages that are not whole yet, of all connections together."""

LARGE_BODY = 2**16
"""Bytes of a body from which on it is decoded in a thread."""

MESSAGE_TYPE = "text/acl"
"""The content type of messages, and of sentences for whoever has sent one."""

SERVER_FAILED = b"error: the server has failed to answer this"

CORS_HEADERS = {
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Sender, Receiver, Content-Type, Accept",
    "Access-Control-Allow-Private-Network": "true",
    "Access-Control-Max-Age": "86400",
    "Vary": "Origin",
}
"""The headers for web pages that may drive the player, besides the one that names them."""

_TCP_INFO = struct.Struct("52x I 12x I")
"""The beginning of what Linux reports of a connection: ``tcpi_last_data_recv``, the milliseconds
since data has come, and ``tcpi_rtt`` in microseconds."""

MIN_WAITED, MAX_WAITED = 0.02, 5.0
"""Seconds of waiting that count for a deadline: the system does not tell a few milliseconds."""

Beside: TypeAlias = Callable[[], AbstractAsyncContextManager[object]]
"""Returns what is entered beside a server, such as another one at another port."""

_http_log = logging.getLogger(f"{__name__}.http")

_log = logging.getLogger(__name__)


def responder(player: Player) -> Responder:
    """Create what answers messages; requests for pages are left to :func:`application`."""
    access = player.config.access

    def respond(request: HttpRequest, front: Front) -> Coroutine[None, None, None] | None:
        head = request.head
        is_probe = head.method == "GET" and is_monitoring(head.target)
        if head.method == "OPTIONS" or is_probe or _is_for_page(access, head):
            return None
        deadline = player.new_deadline(*_delays(front.socket_info("socket")))
        return _answer(player, request, front, deadline)

    return respond


async def _answer(
    player: Player, request: HttpRequest, front: Front, deadline: ReplyDeadline
) -> None:
    """Answer a message, and tell its deadline when the socket has taken over the reply."""
    status, head = HTTPStatus.OK, request.head
    try:
        text, encoding = await _message_text(request)
        sender = front.sender if player.config.bind_matches else ""
        message = Message(text, encoding, sender, on_admitted=front.keep)
        body = bytes(await player.reply_in_time(message, deadline, front.address or "unknown"))
    except Exception:
        _log.exception("a request could not be answered")
        status, body = HTTPStatus.INTERNAL_SERVER_ERROR, SERVER_FAILED
    headers = _headers(player.config, head.header("origin"))
    front.respond(response(status, body, MESSAGE_TYPE, headers, head.version))
    deadline.reply_sent()


async def _message_text(request: HttpRequest) -> tuple[str, str]:
    """Return the message of a request, and its encoding."""
    if request.head.method == "GET":
        return message_in(request.head.target), UTF_8
    if len(request.body) > LARGE_BODY:
        return await asyncio.to_thread(_decoded, request.body)
    return _decoded(request.body)


def _is_for_page(access: AccessRules, head: RequestHead) -> bool:
    """Check for a page of ours; a browser's address bar, or a link, gets one for ``/``, too.

    It also gets one that says so where an address is neither that of a page nor a message.
    """
    if access.is_for_page(head) and head.target != "/":
        return True
    is_browser = head.method == "GET" and "text/html" in head.header("accept")
    is_ours = head.target == "/" or not is_meant_as_message(message_in(head.target))
    return bool(access.pages) and is_browser and is_ours


def _headers(config: Config, origin: str) -> dict[str, str]:
    """Return the headers of every response, for the web page that asks."""
    headers = {"Server": "ggp-player", "Date": formatdate(usegmt=True)}
    if allowed := config.access.allowed_origin(origin):
        headers |= {"Access-Control-Allow-Origin": allowed, **CORS_HEADERS}
    return headers


def application(player: Player) -> web.Application:
    """Create the web application for all that is no message: pages, and how the server is."""
    pages = _pages(player) if player.config.pages else None

    async def get(request: web.Request) -> web.StreamResponse:
        if (found := page(player, request.path)) is not None:
            return found
        if pages is not None and request.path == "/":
            return await pages.front_page(request)
        if pages is not None and asks_for_page(request):
            return pages.not_found(request)
        raise web.HTTPNotFound

    async def options(_request: web.Request) -> web.Response:
        return web.Response()

    async def finish(request: web.Request, response: web.StreamResponse) -> None:
        """Add the headers of every response, including those that refuse a request."""
        response.force_close()
        response.headers["Connection"] = "close"
        response.headers.update(_headers(player.config, request.headers.get("Origin", "")))

    app = web.Application(client_max_size=MAX_MESSAGE, middlewares=[_errors_as_sentences])
    app.on_response_prepare.append(finish)
    if pages is not None:
        pages.add_routes(app.router)
        app.on_startup.append(pages.start)
        app.on_shutdown.append(pages.close)
    app.router.add_get("/{tail:.*}", get, allow_head=False)
    app.router.add_options("/{tail:.*}", options)
    return app


def _pages(player: Player) -> PlayerPages:
    config = player.config
    archive = None if config.no_archive else config.archive or default_archive()
    workers = player.background_workers
    streams, gallery = _streams(config), config.gallery_address
    return PlayerPages(config.name, player.events, archive, streams, _base, workers, gallery)


def _streams(config: Config) -> Streams:
    """Count streams: half of the connections, and of those of one address, are never theirs.

    One address never has all of them.
    """
    most = min(config.max_viewers, config.max_connections // 2)
    share = max(1, most * 3 // 4)
    return Streams(most, min(share, config.max_connections_per_address // 2))


@web.middleware
async def _errors_as_sentences(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Give errors of HTTP a text that no manager reads as a move."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        text = f"error: {error.reason}"
        return web.Response(status=error.status, text=text, content_type=MESSAGE_TYPE)
    except Exception:
        _log.exception("a request could not be answered")
        return web.Response(status=500, body=SERVER_FAILED, content_type=MESSAGE_TYPE)


def _base(request: web.Request) -> str:
    """What stands before the path in the addresses of this server, for the sender."""
    front = front_of(request)
    return "" if front is None else front.base


def _delays(connection: socket.socket | None) -> tuple[float, float]:
    """Seconds to the game manager and back, and seconds that the request has waited for us.

    It waits where the system has taken it and this process is busy with other connections.
    """
    if connection is None or sys.platform != "linux":
        return UNKNOWN_ROUND_TRIP, 0.0
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
    if len(info) < _TCP_INFO.size:  # Emulators tell less than Linux does.
        return UNKNOWN_ROUND_TRIP, 0.0
    milliseconds, microseconds = _TCP_INFO.unpack(info)
    waited = min(MAX_WAITED, milliseconds / 1e3)
    return microseconds / 1e6, waited if waited >= MIN_WAITED else 0.0


async def serve(
    config: Config,
    on_listening: Callable[[str, int], None],
    on_stopping: Callable[[], None] = lambda: None,
    events: EventBus | None = None,
    beside: Beside = nullcontext,
) -> None:
    """Answer game managers until SIGINT or SIGTERM; ``on_listening`` gets host and port.

    SIGUSR1, where the system has it, drains the player: the server ends with the last match.
    ``on_stopping`` is called at SIGINT and SIGTERM, in the signal handler. What happens in matches
    is told to ``events``. What is ``beside`` the server is entered while it answers. Raises
    :class:`ServerError` where the address cannot be listened at.
    """
    return_large_blocks()
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()

    def stop() -> None:
        on_stopping()  # here, as the event loop may hang
        loop.call_soon_threadsafe(stopped.set)

    with _called_at_signals(stop, signal.SIGINT, signal.SIGTERM):
        async with Player(config, events=events) as player:
            drain = partial(loop.call_soon_threadsafe, player.drain)
            with _called_at_signals(drain, *DRAIN_SIGNALS):
                async with loop_delay_measured(player.metrics.loop_delay.observe):
                    await _serve_until(stopped, player, on_listening, beside)


async def _serve_until(
    stopped: asyncio.Event,
    player: Player,
    on_listening: Callable[[str, int], None],
    beside: Beside,
) -> None:
    config = player.config
    runner = new_runner(player)
    await runner.setup()
    gc.freeze()  # what is here stays: scanning it for garbage would delay replies
    try:
        site = await _listen(runner, player)
        on_listening(config.host, site.port)
        warming = asyncio.create_task(ensure_warm(player.health))
        async with Poller(player) if config.poll else nullcontext():
            async with registered(config, site.port), beside():
                await _any_set(stopped, player.drained)
            warming.cancel()
            await asyncio.wait([warming])
            _log.info("stopping")
            await site.stop()
            await player.close()
            await site.answered(CONNECTIONS_LIMIT)
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


def new_site(runner: web.BaseRunner, player: Player, port: int | None = None) -> FrontSite:
    """Create what listens, with the bounds that the settings and the system's limits call for.

    It listens at the port of the settings, unless there is another.
    """
    config = player.config
    access, bounds = config.access.check, connection_bounds(config)
    settings = FrontSettings(access, bounds, config.timeouts, responder=responder(player))
    return FrontSite(runner, (config.host, config.port if port is None else port), settings)


def connection_bounds(config: Config) -> ConnectionBounds:
    """How many connections there may be; the open files that matches need are reserved for them."""
    reserved = RESERVED_FILES + FILES_PER_MATCH * (config.max_matches + config.spares)
    most, of_address = config.max_connections, config.max_connections_per_address
    return ConnectionBounds.beside(reserved, most, of_address, MAX_HELD)


def new_runner(player: Player) -> web.AppRunner:
    """Create what runs the web application of a player."""
    return web.AppRunner(
        application(player),
        logger=_http_log,
        access_log=None,
        shutdown_timeout=CONNECTIONS_LIMIT,
        max_line_size=MAX_LINE,
        max_field_size=MAX_LINE,
    )


async def _listen(runner: web.AppRunner, player: Player) -> FrontSite:
    config, site = player.config, new_site(runner, player)
    try:
        await site.start()
    except OSError as error:
        raise ServerError(listening_failure(config, error)) from error
    return site


def listening_failure(config: Config, error: OSError) -> str:
    """Say why the address of the settings cannot be listened at."""
    reason = error.strerror or str(error)
    if error.errno == errno.EADDRINUSE:
        reason = "another program listens there; stop it or choose another --port"
    return f"cannot listen at {config.host}:{config.port}: {reason}"


def _decoded(body: bytes) -> tuple[str, str]:
    """Decode a body, as UTF-8 where it is valid, otherwise as Latin-1; return its encoding too."""
    try:
        return body.decode(UTF_8), UTF_8
    except UnicodeDecodeError:
        return body.decode(LATIN_1), LATIN_1
