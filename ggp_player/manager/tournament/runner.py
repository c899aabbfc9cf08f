"""Playing the matches of a schedule, several at a time.

Each match has its own game manager and its own player for each seat, whose worker processes start
and end with the match: nothing carries over between matches except what a player server keeps. A
server plays one match at a time, and gets ABORT first: if an earlier run was killed, the server may
still be in that match.

CPU use of a match: a seat's search is one process that thinks from START until its first move, and
then while the player has a move to choose. It does not think on the other players' time. So after
the start clock one process is busy in a game of turns, and one for each seat in a game of
simultaneous moves. The process takes one core, unless its strategy has threads:
``auto`` has one for each core by default, ``auto:threads=1`` a single one.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import gdl
from gdl import GdlError, StateMachine
from ggp_player.clock import monotonic
from ggp_player.errors import GgpPlayerError
from ggp_player.events import EventBus
from ggp_player.manager import GameManager, MatchError, MatchSetup, MatchStep
from ggp_player.manager.tournament.games import TournamentGame
from ggp_player.manager.tournament.match_log import MatchLog
from ggp_player.manager.tournament.match_warnings import collecting_warnings, warnings_of_match
from ggp_player.manager.tournament.players import abort_match, start_player, takes_one_match
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.protocol import CONNECTION_ERROR

DEFAULT_MAX_STEPS = 1000


@dataclass(frozen=True, slots=True)
class MatchConditions:
    """The settings that all matches share. Clocks are in seconds.

    A match that has not ended after ``max_steps`` is broken off. Match records go to the folder
    ``records``, if any, and what happens in them is told to ``events``.
    """

    start_clock: int
    play_clock: int
    scramble: bool = False
    max_steps: int = DEFAULT_MAX_STEPS
    records: Path | None = None
    events: EventBus = field(default_factory=EventBus, compare=False, repr=False)


class MatchRunner:
    """Plays matches, at most ``concurrency`` at a time, and calls ``on_result`` after each."""

    def __init__(
        self,
        games: Mapping[str, TournamentGame],
        conditions: MatchConditions,
        on_result: Callable[[MatchResult], None],
        concurrency: int = 1,
    ) -> None:
        self._games = games
        self._conditions = conditions
        self._on_result = on_result
        self._concurrency = concurrency
        self._busy_players: set[str] = set()
        self._change = asyncio.Condition()
        self._machines: dict[str, list[StateMachine]] = defaultdict(list)

    async def run(self, matches: Iterable[PlannedMatch]) -> None:
        """Play the matches, in their order except where a server is busy with another match.

        Cancellation aborts the matches under way.
        """
        pending = list(matches)
        with collecting_warnings():
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

    async def _play(self, match: PlannedMatch) -> MatchResult:
        game = self._games[match.game]
        idle = self._machines[match.game]  # a machine serves one match at a time
        machine = idle.pop() if idle else await asyncio.to_thread(gdl.interpret, game.ruleset)
        await abort_match(match.players, match.match_id)
        with warnings_of_match() as warnings:
            result = await _MatchInProgress(match, game, self._conditions).run(machine)
        idle.append(machine)
        return replace(result, warnings=tuple(warnings))


class _MatchInProgress:
    """One match being played, and what its result is made of."""

    def __init__(
        self, match: PlannedMatch, game: TournamentGame, conditions: MatchConditions
    ) -> None:
        self._match = match
        self._game = game
        self._conditions = conditions

    async def run(self, machine: StateMachine) -> MatchResult:
        """Play the match and return its result, even if the match is broken off."""
        log = MatchLog(self._match, machine.roles, self._conditions.max_steps)
        began, failure = monotonic(), ""
        goals: tuple[int | None, ...] = ()
        try:
            goals = await self._goals(machine, log)
        except (GgpPlayerError, GdlError, OSError, RecursionError) as error:
            failure = " ".join(str(error).split()) or type(error).__name__
        return log.result(goals, began, failure)

    async def _goals(self, machine: StateMachine, log: MatchLog) -> tuple[int | None, ...]:
        """Play the match to its end and return the goals of all roles."""
        match = self._match
        async with AsyncExitStack() as stack:
            events = self._conditions.events
            players = [
                await start_player(player, match.seed, stack, events) for player in match.players
            ]
            manager = await asyncio.to_thread(
                GameManager, self._setup(), machine, players, partial(self._on_step, log)
            )
            try:
                await manager.run()
            finally:
                if self._conditions.records is not None:
                    manager.record().save(self._conditions.records / f"{match.match_id}.json")
            return manager.goals

    def _setup(self) -> MatchSetup:
        return MatchSetup(
            self._game.ruleset,
            match_id=self._match.match_id,
            start_clock=self._conditions.start_clock,
            play_clock=self._conditions.play_clock,
            seed=self._match.seed,
            scramble=self._conditions.scramble,
            start_time=time.time_ns() // 1_000_000,
            rulesheet_url=self._game.url,
            events=self._conditions.events,
        )

    def _on_step(self, log: MatchLog, step: MatchStep) -> None:
        """Keep a step; break the match off if a player is unreachable or it does not end."""
        log.add(step)
        if step.number == 0:
            errors = [step.errors[index] for index in log.seats]
            for player, error in zip(self._match.players, errors, strict=True):
                if error == CONNECTION_ERROR:
                    raise MatchError(f"{player} could not be reached at the start")
