"""How many connections are open, from whom, and which one goes when there are too many.

A connection that has sent its whole request is kept until it has its reply. The others wait for
their peers, and a peer may take for ever: where one more would exceed a bound, the oldest of them
is closed, of the address that has most. So a game manager, whose requests are whole in
milliseconds, is served however many connections a stranger leaves idle, from the same address too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Protocol

SMALL_BODY = 2**16
"""Bytes of an unfinished body that count for nothing: the number of connections bounds them."""


class Connection(Protocol):
    """A connection of an address, with so many bytes of a body that is not whole yet."""

    address: str

    @property
    def held(self) -> int:
        """The bytes that are held."""
        ...

    def drop(self) -> None:
        """Close at once, without a reply."""
        ...


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many connections there may be, in all and of one address, and their bytes in all."""

    connections: int
    of_address: int
    held: int


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The seconds that a peer has to send a head, and then a body."""

    head: float
    body: float


class Connections:
    """The open connections of a server. ``dropped`` counts those that had to go."""

    def __init__(self, bounds: Bounds) -> None:
        self.dropped = 0
        self._bounds = bounds
        self._waiting: dict[Connection, None] = {}  # the oldest first
        self._answering: set[Connection] = set()
        self._of_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._answering)

    def add(self, connection: Connection) -> None:
        """Note a new connection; another one goes, or this one, where there are too many."""
        self._waiting[connection] = None
        self._of_address[connection.address] += 1
        if self._of_address[connection.address] > self._bounds.of_address:
            self._drop_oldest_of(connection.address)
        elif len(self) > self._bounds.connections:
            waiting = Counter(other.address for other in self._waiting)
            self._drop_oldest_of(waiting.most_common(1)[0][0])

    def answering(self, connection: Connection) -> None:
        """Note that the request of a connection is whole."""
        if connection in self._waiting:
            del self._waiting[connection]
            self._answering.add(connection)

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        if connection in self._waiting or connection in self._answering:
            self._waiting.pop(connection, None)
            self._answering.discard(connection)
            self._of_address -= Counter((connection.address,))

    def bound_held(self) -> None:
        """Drop the oldest large bodies that are not whole yet until the rest is within bounds."""
        large = [other for other in self._waiting if other.held > SMALL_BODY]
        held = sum(other.held for other in large)
        for other in large:
            if held <= self._bounds.held:
                break
            held -= other.held
            self._drop(other)

    def drop_waiting(self) -> None:
        """Drop every connection whose request is not whole."""
        for connection in list(self._waiting):
            self.remove(connection)
            connection.drop()

    def _drop_oldest_of(self, address: str) -> None:
        self._drop(next(other for other in self._waiting if other.address == address))

    def _drop(self, connection: Connection) -> None:
        self.dropped += 1
        self.remove(connection)
        connection.drop()
