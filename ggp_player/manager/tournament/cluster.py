"""Matches of a tournament on a Ray cluster: a task each, whose results are taken as they come.

A match depends on its players, its game and its seed, and not on where it is played. So a match
whose worker dies is begun again by Ray on another, and its result is taken once. Records and events
come with the result: files and archive are written where the tournament was started.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import gdl
from gdl.cluster import RETRIES, cpus_of_nodes
from ggp_player.clock import monotonic
from ggp_player.errors import TournamentError
from ggp_player.events import Event, EventBus
from ggp_player.manager.players import compile_searches_of
from ggp_player.manager.tournament.games import TournamentGame
from ggp_player.manager.tournament.match_log import MatchLog
from ggp_player.manager.tournament.match_play import MatchConditions, MatchPlay, save_record
from ggp_player.manager.tournament.players import takes_one_match
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.protocol import MatchRecord

_log = logging.getLogger(__name__)


class ClusterPlay:
    """Plays matches as tasks of the cluster with which ``ray`` is connected.

    Each task has as many processors as a match has strategies, if a machine of the cluster has so
    many; ``concurrency`` is how many of such tasks there is room for. Raises
    :class:`TournamentError` where the cluster has no processor.
    """

    def __init__(
        self,
        ray: Any,  # noqa: ANN401 its types are not looked at
        games: Mapping[str, TournamentGame],
        conditions: MatchConditions,
        matches: Sequence[PlannedMatch],
        events: EventBus,
    ) -> None:
        self._ray = ray
        self._conditions = conditions
        self._events = events
        cpus = cpus_of_nodes(ray)
        if not any(cpus):
            raise TournamentError("the cluster has no processor to play on")
        wanted = min(max(cpus), max((_strategies(match) for match in matches), default=1))
        self.concurrency = sum(count // wanted for count in cpus)
        self._task = ray.remote(max_retries=RETRIES, num_cpus=wanted)(play_in_worker)
        self._games = games
        self._shared = {name: ray.put(game) for name, game in games.items()}

    async def play(self, match: PlannedMatch) -> MatchResult:
        """Play a match, and save its record. A cancelled one is aborted by its worker."""
        began = monotonic()
        conditions = replace(self._conditions, records=None)
        wants_events = self._events.has_subscriptions
        task = self._task.remote(self._shared[match.game], match, conditions, wants_events)
        try:
            found: tuple[MatchResult, MatchRecord | None, list[Event]] = await task
        except asyncio.CancelledError:
            self._ray.cancel(task)
            raise
        except self._ray.exceptions.RayError as error:
            roles = gdl.interpret(self._games[match.game].ruleset).roles
            failure = f"the cluster has lost the match: {type(error).__name__}"
            return MatchLog(match, roles, self._conditions.max_steps).result((), began, failure)
        result, record, events = found
        for event in events:
            self._events.publish(event)
        unsaved = save_record(record, match, self._conditions.records)
        return replace(result, failure=unsaved) if unsaved and not result.failure else result


def play_in_worker(
    game: TournamentGame, match: PlannedMatch, conditions: MatchConditions, wants_events: bool
) -> tuple[MatchResult, MatchRecord | None, list[Event]]:
    """Play a match in a process that does nothing else; its events are there if wanted."""
    bus = EventBus()
    subscription = bus.subscribe("the tournament") if wants_events else None
    compile_searches_of(match.players, _log.warning)
    play = MatchPlay({match.game: game}, conditions, bus)
    result, record = asyncio.run(play.play_recorded(match))
    return result, record, subscription.take() if subscription else []


def _strategies(match: PlannedMatch) -> int:
    return max(1, sum(not takes_one_match(player) for player in match.players))
