"""Which connections go when there are too many."""

from ggp_player.server.connections import SMALL_BODY, Bounds, Connections


class FakeConnection:
    def __init__(self, address: str, held: int = 0) -> None:
        self.address = address
        self.held = held
        self.is_dropped = False

    def drop(self) -> None:
        self.is_dropped = True


def opened(connections: Connections, *addresses: str) -> list[FakeConnection]:
    made = [FakeConnection(address) for address in addresses]
    for connection in made:
        connections.add(connection)
    return made


def dropped(made: list[FakeConnection]) -> list[int]:
    return [number for number, connection in enumerate(made) if connection.is_dropped]


def test_the_oldest_of_an_address_goes() -> None:
    connections = Connections(Bounds(9, 2, 0))
    assert dropped(opened(connections, "a", "b", "a", "a", "a")) == [0, 2]
    assert len(connections) == 3
    assert connections.dropped == 2


def test_the_address_that_has_most_gives_way() -> None:
    connections = Connections(Bounds(4, 4, 0))
    assert dropped(opened(connections, "b", "a", "a", "a", "c", "d")) == [1, 2]


def test_whoever_waits_for_a_reply_stays() -> None:
    connections = Connections(Bounds(2, 2, 0))
    first, second = opened(connections, "a", "a")
    connections.answering(first)
    (third,) = opened(connections, "a")
    assert (first.is_dropped, second.is_dropped, third.is_dropped) == (False, True, False)
    connections.answering(third)
    (fourth,) = opened(connections, "a")
    assert fourth.is_dropped
    connections.remove(first)
    (fifth,) = opened(connections, "a")
    assert not fifth.is_dropped


def test_large_bodies_are_bounded_together() -> None:
    connections = Connections(Bounds(9, 9, 4 * SMALL_BODY))
    made = [FakeConnection("a", SMALL_BODY * size) for size in (1, 3, 2, 2)]
    for connection in made:
        connections.add(connection)
    connections.bound_held()
    assert dropped(made) == [1]


def test_all_that_wait_for_their_peers_are_dropped_at_the_end() -> None:
    connections = Connections(Bounds(9, 9, 0))
    first, second = opened(connections, "a", "b")
    connections.answering(first)
    connections.drop_waiting()
    assert (first.is_dropped, second.is_dropped) == (False, True)
