"""The order in which the matches of a schedule are played, several at a time.

A player server plays one match at a time, so a match waits until its servers are free. Where and
how a match is played is not decided here: :mod:`.match_play` does it in this process, and
:mod:`.cluster` on the machines of a Ray cluster.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

from ggp_player.manager.tournament.players import takes_one_match
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch

PlayMatch: TypeAlias = Callable[[PlannedMatch], Awaitable[MatchResult]]
"""Plays a match; a cancelled one aborts it."""


class MatchRunner:
    """Plays matches, at most ``concurrency`` at a time, and calls ``on_result`` after each."""

    def __init__(
        self, play: PlayMatch, on_result: Callable[[MatchResult], None], concurrency: int = 1
    ) -> None:
        self._play = play
        self._on_result = on_result
        self._concurrency = concurrency
        self._busy_players: set[str] = set()
        self._change = asyncio.Condition()

    async def run(self, matches: Iterable[PlannedMatch]) -> None:
        """Play the matches, in their order except where a server is busy with another match.

        Cancellation aborts the matches under way.
        """
        pending = list(matches)
        workers = [asyncio.create_task(self._work(pending)) for _ in range(self._concurrency)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                if not worker.cancelling():  # a second one would interrupt its ABORT
                    worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _work(self, pending: list[PlannedMatch]) -> None:
        """Play one match after the other until none is left."""
        while (match := await self._next(pending)) is not None:
            try:
                self._on_result(await self._play(match))
            finally:
                async with self._change:
                    self._busy_players.difference_update(match.players)
                    self._change.notify_all()

    async def _next(self, pending: list[PlannedMatch]) -> PlannedMatch | None:
        """Remove and return the first match whose servers are free; None if none is left."""
        async with self._change:
            while pending:
                for match in pending:
                    if self._busy_players.isdisjoint(match.players):
                        pending.remove(match)
                        self._busy_players.update(filter(takes_one_match, match.players))
                        return match
                await self._change.wait()
        return None
