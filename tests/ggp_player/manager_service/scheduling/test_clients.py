"""In which dialect the manager speaks to a registered player, and what it sends then."""

from contextlib import AbstractAsyncContextManager, AsyncExitStack

import pytest

from gdl import parse
from ggp_player.errors import ManagerError
from ggp_player.manager.players import RemotePlayer
from ggp_player.manager_service.scheduling.clients import (
    Clients,
    check_address,
    dialect_for,
    speaks,
)
from ggp_player.manager_service.storage.store import StoredPlayer
from ggp_player.protocol import Dialect, InfoReply
from tests.support.serving import recorded


def player(*dialects: str, address: str = "127.0.0.1:1") -> StoredPlayer:
    return StoredPlayer("ann", address, dialects)


def answering(reply: str) -> AbstractAsyncContextManager[tuple[str, list[str]]]:
    """A server with one reply to all: its address, and the messages that it got."""

    async def same(_: str) -> str:
        return reply

    return recorded(same)


@pytest.mark.parametrize(
    ("dialects", "plain", "with_percepts"),
    [
        ((), "A", "C"),
        (("F",), "A", "C"),
        (("E", "D", "C'", "C", "B", "A"), "A", "C"),
        (("C'", "A"), "A", "C'"),
        (("C", "E", "B"), "E", "C"),
        (("B", "D"), "D", "C"),  # others would be told what is hidden
        (("C'",), "C'", "C'"),
    ],
)
async def test_the_dialect_is_the_best_for_the_game(
    dialects: tuple[str, ...], plain: str, with_percepts: str
) -> None:
    assert dialect_for(player(*dialects)) == plain
    assert dialect_for(player(*dialects), tells_percepts=True) == with_percepts
    async with AsyncExitStack() as stack:
        client = await Clients().open(player(*dialects), stack, 1, parse("(sees ann it)"))
    assert client == RemotePlayer("127.0.0.1", 1, title="ann", dialect=Dialect(with_percepts))


@pytest.mark.parametrize(
    ("dialect", "asked", "reply"),
    [
        ("A", "( INFO )", "( ( name x ) ( status available ) )"),
        ("C", "( INFO )", "( ( name x ) ( status available ) )"),
        ("D", "(info)", "((name x) (status available))"),
        ("E", "info()", "info(name(x),status(available))"),
    ],
)
async def test_the_status_is_asked_for_in_the_players_dialect(
    dialect: str, asked: str, reply: str
) -> None:
    async with answering(reply) as (address, received):
        found = await Clients().ask_info(player(dialect, address=address))
    assert received == [asked]
    assert found == InfoReply("x", "available")


@pytest.mark.parametrize(
    ("dialect", "sent"),
    [("A", "( ABORT m1 )"), ("C", "(STOP m1 0 NIL NIL)"), ("E", "abort(m1)")],
)
async def test_a_match_is_left_in_the_players_dialect(dialect: str, sent: str) -> None:
    async with answering("done") as (address, received):
        await Clients().abort(player(dialect, address=address), "m1")
    assert received == [sent]


def test_players_that_only_poll_cannot_be_spoken_to() -> None:
    assert speaks(())
    assert speaks(("F", "C'"))
    assert not speaks(("F",))


def test_a_registered_address_names_no_dialect() -> None:
    check_address("127.0.0.1:1")
    with pytest.raises(ManagerError, match="expected host:port"):
        check_address("127.0.0.1:1#C")
