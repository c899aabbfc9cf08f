"""Which connections go when there are too many, and how many streams there are."""

from contextlib import ExitStack

from ggp_player.front.connections import (
    REPLY_SECONDS,
    SMALL_BODY,
    SMALL_REPLY,
    STALL_SECONDS,
    ConnectionBounds,
    Connections,
    Streams,
    Timeouts,
)


class FakeConnection:
    def __init__(self, address: str, held: int = 0) -> None:
        self.address = address
        self.held = held
        self.unread = 0
        self.taken = 0
        self.is_kept = False
        self.is_stream = False
        self.is_dropped = False

    def drop(self) -> None:
        self.is_dropped = True


def bounded(connections: int, of_address: int, held: int = 0, unread: int = 0) -> Connections:
    bounds = ConnectionBounds(connections, of_address, held, unread, unread)
    return Connections(bounds, Timeouts(1, 1))


def opened(connections: Connections, *addresses: str) -> list[FakeConnection]:
    made = [FakeConnection(address) for address in addresses]
    for connection in made:
        connections.add(connection)
    return made


def dropped(made: list[FakeConnection]) -> list[int]:
    return [number for number, connection in enumerate(made) if connection.is_dropped]


def test_the_oldest_of_an_address_goes() -> None:
    connections = bounded(9, 2)
    assert dropped(opened(connections, "a", "b", "a", "a", "a")) == [0, 2]
    assert len(connections) == 3
    assert connections.dropped == 2


def test_the_address_that_has_most_gives_way() -> None:
    connections = bounded(4, 4)
    assert dropped(opened(connections, "b", "a", "a", "a", "c", "d")) == [1, 2]


def answering(connections: Connections, *addresses: str) -> list[FakeConnection]:
    made = opened(connections, *addresses)
    for connection in made:
        connections.answering(connection)
    return made


def test_half_of_the_connections_are_for_those_that_wait_for_a_reply() -> None:
    connections = bounded(4, 4)
    first = answering(connections, "a", "a")
    assert dropped(opened(connections, "a", "a", "a")) == [0]
    assert dropped(first) == []
    second = answering(connections, "a")
    assert dropped(opened(connections, "a")) == []
    assert (dropped(first), dropped(second)) == ([0], [])


def test_whoever_waits_for_a_move_stays() -> None:
    connections = bounded(2, 2)
    kept = answering(connections, "a", "a")
    for connection in kept:
        connection.is_kept = True
    assert dropped(opened(connections, "a", "b")) == [0, 1]
    assert dropped(kept) == []
    connections.remove(kept[0])
    assert dropped(opened(connections, "b")) == []


def test_replies_that_are_not_received_go_first_and_then_streams() -> None:
    connections = bounded(9, 3)
    answered, stream, unread = made = answering(connections, "a", "a", "a")
    stream.is_stream, unread.unread = True, 1
    for last in (unread, stream, answered):
        (newest,) = opened(connections, "a")
        assert last.is_dropped
        assert not newest.is_dropped
        connections.remove(newest)
        (kept,) = answering(connections, "a")
        kept.is_kept = True
    assert dropped(made) == [0, 1, 2]


def test_replies_on_their_way_are_bounded_together() -> None:
    connections = bounded(9, 9, unread=5 * SMALL_REPLY)
    made = answering(connections, "a", "b", "b", "b")
    for connection, size in zip(made, (1, 2, 2, 1), strict=True):
        connection.unread = SMALL_REPLY * size + 1
    connections.bound_unread(made[0])
    assert dropped(made) == [1]
    made[0].unread = 5 * SMALL_REPLY + 1
    connections.bound_unread(made[0])
    assert dropped(made) == [0, 1]


def test_a_peer_that_receives_nothing_for_too_long_is_dropped() -> None:
    connections = bounded(9, 9)
    idle, stalled, slow = made = answering(connections, "a", "a", "a")
    stalled.unread = slow.unread = 10
    for now in range(int(STALL_SECONDS)):
        slow.taken += 1
        connections.drop_stalled(now)
    assert dropped(made) == []
    connections.drop_stalled(STALL_SECONDS)
    assert dropped(made) == [1]
    assert not idle.is_dropped


def test_a_reply_is_received_in_its_time_and_a_stream_has_no_end() -> None:
    connections = bounded(9, 9)
    reply, stream, caught_up = made = answering(connections, "a", "a", "a")
    stream.is_stream = True
    for now in range(int(REPLY_SECONDS) + 1):
        for connection in made:
            connection.unread, connection.taken = 10, connection.taken + 1
        caught_up.unread = 0 if now == 30 else 10
        connections.drop_stalled(now)
    assert dropped(made) == [0]
    assert reply.is_dropped
    assert len(connections) == 2


def test_large_bodies_are_bounded_together() -> None:
    connections = bounded(9, 9, 4 * SMALL_BODY)
    made = [FakeConnection("a", SMALL_BODY * size) for size in (1, 3, 2, 2)]
    for connection in made:
        connections.add(connection)
    connections.bound_held()
    assert dropped(made) == [1]


def test_all_that_wait_for_their_peers_are_dropped_at_the_end() -> None:
    connections = bounded(9, 9)
    first, second = opened(connections, "a", "b")
    connections.answering(first)
    connections.drop_waiting()
    assert (first.is_dropped, second.is_dropped) == (False, True)


def test_streams_are_counted_in_all_and_of_an_address() -> None:
    streams = Streams(3, 2)
    with ExitStack() as stack:
        for address in ("a", "a", "b"):
            assert streams.has_room(address)
            stack.enter_context(streams.counted(address))
            assert streams.has_room("a") == (len(streams) < 2)
        assert not streams.has_room("c")
    assert len(streams) == 0
    assert streams.has_room("a")
