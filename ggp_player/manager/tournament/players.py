"""The players of a tournament: strategies, each started for a match, and player servers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import replace

from ggp_player.errors import ConfigError, ServerError, TournamentError
from ggp_player.events import EventBus
from ggp_player.manager.players import RemotePlayer, open_player, seat_of
from ggp_player.manager.tournament.games import TournamentGame
from ggp_player.match_runner.players import MatchPlayer
from ggp_player.play.human import human_seat
from ggp_player.protocol import Dialect, abort_text

ABORT_LIMIT = 15.0
"""Seconds to wait for the reply to an ABORT: a server may still be tidying up after its last match,
and would lose that time of its start clock."""


def check_players(players: Iterable[str], games: Mapping[str, TournamentGame]) -> None:
    """Raise TournamentError if a player is named twice, unknown, or unable to play a game."""
    seen: set[str | RemotePlayer] = set()
    for player in players:
        one = _without_dialect(player)
        if one in seen:
            raise TournamentError(f"{player} is named twice")
        seen.add(one)
        try:
            seat_of(player)
        except ConfigError as error:
            raise TournamentError(str(error)) from error
        large = [game for game in games.values() if len(game.roles) > 2]
        if large and is_remote(player):
            raise TournamentError(
                f"{large[0].name} has {len(large[0].roles)} roles, of which a player takes "
                f"several; the server at {player} can take one"
            )


def is_remote(player: str) -> bool:
    """Check whether a player is the address of a server."""
    return RemotePlayer.named(player) is not None


def takes_one_match(player: str) -> bool:
    """Check whether a player can be in one match at a time: a server, or a person."""
    return is_remote(player) or human_seat(player) is not None


async def start_player(
    player: str, seed: int, stack: AsyncExitStack, events: EventBus | None = None
) -> MatchPlayer:
    """Return a player; a strategy's processes are started, and end with the stack."""
    # On shared cores, thinking on the opponent's time would take that time from the opponent.
    return await open_player(seat_of(player, seed=seed, ponder=False), stack, events)


async def abort_match(players: Iterable[str], match_id: str) -> None:
    """Send ABORT to the servers among the players: they may still be in the match. Errors pass."""
    remotes = [RemotePlayer.named(player) for player in players]
    await asyncio.gather(*(_abort(one, match_id) for one in remotes if one is not None))


async def _abort(remote: RemotePlayer, match_id: str) -> None:
    with suppress(ServerError, TimeoutError):
        async with asyncio.timeout(ABORT_LIMIT):
            await remote.send(abort_text(remote.dialect, match_id))


def _without_dialect(player: str) -> str | RemotePlayer:
    """What a player is, however it is spoken to: a server is in one match at a time."""
    remote = RemotePlayer.named(player)
    return player if remote is None else replace(remote, dialect=Dialect.GGP_BASE)
