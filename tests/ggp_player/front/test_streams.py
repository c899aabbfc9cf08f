"""How many streams there are, in all and of one address."""

from contextlib import ExitStack

from ggp_player.front import Streams


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
