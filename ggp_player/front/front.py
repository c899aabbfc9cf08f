"""The front of a server: takes connections, and has whole requests answered.

What comes before a whole request is where strangers can do harm, so all of it is here, and bounded:
how many connections there are (:mod:`.connections`), how long a head and a body may take, and how
large they may be. What is read is decided by :mod:`.request_reader`, and who may ask by an
:data:`~.admission.Access`. A server may answer a request itself, as it is (:data:`Responder`);
others, such as those for pages, go to aiohttp, written by the standard. A connection that sends
nothing costs one small object. What comes after a request is bounded, too: how long a peer may take
to receive its reply, and how many bytes wait for it.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import sys
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeAlias

from aiohttp import web

from ggp_player.front.admission import Access, Admission, plain_address
from ggp_player.front.connections import (
    SMALL_BODY,
    SMALL_REPLY,
    ConnectionBounds,
    Connections,
    Timeouts,
)
from ggp_player.front.request_reader import MAX_HEAD, HttpRequest, Reading, Refusal, RequestReader

PACKET = 2**14
"""Bytes that are received at a time: scanning them holds the event loop for milliseconds."""

BATCH = 16
"""How many connections are accepted in one callback of the event loop."""

BACKLOG = 4096
"""How many connections the system keeps for us meanwhile. One beyond that waits for a second."""

QUIET_SECONDS = 0.3
"""The silence after which a request that may be whole is taken to be whole."""

HANDSHAKE_SECONDS = 10.0
"""How long agreeing on keys may take, where connections are encrypted."""

LINGER_SECONDS = 2.0
"""How long a refused peer may go on sending; closed at once, it might not get to see why."""

MAX_TRAILING = 2**16
"""Bytes that are read, and ignored, after a request; a peer that sends more is not heard."""

MAX_LINE = 3 * MAX_HEAD
"""Bytes of the longest line that aiohttp gets: an escaped byte takes three."""

REPORT_SECONDS = 10.0
"""The shortest time between two lines of the log about connections that are turned away."""

LOOK_SECONDS = 1.0
"""Seconds between two looks at which peers receive what is sent to them."""

_log = logging.getLogger(__name__)


Responder: TypeAlias = "Callable[[HttpRequest, Front], Coroutine[None, None, None] | None]"
"""What answers a request by :meth:`Front.respond`; None leaves the request to aiohttp."""


@dataclass(frozen=True, slots=True)
class FrontSettings:
    """Who is served, how much of everything, and what answers before aiohttp is asked."""

    access: Access
    bounds: ConnectionBounds
    timeouts: Timeouts
    reading: Reading = field(default_factory=Reading)
    refusal_bytes: Callable[[Refusal], bytes] = bytes
    responder: Responder = lambda _request, _front: None
    tls: ssl.SSLContext | None = None
    """With this, connections are encrypted."""


class ReplyTransport:
    """The transport that a reply is written to: it counts what is on its way.

    It tells ``on_write`` of every write; all else is the given transport's.
    """

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


class Front(asyncio.BufferedProtocol):
    """One connection: its request is read, then answered on the same transport."""

    def __init__(self, site: FrontSite) -> None:
        self.address = ""
        self.sender = ""
        """Whose request this is; it is known before the request is answered."""
        self.is_kept = False
        self.is_stream = False
        self._site = site
        self._reader = RequestReader(site.settings.reading)
        self._transport: asyncio.Transport | None = None
        self._reply: ReplyTransport | None = None
        self._buffer = bytearray()
        self._early = b""
        self._timer: asyncio.TimerHandle | None = None
        self._quiet: asyncio.TimerHandle | None = None
        self._admitted: Admission | None = None
        self._is_settled = False
        self._is_answering = False
        self._trailing = 0
        self._handler: Any = None

    @property
    def base(self) -> str:
        """What stood before the path of the request: the secret, where it was given there."""
        return "" if self._admitted is None else self._admitted.base

    @property
    def held(self) -> int:
        """The bytes of a body that is not whole."""
        return self._reader.held

    @property
    def unread(self) -> int:
        """The bytes of the reply that wait for the peer."""
        return 0 if self._reply is None else self._reply.unread

    @property
    def taken(self) -> int:
        """The bytes of the reply that have gone."""
        return 0 if self._reply is None else self._reply.taken

    def keep(self) -> None:
        """Never close this connection for another one: a move is awaited on it."""
        self.is_kept = True

    def begin_stream(self) -> None:
        """Note that the reply goes on until the peer leaves."""
        self.is_stream = True

    def socket_info(self, name: str) -> Any:  # noqa: ANN401 - as asyncio has it
        """Return extra information of the transport by its name in asyncio, or None."""
        return None if self._transport is None else self._transport.get_extra_info(name)

    def respond(self, response: bytes) -> None:
        """Send a whole response, and close the connection when it has gone."""
        if self._reply is not None and not self._reply.is_closing():
            self._reply.write(response)
            self._reply.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for a head, unless the peer has gone already."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.address = _address_of(transport)
        if self._is_settled:
            return
        self._set_timer(self._site.settings.timeouts.head)
        self._site.connections.add(self)
        self._site.report_dropped()
        if self._early:
            early, self._early = self._early, b""
            self._receive(early)

    def get_buffer(self, sizehint: int) -> bytearray:
        """Provide room for the next packet."""
        self._buffer = bytearray(PACKET)
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Read a packet."""
        data, self._buffer = bytes(memoryview(self._buffer)[:nbytes]), bytearray()
        if self._transport is None:  # it came with the last message of the handshake
            self._early += data
        else:
            self._receive(data)

    def _receive(self, data: bytes) -> None:
        if self._is_settled:
            self._ignore(len(data))
            return
        self._reader.receive(data)
        self._go_on()

    def eof_received(self) -> bool:
        """Take the request as it is. A peer that sends no more may still wait for the reply.

        Not with TLS: asyncio closes it on both sides, and logs a warning where that is not wanted.
        """
        if not self._is_settled and self._reader.has_begun:
            self._reader.end()
            self._go_on()
        return self._is_answering and self._site.settings.tls is None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._cancel_timers()
        self._is_settled = True
        self._site.connections.remove(self)
        if self._handler is not None:
            self._handler.connection_lost(exc)

    def pause_writing(self) -> None:
        """Tell aiohttp that the peer is slow."""
        if self._handler is not None:
            self._handler.pause_writing()

    def resume_writing(self) -> None:
        """Tell aiohttp that the peer has caught up."""
        if self._handler is not None:
            self._handler.resume_writing()

    def drop(self) -> None:
        """Close the connection at once."""
        self._is_settled = True
        self._cancel_timers()
        if self._transport is not None:
            self._transport.abort()

    def _ignore(self, nbytes: int) -> None:
        """Read on after a request: closing a connection with bytes unread would lose the reply."""
        self._trailing += nbytes
        if self._is_answering and self._trailing > MAX_TRAILING and self._transport is not None:
            self._transport.pause_reading()

    def _go_on(self) -> None:
        """Do what follows from what has been read."""
        reader = self._reader
        if reader.refusal is None and reader.head is not None and self._admitted is None:
            self._admit()
        if self._is_settled:
            return
        if reader.refusal is not None:
            self._refuse(reader.refusal)
        elif reader.request is not None:
            self._answer(reader.request)
        else:
            self._wait_for_quiet()
            if reader.held > SMALL_BODY:
                self._site.connections.bound_held()

    def _admit(self) -> None:
        head = self._reader.head
        assert head is not None
        verdict = self._site.settings.access(head, self.address)
        if isinstance(verdict, Refusal):
            self._refuse(verdict)
            return
        self._admitted, self.sender = verdict, verdict.sender
        if self._reader.request is None:
            self._set_timer(self._site.settings.timeouts.body)
            if head.header("expect").lower() == "100-continue" and self._transport is not None:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _answer(self, request: HttpRequest) -> None:
        """Have the server answer the request, or aiohttp."""
        assert self._admitted is not None
        assert self._transport is not None
        self._settle()
        self._is_answering = True
        self._site.connections.answering(self)
        self._reply = ReplyTransport(self._transport, self._bound_reply)
        self._reader = RequestReader()  # the body is not ours any more
        request = HttpRequest(self._admitted.head, request.body)
        answering = self._site.settings.responder(request, self)
        if answering is not None:
            self._site.keep(asyncio.get_running_loop().create_task(answering))
            return
        self._handler = self._site.new_handler()
        self._handler.connection_made(self._reply)
        self._handler.data_received(bytes(request))

    def _bound_reply(self) -> None:
        if self.unread > SMALL_REPLY:
            self._site.connections.bound_unread(self)

    def _refuse(self, refusal: Refusal) -> None:
        """Send the refusal, and close when the peer has had time to read it."""
        self._settle()
        self._site.report_refused(self.address, refusal)
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.write(self._site.settings.refusal_bytes(refusal))
        if self._transport.can_write_eof():
            with suppress(OSError):  # the peer may be gone
                self._transport.write_eof()
        self._timer = asyncio.get_running_loop().call_later(LINGER_SECONDS, self.drop)

    def _settle(self) -> None:
        self._cancel_timers()
        self._is_settled = True

    def _time_out(self) -> None:
        if not self._reader.has_begun:
            self.drop()
            return
        what = "head" if self._reader.head is None else "body"
        sentence = f"the {what} of the request did not come in time"
        self._refuse(Refusal(HTTPStatus.REQUEST_TIMEOUT, sentence))

    def _end_reading(self) -> None:
        self._reader.end()
        self._go_on()

    def _wait_for_quiet(self) -> None:
        if self._quiet is not None:
            self._quiet.cancel()
            self._quiet = None
        if self._reader.may_be_whole:
            loop = asyncio.get_running_loop()
            self._quiet = loop.call_later(QUIET_SECONDS, self._end_reading)

    def _set_timer(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._time_out)

    def _cancel_timers(self) -> None:
        for timer in (self._timer, self._quiet):
            if timer is not None:
                timer.cancel()


class Handshake(asyncio.Protocol):
    """A connection on which keys are agreed on; then it is a :class:`Front`.

    It counts as one that has sent no whole request.
    """

    is_kept = is_stream = False
    held = unread = taken = 0

    def __init__(self, site: FrontSite, tls: ssl.SSLContext) -> None:
        self.address = ""
        self._site = site
        self._tls = tls
        self._transport: asyncio.Transport | None = None
        self._agreeing: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless there are too many others."""
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()  # nothing that comes is for this protocol
        self._transport = transport
        self.address = _address_of(transport)
        self._agreeing = asyncio.get_running_loop().create_task(self._agree(transport))
        self._site.connections.add(self)
        self._site.report_dropped()

    def drop(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()
        if self._agreeing is not None:
            self._agreeing.cancel()

    async def _agree(self, transport: asyncio.Transport) -> None:
        front = Front(self._site)
        loop = asyncio.get_running_loop()
        try:
            encrypted = await loop.start_tls(
                transport,
                front,
                self._tls,
                server_side=True,
                ssl_handshake_timeout=HANDSHAKE_SECONDS,
            )
        except OSError as error:
            _log.debug("%s: no keys were agreed on: %s", self.address, error)
            return
        finally:
            self._site.connections.remove(self)
        if encrypted is not None:
            front.connection_made(encrypted)


class FrontSite(web.BaseSite):
    """Listens at an address for a runner of aiohttp, with a front before each connection."""

    def __init__(
        self,
        runner: web.BaseRunner,
        address: tuple[str, int],
        settings: FrontSettings,
    ) -> None:
        super().__init__(runner)
        self.settings = settings
        self.connections = Connections(settings.bounds, settings.timeouts)
        assert runner.server is not None
        self.new_handler: Callable[[], Any] = runner.server
        self._address = address
        self._servers: list[asyncio.Server] = []
        self._look: asyncio.TimerHandle | None = None
        self._answers: set[asyncio.Task[None]] = set()
        self._next_report = 0.0
        self._refused = 0

    @property
    def name(self) -> str:
        """The address as a URL."""
        host, port = self._address
        return f"{'http' if self.settings.tls is None else 'https'}://{host}:{port}"

    @property
    def port(self) -> int:
        """The port that is listened at."""
        port: int = self._servers[0].sockets[0].getsockname()[1]
        return port

    async def start(self) -> None:
        """Begin to listen. Raises OSError where that cannot be done."""
        await super().start()
        loop = asyncio.get_running_loop()
        host, port = self._address
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in dict.fromkeys(found):
            taken = (address[0], self.port if self._servers else port, *address[2:])
            listening = _bound_socket(family, taken)
            server = await loop.create_server(self._new_protocol, sock=listening, backlog=BATCH)
            listening.listen(BACKLOG)
            self._servers.append(server)
        self._look_again()

    def _new_protocol(self) -> Front | Handshake:
        tls = self.settings.tls
        return Front(self) if tls is None else Handshake(self, tls)

    async def stop(self) -> None:
        """Stop listening, and close what has sent no whole request."""
        for server in self._servers:
            server.close()
        if self._look is not None:
            self._look.cancel()
        self.connections.drop_waiting()
        await super().stop()

    def keep(self, answer: asyncio.Task[None]) -> None:
        """Keep an answer that is being made until it is sent."""
        self._answers.add(answer)
        answer.add_done_callback(self._answers.discard)

    async def answered(self, seconds: float) -> None:
        """Wait for the answers that are being made, for so many seconds at most."""
        if self._answers:
            await asyncio.wait(self._answers, timeout=seconds)

    def report_dropped(self) -> None:
        """Log how many connections had to go, now and then."""
        if self.connections.dropped and self._may_report():
            _log.warning(
                "%d connections were closed: there were too many, or they received nothing",
                self.connections.dropped,
            )
            self.connections.dropped = 0

    def report_refused(self, address: str, refusal: Refusal) -> None:
        """Log a refusal; of many in a short time, one with their number."""
        self._refused += 1
        if self._may_report():
            others = f" ({self._refused - 1} others before)" if self._refused > 1 else ""
            _log.warning("%s is refused: %s%s", address, refusal.sentence, others)
            self._refused = 0

    def _look_again(self) -> None:
        """Drop those who do not receive what is sent to them, again and again."""
        loop = asyncio.get_running_loop()
        self.connections.drop_stalled(loop.time())
        self.report_dropped()
        self._look = loop.call_later(LOOK_SECONDS, self._look_again)

    def _may_report(self) -> bool:
        now = asyncio.get_running_loop().time()
        if now < self._next_report:
            return False
        self._next_report = now + REPORT_SECONDS
        return True


def front_of(request: web.Request) -> Front | None:
    """Return the front that a request came through; None where there is none, or it has gone."""
    found = None if request.transport is None else request.transport.get_protocol()
    return found if isinstance(found, Front) else None


def _address_of(transport: asyncio.Transport) -> str:
    peer = transport.get_extra_info("peername")
    return plain_address(peer[0]) if peer else ""


def _bound_socket(family: int, address: tuple[Any, ...]) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there, it lets two programs listen at one port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind(address)
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening
