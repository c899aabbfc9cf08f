"""One match as the scheduler has it played, and results that organisers decide.

Apart from the scheduler, which says when a match begins, and whether it is played again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

import gdl
from gdl import GdlError
from ggp_player.clock import monotonic
from ggp_player.errors import GgpPlayerError
from ggp_player.manager.tournament.match_log import MatchLog
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.manager_service.scheduling.clients import AbsentPlayer
from ggp_player.manager_service.storage.store import EventMatch, StoredEvent
from ggp_player.match_runner.game_manager import GameManager, MatchSetup, MatchStep
from ggp_player.match_runner.own_faults import LackError, lack_in
from ggp_player.match_runner.players import MatchPlayer

if TYPE_CHECKING:
    from ggp_player.manager_service.scheduling.scheduler import Scheduler

MAX_LACKS = 5
"""How often a match may be broken off for a lack of the manager's own, before it has failed."""

_RESULT = TypeAdapter(MatchResult)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Decision:
    """A result by decision: goal values, one for each role that a player takes, and why."""

    goals: tuple[int, ...]
    reason: str


class MatchInService:
    """One match being played: its players, its steps, its result and record.

    Where it is broken off for a lack of the manager's own, :class:`LackError` is raised;
    ``is_last`` has it fail. Where :meth:`decide` breaks it off, it has the result that is given.
    """

    def __init__(
        self, scheduler: Scheduler, event: StoredEvent, match: EventMatch, is_last: bool
    ) -> None:
        self._is_last = is_last
        self._scheduler = scheduler
        self._event = event
        self._match = match
        self._manager: GameManager | None = None
        self._playing: asyncio.Task[str] | None = None
        self._decision: Decision | None = None

    def decide(self, decision: Decision) -> bool:
        """Break the match off with a result; return whether it was still being played."""
        if self._playing is None or self._playing.done() or self._decision is not None:
            return False
        self._decision = decision
        self._playing.cancel()
        return True

    async def run(self) -> MatchResult:
        """Play the match, have its result and record kept, and only then tell the players."""
        match, scheduler = self._match, self._scheduler
        began = monotonic()
        planned = PlannedMatch(match.match_id, match.game, match.round, match.players, match.seed)
        _, role_names = await scheduler.call(scheduler.store.rules, match.digest)
        roles = tuple(gdl.Constant(name) for name in role_names)
        log = MatchLog(planned, roles, self._event.settings["max_steps"])
        async with AsyncExitStack() as stack:
            failure = await self._play_unless_decided(stack, log)
            manager, decision = self._manager, self._decision
            record = await asyncio.to_thread(_record_of, manager)
            is_over = manager is not None and not failure and decision is None
            goals = manager.goals if manager is not None and is_over else ()
            if decision is not None:
                given = dict(zip(log.seats, decision.goals, strict=True))
                goals = tuple(map(given.get, range(len(roles))))
            result = log.result(goals, began, failure)
            extra = {} if decision is None else {"adjudicated": decision.reason}
            kept = {**dumped(result), **extra}
            finish = scheduler.store.finish
            await scheduler.written("a result", finish, match.id, match.match_id, kept, record)
            if manager is not None and is_over:
                await manager.stop()
        return result

    async def _play_unless_decided(self, stack: AsyncExitStack, log: MatchLog) -> str:
        self._playing = asyncio.create_task(self._play(stack, log))
        try:
            return await self._playing
        except asyncio.CancelledError:
            if self._decision is None or not self._playing.cancelled():
                raise
            return ""

    async def _play(self, stack: AsyncExitStack, log: MatchLog) -> str:
        """Play the match; return why it could not be played to its end, nothing if it was."""
        try:
            self._manager = await self._new_manager(stack, log)
            await self._manager.play()
        except Exception as error:  # the event shall go on, whatever is wrong with one match
            return self._failure(error)
        return ""

    def _failure(self, error: Exception) -> str:
        """Say why the match has failed, and log it; raise LackError where it is played again."""
        match_id = self._match.match_id
        if what := lack_in(error):
            if not self._is_last:
                raise LackError(what, was_sent=True) from error
            return f"the manager lacked {what} each time that it played this, {MAX_LACKS} times"
        if isinstance(error, GgpPlayerError | GdlError | OSError | RecursionError):
            failure = " ".join(str(error).split()) or type(error).__name__
            _log.warning("the match %s has failed: %s", match_id, failure)
            return failure
        _log.error("the match %s has failed", match_id, exc_info=error)
        return f"an error of the manager: {type(error).__name__}"

    async def _new_manager(self, stack: AsyncExitStack, log: MatchLog) -> GameManager:
        match, scheduler = self._match, self._scheduler
        rules = await scheduler.open_rules(match.digest, self._match.match_id)
        stack.push_async_callback(scheduler.release_rules, rules)
        setup = await self._setup()
        sees = setup.ruleset.has_percepts
        players = [await self._player(name, stack, setup.ruleset) for name in match.players]

        def on_step(step: MatchStep) -> None:
            log.add(step)
            scheduler.public.step_made(match, step, sees)

        own = scheduler.own
        return await asyncio.to_thread(GameManager, setup, rules, players, on_step, own=own)

    async def _player(self, name: str, stack: AsyncExitStack, ruleset: gdl.Ruleset) -> MatchPlayer:
        found = self._scheduler.roster.presences.get(name)
        if found is None:
            return AbsentPlayer(name)
        roster, seed = self._scheduler.roster, self._match.seed
        return roster.seat(found, await roster.clients.open(found.player, stack, seed, ruleset))

    async def _setup(self) -> MatchSetup:
        match, settings = self._match, self._event.settings
        ruleset, _ = await self._scheduler.ruleset(match.digest)
        return MatchSetup(
            ruleset,
            match_id=match.match_id,
            start_clock=settings["start_clock"],
            play_clock=settings["play_clock"],
            seed=match.seed,
            scramble=settings["scramble"],
            start_time=self._scheduler.now(),
            rulesheet_url=match.game,
            events=self._scheduler.archive,
        )


def _record_of(manager: GameManager | None) -> str:
    """Return the record of a match as text, empty where it has not begun; it can be long."""
    return "" if manager is None else manager.record().to_json()


def result_of(found: Mapping[str, Any]) -> MatchResult:
    """Read a result that is JSON, without the reason of a decision."""
    values = {key: value for key, value in found.items() if key != "adjudicated"}
    return _RESULT.validate_python(values)


def dumped(result: MatchResult) -> dict[str, Any]:
    """Return a result as JSON."""
    found: dict[str, Any] = _RESULT.dump_python(result, mode="json")
    return found


def decided(match: EventMatch, roles: Sequence[str], decision: Decision) -> dict[str, Any]:
    """Return the result of a match that waits, or has one, as a decision changes it."""
    nothing = MatchResult(
        match_id=match.match_id,
        game=match.game,
        round=match.round,
        seed=match.seed,
        roles=tuple(roles),
        players=match.players,
        goals=decision.goals,
        errors=((),) * len(roles),
        longest_replies=(0.0,) * len(roles),
    )
    before = dumped(nothing) if match.result is None else dict(match.result)
    decision_made = {"goals": list(decision.goals), "failure": "", "adjudicated": decision.reason}
    return before | decision_made
