"""Tables of events: cross tables, sequential tests, and files of results for other programs.

All are made of what spectators may see, at the time at which they may see it.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Any

from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.standings import match_points
from ggp_player.manager_service.scheduling.scheduler import Scheduler
from ggp_player.manager_service.scheduling.sequential_events import (
    sequential_test_of,
    standing,
)
from ggp_player.manager_service.storage.faces import ENDED
from ggp_player.manager_service.storage.store import EventMatch, StoredEvent
from ggp_player.manager_service.web.models import (
    CrossShown,
    CrossTableShown,
    IntervalShown,
    SequentialTestShown,
    StandingsShown,
)
from ggp_player.manager_service.web.shown import summarise

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""With these, text of a cell would be computed by a spreadsheet."""


class EventTables:
    """Makes the tables of events."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    async def results(self, event: StoredEvent) -> list[MatchResult]:
        """List the results that are shown of an event."""
        return await self._scheduler.call(self._scheduler.public.results, event.id)

    async def standings(self, event: StoredEvent) -> list[StandingsShown]:
        """Sum up an event."""
        ratings = await self._scheduler.call(self._scheduler.public.ratings, event.id)
        return await asyncio.to_thread(summarise, await self.results(event), ratings or None)

    async def cross_table(self, event: StoredEvent) -> CrossTableShown:
        """Return who has how many points against whom."""
        return await asyncio.to_thread(cross_table_of, await self.results(event))

    async def test(self, event: StoredEvent) -> SequentialTestShown | None:
        """Return where a sequential test stands, None where the event is something else."""
        if event.settings["format"] != "sequential_test":
            return None
        results = await self.results(event)
        return await asyncio.to_thread(sequential_test_shown, event, results)

    async def csv_of_matches(self, event: StoredEvent) -> str:
        """Write the matches that have ended, one a line."""
        public = self._scheduler.public
        matches = await self._scheduler.call(public.matches, event.id, ENDED)
        return await asyncio.to_thread(csv_of, matches)

    async def json_of_event(self, event: StoredEvent, shown: dict[str, Any]) -> str:
        """Write all that there is of an event, ``shown`` as the API shows it."""
        public = self._scheduler.public
        matches = await self._scheduler.call(public.matches, event.id, ENDED)
        test = await self.test(event)
        found = {
            "event": shown,
            "standings": [row.model_dump() for row in await self.standings(event)],
            "crosstable": (await self.cross_table(event)).model_dump(),
            "test": None if test is None else test.model_dump(),
            "matches": [dict(match.result or {}) for match in matches],
        }
        return await asyncio.to_thread(json.dumps, found, indent=1)


def cross_table_of(results: Sequence[MatchResult]) -> CrossTableShown:
    """Sum up the points of each player against each other, the most points in all first."""
    totals: dict[str, float] = defaultdict(float)
    cells: dict[tuple[str, str], list[float]] = defaultdict(list)
    for result in results:
        points = match_points(result)
        for player, value in points.items():
            totals[player] += value
        for one, other in permutations(points, 2):
            cells[one, other].append(points[one])
    players = sorted(totals, key=lambda name: (-totals[name], name))
    shown = [
        CrossShown(player=one, opponent=other, matches=len(values), points=sum(values))
        for one in players
        for other in players
        if (values := cells.get((one, other)))
    ]
    return CrossTableShown(players=tuple(players), cells=tuple(shown))


def sequential_test_shown(
    event: StoredEvent, results: Iterable[MatchResult]
) -> SequentialTestShown:
    """Return where the test of an event stands."""
    test = sequential_test_of(event.settings)
    players = tuple(event.settings["players"])
    estimate, verdict = standing(test, players[0], event.digests, results)
    value, low, high = estimate.elo
    is_finite = all(abs(one) < float("inf") for one in (value, low, high))
    return SequentialTestShown(
        players=players,
        elo0=test.elo0,
        elo1=test.elo1,
        pairs=estimate.pairs,
        points=estimate.mean,
        elo=IntervalShown(value=value, low=low, high=high) if is_finite else None,
        ratio=test.ratio(estimate),
        bounds=test.bounds,
        verdict=verdict,
    )


def csv_of(matches: Iterable[EventMatch]) -> str:
    """Write matches as CSV, a line for each seat. No cell is a formula for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(
        ["match", "round", "game", "status", "role", "player", "goal", "steps", "errors", "note"]
    )
    for match in matches:
        result = match.result or {}
        goals = result.get("goals") or [""] * len(match.players)
        note = result.get("failure") or result.get("adjudicated") or ""
        for seat, player in enumerate(match.players):
            role, errors = result["roles"][seat], "; ".join(result["errors"][seat])
            row = [match.match_id or match.id, match.round, match.game, match.status, role, player]
            goal = "" if goals[seat] is None else goals[seat]
            writer.writerow(map(_cell, [*row, goal, result.get("steps", 0), errors, note]))
    return text.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
