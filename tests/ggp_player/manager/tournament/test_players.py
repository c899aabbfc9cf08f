"""Players of tournaments: which are refused, and how servers abort matches."""

import asyncio
from contextlib import AsyncExitStack

import pytest

import gdl
from ggp_player.errors import TournamentError
from ggp_player.manager.players import RemotePlayer
from ggp_player.manager.tournament.games import TournamentGame
from ggp_player.manager.tournament.players import (
    abort_match,
    check_players,
    is_remote,
    start_player,
)
from ggp_player.match_runner.players import LocalPlayer
from tests.support.command_line import CLOSED
from tests.support.serving import recorded


async def test_clearing_aborts_the_match_at_servers_and_nowhere_else() -> None:
    async def busy(_text: str) -> str:
        return "busy"

    async with recorded(busy) as (address, received):
        await abort_match([address, "random", CLOSED], "nim.1")
        await abort_match([f"{address}#C"], "nim.1")
    assert received == ["( ABORT nim.1 )", "(STOP nim.1 0 NIL NIL)"]


async def test_a_server_that_is_still_tidying_up_is_waited_for() -> None:
    asked, tidied = asyncio.Event(), asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b")")
        asked.set()
        await tidied.wait()
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        aborting = asyncio.create_task(abort_match([f"127.0.0.1:{port}"], "nim.1"))
        await asked.wait()
        assert not aborting.done()
        tidied.set()
        await aborting


async def test_strategies_and_addresses_enter() -> None:
    async with AsyncExitStack() as stack:
        remote = await start_player(CLOSED, 1, stack)
        local = await start_player("bounded_minimax:upper=51", 53, stack)
        assert remote == RemotePlayer("127.0.0.1", 1)
        assert isinstance(local, LocalPlayer)
        assert local.name == local.player.config.strategy == "bounded_minimax:upper=51"
        assert local.player.config.seed == 53
        assert (await local.send("( INFO )")).startswith("( ( name ")


@pytest.mark.parametrize(
    ("player", "expected"),
    [(CLOSED, True), (f"{CLOSED}#E", True), ("minimax", False), ("max_n:depth=3", False)],
)
def test_an_address_is_no_strategy(player: str, expected: bool) -> None:
    assert is_remote(player) is expected


def test_players_are_checked_before_anything_is_played() -> None:
    trio = TournamentGame("trio", gdl.parse("(role a) (role b) (role c)"), ("a", "b", "c"))
    check_players(["minimax", "random"], {"trio": trio})
    check_players(["minimax", CLOSED], {})
    with pytest.raises(TournamentError, match="#C is named twice"):
        check_players([CLOSED, f"{CLOSED}#C"], {})
    with pytest.raises(TournamentError, match="trio has 3 roles"):
        check_players(["minimax", CLOSED], {"trio": trio})
    with pytest.raises(TournamentError, match="minimax is named twice"):
        check_players(["minimax", "minimax"], {})
    with pytest.raises(TournamentError, match="no strategy 'cleverest'"):
        check_players(["cleverest"], {})
