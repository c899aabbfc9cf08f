"""Connections over real sockets, whose peers ask for large replies and do not receive them."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial

import pytest
from aiohttp import web

from ggp_player.front import front as front_module
from ggp_player.front.admission import open_access
from ggp_player.front.connections import ConnectionBounds, Timeouts
from ggp_player.front.front import FrontSettings, FrontSite
from ggp_player.front.request_reader import Reading
from tests.support.certificates import new_certificate

LARGE = 16 * 2**20
"""Bytes of a reply that no buffer of the system holds."""

MANY = 2**40

BOUNDS = ConnectionBounds(64, 64, MANY, MANY, MANY)

TIMEOUTS = Timeouts(60, 60)

READING = Reading()


@asynccontextmanager
async def served(
    bounds: ConnectionBounds = BOUNDS,
    timeouts: Timeouts = TIMEOUTS,
    reading: Reading = READING,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[FrontSite]:
    """Run a site with a large reply, a small one, and one that says what was sent."""

    async def large(_request: web.Request) -> web.Response:
        return web.Response(body=bytes(LARGE))

    async def echo(request: web.Request) -> web.Response:
        return web.Response(text=f"{request.method} {len(await request.read())}")

    app = web.Application(client_max_size=reading.max_body)
    app.router.add_get("/large", large)
    app.router.add_route("*", "/{tail:.*}", echo)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    settings = FrontSettings(open_access, bounds, timeouts, reading, tls=tls)
    site = FrontSite(runner, ("127.0.0.1", 0), settings)
    await site.start()
    try:
        yield site
    finally:
        await runner.cleanup()


async def asked(site: FrontSite, data: bytes) -> bytes:
    """Send bytes, and return all that comes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(data)
    try:
        return await reader.read()
    finally:
        writer.close()


async def hold(site: FrontSite, stack: ExitStack, path: str = "/large") -> None:
    """Ask for a reply, and never receive it."""
    connection = stack.enter_context(socket.socket())
    connection.setblocking(False)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(connection, ("127.0.0.1", site.port))
    await loop.sock_sendall(connection, f"GET {path} HTTP/1.0\r\n\r\n".encode())


async def becomes_true(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 nobody tells when
            await asyncio.sleep(0)


def unread(site: FrontSite) -> list[int]:
    """The bytes that wait for each peer."""
    return [one.unread for one in site.connections._answering if one.unread]


def has_unread(site: FrontSite, number: int) -> bool:
    return len(unread(site)) == number


async def test_replies_that_nobody_receives_keep_nobody_out() -> None:
    async with served(ConnectionBounds(64, 4, MANY, MANY, MANY)) as site:
        with ExitStack() as stack:
            for number in range(1, 5):
                await hold(site, stack)
                await becomes_true(partial(has_unread, site, number))
            for _ in range(8):
                assert (await asked(site, b"GET / HTTP/1.0\r\n\r\n")).endswith(b"GET 0")


async def test_what_waits_for_its_peers_is_bounded() -> None:
    async with served(ConnectionBounds(64, 64, MANY, 2 * LARGE, LARGE + 2**16)) as site:
        with ExitStack() as stack:
            for _ in range(6):
                await hold(site, stack)
            await becomes_true(lambda: site.connections.dropped >= 3)
            assert sum(unread(site)) <= 2 * LARGE
    async with served(ConnectionBounds(64, 64, MANY, MANY, LARGE // 4)) as site:
        with ExitStack() as stack:
            await hold(site, stack)
            await becomes_true(lambda: site.connections.dropped == 1)


@pytest.mark.parametrize("timeouts", [Timeouts(60, 60, 0.05, 60), Timeouts(60, 60, 60, 0.05)])
async def test_a_peer_that_does_not_receive_is_left(
    timeouts: Timeouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_module, "LOOK_SECONDS", 0.01)
    async with served(timeouts=timeouts) as site:
        with ExitStack() as stack:
            await hold(site, stack)
            await becomes_true(lambda: bool(unread(site)))
            await becomes_true(lambda: len(site.connections) == 0)


async def test_a_body_is_what_its_length_says_where_nothing_is_guessed() -> None:
    body = "(é".encode()  # two characters of three bytes, which are no whole expression
    requests = {
        b"POST / HTTP/1.0\r\n\r\n": b"POST 0",
        b"PUT / HTTP/1.0\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body): b"PUT 3",
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n": b"POST 2",
        b"PUT / HTTP/1.0\r\nContent-Length: 101\r\n\r\n": b"more than 100 bytes",
    }
    async with served(reading=Reading(100, guesses=False)) as site:
        for data, end in requests.items():
            assert (await asked(site, data)).endswith(end)


# ---------------------------------------------------------------------- with a certificate

REQUEST = b"GET / HTTP/1.0\r\n\r\n"


@pytest.fixture(scope="module")
def contexts(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """The two sides of an encrypted connection: a server's, and a client's."""
    certificate, key = new_certificate(tmp_path_factory.mktemp("certificate"))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(certificate, key)
    return server, ssl.create_default_context(cafile=str(certificate))


class EncryptedClient:
    """A client that decides itself what it sends together."""

    def __init__(self, context: ssl.SSLContext, port: int) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname="127.0.0.1")
        self._port = port

    async def asked(self, data: bytes) -> bytes:
        """Send bytes with the last message of the handshake; return the whole reply."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        while not self._is_agreed():
            writer.write(self._outgoing.read())
            self._incoming.write(await reader.read(2**16))
        self._tls.write(data)
        writer.write(self._outgoing.read())
        found = b""
        while not found.endswith(b"GET 0"):
            self._incoming.write(await reader.read(2**16))
            with suppress(ssl.SSLWantReadError):
                found += self._tls.read()
        writer.close()
        return found

    def _is_agreed(self) -> bool:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        return True


async def test_a_request_that_comes_with_the_end_of_a_handshake_is_answered(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
) -> None:
    server, client = contexts
    async with served(tls=server) as site:
        assert b" 200 OK" in await EncryptedClient(client, site.port).asked(REQUEST)
        await becomes_true(lambda: not len(site.connections))


async def test_connections_that_agree_on_no_keys_are_counted_and_keep_nobody_out(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
) -> None:
    server, client = contexts
    async with served(ConnectionBounds(64, 4, MANY, MANY, MANY), tls=server) as site:
        silent = [await asyncio.open_connection("127.0.0.1", site.port) for _ in range(9)]
        for reader, _ in silent[:5]:
            assert await reader.read() == b""  # the oldest are closed
        assert len(site.connections) == 4
        assert b" 200 OK" in await EncryptedClient(client, site.port).asked(REQUEST)
        for _, writer in silent:
            writer.close()


async def test_a_handshake_has_a_time_limit(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_module, "HANDSHAKE_SECONDS", 0.01)
    async with served(tls=contexts[0]) as site:
        assert await asked(site, b"") == b""
        await becomes_true(lambda: not len(site.connections))


async def test_what_is_not_encrypted_is_closed_where_all_else_is(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
) -> None:
    async with served(tls=contexts[0]) as site:
        assert b"200 OK" not in await asked(site, REQUEST)
        await becomes_true(lambda: not len(site.connections))
