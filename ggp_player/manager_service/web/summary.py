"""Standings: what the results of an event say of each player."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from ggp_player.manager.tournament.ratings import rate
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.standings import Interval, interval, match_points
from ggp_player.manager_service.web.models import IntervalShown, StandingsShown


def summarise(
    results: Sequence[MatchResult], ratings: Mapping[str, Interval] | None = None
) -> list[StandingsShown]:
    """Sum up results, the players with the most points first.

    Without ``ratings`` they are computed here.
    """
    names = sorted({name for result in results for name in result.players})
    if ratings is None and len(names) > 1:
        ratings = rate(results, names)
    points: dict[str, list[tuple[int, float]]] = defaultdict(list)
    played: dict[str, list[tuple[MatchResult, int]]] = defaultdict(list)
    for result in results:
        for name, value in match_points(result).items():
            points[name].append((result.seed, value))
        for seat, name in enumerate(result.players):
            played[name].append((result, seat))
    rows = [_row(name, points[name], played[name], (ratings or {}).get(name)) for name in names]
    return sorted(rows, key=lambda row: -(row.points.value if row.points else 0))


def _row(
    name: str,
    points: Sequence[tuple[int, float]],
    played: Sequence[tuple[MatchResult, int]],
    rating: Interval | None,
) -> StandingsShown:
    return StandingsShown(
        player=name,
        matches=len(points),
        failed=len({result.match_id for result, _ in played}) - len(points),
        points=_shown(interval(points)),
        rating=_shown(rating),
        late=sum(result.late(seat) for result, seat in played),
        unreachable=sum(result.failed(seat) for result, seat in played),
        illegal=sum(result.illegal(seat) for result, seat in played),
    )


def _shown(found: Interval | None) -> IntervalShown | None:
    return None if found is None else IntervalShown(**asdict(found))
