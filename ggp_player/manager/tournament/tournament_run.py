"""A run of a tournament: play the matches that are missing, and show progress."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TypeAlias

from rich.console import Console
from rich.logging import RichHandler
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from gdl.cluster import connected
from gdl.errors import MissingLibraryError
from ggp_player.errors import TournamentError
from ggp_player.events import EventBus
from ggp_player.manager.players import check_reachable, seat_of
from ggp_player.manager.tournament.cluster import ClusterPlay
from ggp_player.manager.tournament.games import TournamentGame
from ggp_player.manager.tournament.match_play import MatchConditions, MatchPlay
from ggp_player.manager.tournament.players import takes_one_match
from ggp_player.manager.tournament.ratings import ratings
from ggp_player.manager.tournament.report import TournamentReport, result_line
from ggp_player.manager.tournament.results import Identity, MatchResult, ResultsLog, latest_results
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.manager.tournament.standings import standings

PlayMatch: TypeAlias = Callable[[PlannedMatch], Awaitable[MatchResult]]
"""Plays a match; a cancelled one aborts it."""


class TournamentRun:
    """Plays the matches that have no result yet, tells ``events`` of them, and reports on all."""

    def __init__(
        self,
        games: Mapping[str, TournamentGame],
        matches: Sequence[PlannedMatch],
        log: ResultsLog,
        console: Console,
        events: EventBus | None = None,
    ) -> None:
        self.console = console
        self._events = events or EventBus()
        self._games = games
        self._matches = matches
        self._log = log

    def play(
        self, conditions: MatchConditions, concurrency: int | None, ray: str | None = None
    ) -> bool:
        """Play the matches that are missing; return whether Ctrl-C interrupted them.

        ``ray`` is the address of a cluster to play on, where ``concurrency`` may be None: as many
        as there is room for. Raises :class:`TournamentError` where it cannot be reached,
        :class:`ServerError` where a player server cannot be, and OSError where a
        result cannot be written: it is among those that are reported all the same.
        """
        played = {result.key for result in self._results() if not result.failure}
        pending = [match for match in self._matches if match.key not in played]
        if ray is None:
            players = dict.fromkeys(player for match in pending for player in match.players)
            asyncio.run(check_reachable(map(seat_of, players)))
        if played:
            self._say(f"{len(played)} of {len(self._matches)} matches were played before")
        handler = RichHandler(console=self.console, show_time=False, show_path=False)
        logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[handler])
        columns = TextColumn("matches"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        hidden = not self.console.is_terminal
        with Progress(*columns, console=self.console, disable=hidden) as progress:
            task = progress.add_task("", total=len(self._matches), completed=len(played))

            def on_result(result: MatchResult) -> None:
                try:
                    self._log.append(result)
                finally:  # a result that cannot be written shall at least be read
                    self._say(result_line(result), "red" if result.failure else "")
                progress.advance(task, 0 if result.failure else 1)

            try:
                with self._player(conditions, pending, ray) as (play, room):
                    runner = MatchRunner(play, on_result, concurrency or room)
                    asyncio.run(runner.run(pending))
            except KeyboardInterrupt:
                return True
        return False

    @contextmanager
    def _player(
        self, conditions: MatchConditions, pending: Sequence[PlannedMatch], ray: str | None
    ) -> Iterator[tuple[PlayMatch, int]]:
        """Yield what plays a match, and how many matches there is room for at a time."""
        if ray is None:
            yield MatchPlay(self._games, conditions, self._events).play, 1
            return
        with ExitStack() as stack:
            try:
                cluster = stack.enter_context(connected(ray))
            except (MissingLibraryError, ConnectionError, ValueError) as error:
                raise TournamentError(str(error).strip()) from error
            found = ClusterPlay(cluster, self._games, conditions, pending, self._events)
            yield found.play, found.concurrency

    def report(self, identity: Identity, rates: bool) -> TournamentReport:
        """Sum up the matches that have been played."""
        found = self._results()
        table = standings(found, identity.players, list(identity.games))
        broke_off = sum(bool(result.failure) for result in found)
        return TournamentReport(
            identity=identity,
            standings=table,
            ratings=ratings(table.bouts, identity.players) if rates else {},
            planned=len(self._matches),
            played=len(found) - broke_off,
            broke_off=broke_off,
        )

    def _results(self) -> list[MatchResult]:
        """List the latest result of each match that has one, in the order of the schedule."""
        found = latest_results(self._log.results)
        return [found[match.key] for match in self._matches if match.key in found]

    def _say(self, line: str, style: str = "") -> None:
        self.console.print(Text(line, style=style), soft_wrap=True)


class MatchRunner:
    """Plays matches, at most ``concurrency`` at a time, and calls ``on_result`` after each.

    A player server plays one match at a time, so a match waits until its servers are free. Where
    and how a match is played is not decided here: :mod:`.match_play` does it in this process, and
    :mod:`.cluster` on the machines of a Ray cluster.
    """

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
