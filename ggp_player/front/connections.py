"""How many connections are open, from whom, and which one goes when there are too many.

A peer may take for ever to send its request, and to receive its reply. So half of the
connections, and of those of an address, are for whoever has sent no whole request yet, and the
others for whoever waits for a reply. Where one more would exceed a bound, the oldest goes of the
address that has most: of those that wait for their peers; or of those with a reply, first the ones
whose peers do not receive it, then streams. A connection that is kept, as a game manager awaits a
move on it, never goes. So a game manager is served whatever strangers leave idle, from the same
address too.

What peers have not received yet is bounded in bytes, and in time: :meth:`Connections.drop_stalled`.
Replies without an end, such as pages that are kept up to date, are counted: :class:`Streams`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from gdl.system import raise_open_files_limit

MIN_CONNECTIONS = 8
"""How many there may be, however few files the system lets a server have."""

MAX_UNREAD = 64 * 2**20
"""Bytes of replies that wait for their peers, of all connections together."""

MAX_UNREAD_OF_ONE = 32 * 2**20
"""Bytes of replies that wait for one peer."""

SMALL_BODY = 2**16
"""Bytes of an unfinished body that count for nothing: the number of connections bounds them."""

SMALL_REPLY = 2**16
"""Bytes of a reply on its way that count for nothing, for the same reason."""


STALL_SECONDS = 20.0
"""How long a peer may receive nothing of a reply that waits for it."""

REPLY_SECONDS = 60.0
"""How long a peer may take to receive a reply that has an end."""


class Connection(Protocol):
    """A connection of an address, with so many bytes of a body that is not whole yet.

    ``unread`` are the bytes of its reply that the system has not taken over yet, and ``taken``
    those that it has. ``is_kept`` where it never goes, ``is_stream`` where its reply has no end.
    """

    address: str
    is_kept: bool
    is_stream: bool

    @property
    def held(self) -> int:
        """The bytes that are held of a body."""
        ...

    @property
    def unread(self) -> int:
        """The bytes of a reply that wait for the peer."""
        ...

    @property
    def taken(self) -> int:
        """The bytes of a reply that have gone."""
        ...

    def drop(self) -> None:
        """Close at once, without a reply."""
        ...


@dataclass(frozen=True, slots=True)
class ConnectionBounds:
    """How many connections there may be, in all and of one address, and their bytes in all.

    ``held`` are bytes of bodies that are not whole, ``unread`` those of replies on their way, and
    ``unread_of_one`` those of one connection.
    """

    connections: int
    of_address: int
    held: int
    unread: int = MAX_UNREAD
    unread_of_one: int = MAX_UNREAD_OF_ONE

    @classmethod
    def beside(cls, reserved: int, most: int, of_address: int, held: int) -> ConnectionBounds:
        """Bounds within which so many open files are left for all else."""
        room = raise_open_files_limit(most + reserved) - reserved
        found = max(MIN_CONNECTIONS, min(most, room))
        return cls(found, min(found, of_address), held)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The seconds that a peer has to send a head, and then a body; and to receive its reply.

    ``stall`` is how long it may receive nothing of what waits for it, ``reply`` how long it may
    have something waiting for it. A stream has no such end.
    """

    head: float
    body: float
    stall: float = STALL_SECONDS
    reply: float = REPLY_SECONDS


class _Standing(IntEnum):
    """What a connection with a whole request does; those of the least value go first."""

    UNREAD = 0
    STREAM = 1
    ANSWERING = 2


@dataclass(slots=True)
class _Progress:
    """How many bytes a peer had received, since when, and since when something waits for it."""

    taken: int
    since: float
    behind_since: float


class Connections:
    """The open connections of a server. ``dropped`` counts those that had to go."""

    def __init__(self, bounds: ConnectionBounds, timeouts: Timeouts) -> None:
        self.dropped = 0
        self._bounds = bounds
        self._timeouts = timeouts
        self._waiting: dict[str, dict[Connection, None]] = {}  # by address, the oldest first
        self._answering: dict[Connection, _Progress | None] = {}  # the oldest first
        self._of_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._of_address.total()

    def add(self, connection: Connection) -> None:
        """Note a new connection; another one goes, or this one, where there are too many."""
        address, bounds = connection.address, self._bounds
        self._waiting.setdefault(address, {})[connection] = None
        self._of_address[address] += 1
        if self._of_address[address] > bounds.of_address:
            self._make_room(address, bounds.of_address)
        elif len(self) > bounds.connections:
            self._make_room(None, bounds.connections)

    def answering(self, connection: Connection) -> None:
        """Note that the request of a connection is whole."""
        if self._stop_waiting(connection):
            self._answering[connection] = None

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is closed."""
        if connection in self._answering:
            del self._answering[connection]
        elif not self._stop_waiting(connection):
            return
        self._of_address -= Counter((connection.address,))

    def bound_held(self) -> None:
        """Drop the oldest large bodies that are not whole yet until the rest is within bounds."""
        waiting = (other for found in self._waiting.values() for other in found)
        large = [other for other in waiting if other.held > SMALL_BODY]
        held = sum(other.held for other in large)
        for other in large:
            if held <= self._bounds.held:
                break
            held -= other.held
            self._drop(other)

    def bound_unread(self, connection: Connection) -> None:
        """Drop replies that wait for their peers until the rest is within bounds.

        The oldest goes first, of the address with most bytes. To be called when the reply of a
        connection has grown.
        """
        if connection.unread > self._bounds.unread_of_one:
            self._drop(connection)
            return
        large = [other for other in self._candidates(None) if other.unread > SMALL_REPLY]
        while sum(other.unread for other in large) > self._bounds.unread:
            of_address: Counter[str] = Counter()
            for other in large:
                of_address[other.address] += other.unread
            crowd = of_address.most_common(1)[0][0]
            oldest = next(other for other in large if other.address == crowd)
            large.remove(oldest)
            self._drop(oldest)

    def drop_stalled(self, now: float) -> None:
        """Drop connections whose peers receive nothing for too long, or too little in their time.

        To be called again and again, with the seconds of one clock.
        """
        for connection in list(self._answering):
            progress = self._answering[connection]
            if not connection.unread:
                self._answering[connection] = None
            elif progress is None:
                self._answering[connection] = _Progress(connection.taken, now, now)
            elif self._is_stalled(connection, progress, now):
                self._drop(connection)

    def drop_waiting(self) -> None:
        """Drop every connection whose request is not whole."""
        for connection in [one for found in self._waiting.values() for one in found]:
            self.remove(connection)
            connection.drop()

    def _is_stalled(self, connection: Connection, progress: _Progress, now: float) -> bool:
        if connection.taken != progress.taken:
            progress.taken, progress.since = connection.taken, now
        is_behind = now - progress.behind_since >= self._timeouts.reply
        return now - progress.since >= self._timeouts.stall or (
            is_behind and not connection.is_stream
        )

    def _make_room(self, address: str | None, most: int) -> None:
        """Drop a connection, where an address is given one of that address."""
        waiting = self._waiting if address is None else {address: self._waiting[address]}
        if sum(map(len, waiting.values())) <= most // 2:
            candidates = self._candidates(address)
            if candidates:
                crowd = Counter(one.address for one in candidates).most_common(1)[0][0]
                of_crowd = [one for one in candidates if one.address == crowd]
                self._drop(min(of_crowd, key=_standing))  # the oldest of them
                return
        crowd = max(waiting, key=lambda one: len(waiting[one]))
        self._drop(next(iter(waiting[crowd])))

    def _candidates(self, address: str | None) -> list[Connection]:
        """Those with a whole request that may go, the oldest first."""
        return [
            one
            for one in self._answering
            if not one.is_kept and (address is None or one.address == address)
        ]

    def _stop_waiting(self, connection: Connection) -> bool:
        """Return whether the connection had no whole request; then that is forgotten."""
        found = self._waiting.get(connection.address, {})
        if connection not in found:
            return False
        del found[connection]
        if not found:
            del self._waiting[connection.address]
        return True

    def _drop(self, connection: Connection) -> None:
        self.dropped += 1
        self.remove(connection)
        connection.drop()


class Streams:
    """Counts streams: at most ``most`` at a time, and ``of_address`` of one address."""

    def __init__(self, most: int, of_address: int) -> None:
        self._most = most
        self._of_address_most = of_address
        self._of_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._of_address.total()

    def has_room(self, address: str | None) -> bool:
        """Return whether an address may open one more."""
        return len(self) < self._most and self._of_address[address or ""] < self._of_address_most

    @contextmanager
    def counted(self, address: str | None) -> Iterator[None]:
        """Count a stream of an address while this is entered."""
        self._of_address[address or ""] += 1
        try:
            yield
        finally:
            self._of_address -= Counter((address or "",))


def _standing(connection: Connection) -> _Standing:
    if connection.is_stream:
        return _Standing.STREAM
    return _Standing.UNREAD if connection.unread else _Standing.ANSWERING
