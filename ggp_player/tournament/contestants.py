"""Who plays in a tournament: strategies in processes of our own, and player servers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack, suppress

from ggp_player.config import load_config
from ggp_player.contestants import Contestant, LocalContestant, RemoteContestant
from ggp_player.errors import GgpPlayerError, ServerError
from ggp_player.player import Player
from ggp_player.protocol import Abort
from ggp_player.tournament.games import Game, TournamentError

ABORT_LIMIT = 1.0
"""Seconds to wait for the reply to an ABORT."""


def check_players(players: Iterable[str], games: Mapping[str, Game]) -> None:
    """Raise TournamentError with a sentence for the first thing that keeps players from playing."""
    seen: set[str] = set()
    for player in players:
        if player in seen:
            raise TournamentError(f"{player} is named twice")
        seen.add(player)
        if not is_remote(player):
            try:
                load_config(flags={"strategy": player})
            except GgpPlayerError as error:
                raise TournamentError(str(error)) from error
            continue
        for game in games.values():
            if len(game.roles) > 2:
                raise TournamentError(
                    f"{game.name} has {len(game.roles)} roles, of which a player takes several; "
                    f"the server at {player} can take one"
                )


def is_remote(player: str) -> bool:
    """Tell whether a player is a server's address."""
    return RemoteContestant.at(player) is not None


async def enter(player: str, seed: int, stack: AsyncExitStack) -> Contestant:
    """Return a contestant; a strategy's processes are started, and end with the stack."""
    remote = RemoteContestant.at(player)
    if remote is not None:
        return remote
    # On shared cores whoever thinks on the other's time takes from it.
    config = load_config(flags={"strategy": player, "seed": seed, "ponder": False})
    started = await stack.enter_async_context(Player(config))
    return LocalContestant(player, started)


async def clear(players: Iterable[str], match_id: str) -> None:
    """Have servers let go of a match that they may still be in from before; errors do not count."""
    request = str(Abort(match_id))
    remotes = [RemoteContestant.at(player) for player in players]
    await asyncio.gather(*(_ask(remote, request) for remote in remotes if remote is not None))


async def _ask(remote: RemoteContestant, request: str) -> None:
    with suppress(ServerError, TimeoutError):
        async with asyncio.timeout(ABORT_LIMIT):
            await remote.send(request)
