"""Playing one match of a schedule in this process.

Each match has its own game manager and its own player for each seat, whose worker processes start
and end with the match: nothing carries over between matches except what a player server keeps. A
server gets ABORT first: if an earlier run was killed, it may still be in that match.

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
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import gdl
from gdl import GdlError
from gdl.state_machine import RuledMachine
from ggp_player.clock import monotonic
from ggp_player.errors import GgpPlayerError, MatchError
from ggp_player.events import EventBus
from ggp_player.manager.tournament.games import TournamentGame
from ggp_player.manager.tournament.match_log import MatchLog, warnings_of_match
from ggp_player.manager.tournament.players import abort_match, start_player
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.match_rules import LocalRules
from ggp_player.match_runner.game_manager import GameManager, MatchSetup, MatchStep
from ggp_player.protocol import CONNECTION_ERROR, MAX_STATE_CHARACTERS, MatchRecord

DEFAULT_MAX_STEPS = 1000


@dataclass(frozen=True, slots=True)
class MatchConditions:
    """The settings that all matches share. Clocks are in seconds.

    A match that has not ended after ``max_steps`` is broken off. Match records go to the folder
    ``records``, if any, and have the ``states`` or not.
    """

    start_clock: int
    play_clock: int
    scramble: bool = False
    max_steps: int = DEFAULT_MAX_STEPS
    records: Path | None = None
    states: bool = True


class MatchPlay:
    """Plays matches of some games, any number at a time, and tells ``events`` what happens."""

    def __init__(
        self,
        games: Mapping[str, TournamentGame],
        conditions: MatchConditions,
        events: EventBus | None = None,
    ) -> None:
        self._games = games
        self._conditions = conditions
        self._events = events or EventBus()
        self._machines: dict[str, list[RuledMachine]] = defaultdict(list)

    async def play(self, match: PlannedMatch) -> MatchResult:
        """Play a match, and save its record, of one that is cancelled too."""
        result, _ = await self.play_recorded(match)
        return result

    async def play_recorded(self, match: PlannedMatch) -> tuple[MatchResult, MatchRecord | None]:
        """Play a match; return its record with the result, None where it did not begin."""
        game = self._games[match.game]
        idle = self._machines[match.game]  # a machine serves one match at a time
        machine = idle.pop() if idle else await asyncio.to_thread(gdl.interpret, game.ruleset)
        await abort_match(match.players, match.match_id)
        in_progress = _MatchInProgress(match, game, self._conditions, self._events)
        try:
            with warnings_of_match() as warnings:
                result = await in_progress.run(machine)
        finally:
            unsaved = save_record(in_progress.record, match, self._conditions.records)
        if unsaved and not result.failure:
            result = replace(result, failure=unsaved)
        idle.append(machine)
        return replace(result, warnings=tuple(warnings)), in_progress.record


def save_record(record: MatchRecord | None, match: PlannedMatch, folder: Path | None) -> str:
    """Save the record of a match in a folder, if there are both; return why that failed."""
    if record is None or folder is None:
        return ""
    try:
        record.save(folder / f"{match.match_id}.json")
    except OSError as error:
        return f"its record cannot be written to {error.filename}: {error.strerror}"
    return ""


@dataclass(slots=True)
class _MatchInProgress:
    """One match being played, and what its result is made of."""

    match: PlannedMatch
    game: TournamentGame
    conditions: MatchConditions
    events: EventBus
    record: MatchRecord | None = None

    async def run(self, machine: RuledMachine) -> MatchResult:
        """Play the match and return its result, even if the match is broken off."""
        log = MatchLog(self.match, machine.roles, self.conditions.max_steps)
        began, failure = monotonic(), ""
        goals: tuple[int | None, ...] = ()
        try:
            goals = await self._goals(machine, log)
        except (GgpPlayerError, GdlError, OSError, RecursionError) as error:
            failure = " ".join(str(error).split()) or type(error).__name__
        return log.result(goals, began, failure)

    async def _goals(self, machine: RuledMachine, log: MatchLog) -> tuple[int | None, ...]:
        """Play the match to its end and return the goals of all roles."""
        match = self.match
        rules = LocalRules(machine, MAX_STATE_CHARACTERS if self.conditions.states else 0)
        async with AsyncExitStack() as stack:
            players = [
                await start_player(player, match.seed, stack, self.events)
                for player in match.players
            ]
            manager = await asyncio.to_thread(
                GameManager, self._setup(), rules, players, partial(self._on_step, log)
            )
            try:
                await manager.run()
            finally:
                self.record = manager.record()
            return manager.goals

    def _setup(self) -> MatchSetup:
        return MatchSetup(
            self.game.ruleset,
            match_id=self.match.match_id,
            start_clock=self.conditions.start_clock,
            play_clock=self.conditions.play_clock,
            seed=self.match.seed,
            scramble=self.conditions.scramble,
            start_time=time.time_ns() // 1_000_000,
            rulesheet_url=self.game.url,
            events=self.events,
        )

    def _on_step(self, log: MatchLog, step: MatchStep) -> None:
        """Keep a step; break the match off if a player is unreachable or it does not end."""
        log.add(step)
        if step.number == 0:
            errors = [step.errors[index] for index in log.seats]
            for player, error in zip(self.match.players, errors, strict=True):
                if error == CONNECTION_ERROR:
                    raise MatchError(f"{player} could not be reached at the start")
