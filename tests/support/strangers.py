"""Strangers on bare sockets: connections that send nothing, too little, or too slowly."""

from __future__ import annotations

import resource
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tests.support.left_behind import HANGING

HALF_HEAD = b"POST / HTTP/1.0\r\nContent-Le"
HALF_BODY = b"POST / HTTP/1.0\r\nContent-Length: 1000\r\n\r\n(PLAY "

Address = tuple[str, int]


def raise_our_limit() -> None:
    """Let this process open as many sockets as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2**14)), hard))


@contextmanager
def open_connections(address: Address, count: int, data: bytes = b"") -> Iterator[None]:
    """Keep connections open that have sent so much, and never send more."""
    raise_our_limit()
    sockets = []
    try:
        for _ in range(count):
            connection = socket.socket()
            connection.setblocking(False)
            sockets.append(connection)
            with suppress(BlockingIOError):
                connection.connect(address)
        for connection in sockets if data else ():
            connection.settimeout(5)
            with suppress(OSError):  # it has been closed already
                connection.send(data)
        yield
    finally:
        for connection in sockets:
            connection.close()


@contextmanager
def all_the_while(attack: Callable[[], None], threads: int = 1) -> Iterator[None]:
    """Repeat an attack in threads."""
    is_over = threading.Event()

    def repeat() -> None:
        while not is_over.is_set():
            with suppress(OSError):
                attack()

    running = [threading.Thread(target=repeat) for _ in range(threads)]
    for thread in running:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        for thread in running:
            thread.join()


def send(address: Address, data: bytes, limit: float = HANGING) -> bytes:
    """Send bytes, and return all that comes back."""
    received = b""
    with socket.create_connection(address, timeout=limit) as connection:
        with suppress(ConnectionError):  # refused before all is sent
            connection.sendall(data)
        with suppress(ConnectionError):
            while chunk := connection.recv(2**16):
                received += chunk
    return received


def post(body: bytes, *headers: str) -> bytes:
    """Write a request as a careful sender does."""
    lines = ("POST / HTTP/1.0", f"Content-Length: {len(body)}", *headers, "", "")
    return "\r\n".join(lines).encode() + body
