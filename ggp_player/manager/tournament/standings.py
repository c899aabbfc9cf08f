"""Standings: points, scores, wins, draws and losses, with confidence intervals.

A mean of values between 0 and 1 gets the Wilson score interval, which stays within 0 and 1 and has
a width even if all values are equal. The matches of a set share a seed and differ in the
seats, so they are not independent. Therefore the interval is that of the effective sample size:
the number of independent values with a variance of p (1 - p) that would vary as much as the sets
do, and at most the number of values. If draws or strong seats make the sets vary less than that,
the interval is wider than necessary, never narrower. Sources: Wilson,
*Journal of the American Statistical Association* 22 (1927); Kish, *Survey Sampling* (1965), for
the effective sample size; Korn and Graubard, *Survey Methodology* 24 (1998), for the two together.

The interval covers chance: the dice, and the players' own random choices. Deterministic players
repeat themselves, and further rounds add no information about them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import sqrt
from statistics import NormalDist, fmean

from ggp_player.manager.tournament.results import MatchResult

CONFIDENCE = 0.95

QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""The half-width of the interval in standard deviations: 1.96."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with the bounds of its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Bout:
    """A comparison of two players' points, seen from ``player``; there is one for each of the two.

    The seed identifies the set. ``score`` is 1 for more points than the opponent has, 0.5 for as
    many, 0 for fewer.
    """

    player: str
    opponent: str
    game: str
    seed: int
    score: float


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """The figures of a player, in one game or in all, against one opponent or all.

    ``game`` and ``opponent`` are empty for all. ``matches`` excludes those that ``broke_off``.
    """

    player: str
    game: str
    opponent: str
    matches: int
    broke_off: int
    points: Interval | None
    score: Interval | None
    wins: int
    draws: int
    losses: int
    late: int
    failed: int
    illegal: int


@dataclass(frozen=True, slots=True)
class Standings:
    """The rows for every player, for every player in every game, and for every pairing."""

    players: tuple[StandingsRow, ...]
    games: tuple[StandingsRow, ...]
    pairings: tuple[StandingsRow, ...]
    bouts: tuple[Bout, ...]


def standings(
    results: Sequence[MatchResult], players: Sequence[str], games: Sequence[str]
) -> Standings:
    """Compute the standings; players with more points come first."""
    bouts = tuple(bouts_of(results))

    def row(player: str, game: str = "", opponent: str = "") -> StandingsRow:
        return _row(results, bouts, (player, game, opponent))

    ranked = sorted(map(row, players), key=lambda one: -(one.points.value if one.points else 0))
    order = [one.player for one in ranked]
    return Standings(
        players=tuple(ranked),
        games=tuple(row(player, game=game) for game in games for player in order),
        pairings=tuple(row(one, opponent=other) for one, other in permutations(order, 2)),
        bouts=bouts,
    )


def interval(values: Iterable[tuple[int, float]]) -> Interval | None:
    """Compute the mean of values from 0 to 1, each with the set it belongs to; None for no values.

    >>> found = interval([(1, 1.0), (2, 1.0), (3, 0.0), (4, 0.0)])
    >>> f"{found.value:.3f} {found.low:.3f} {found.high:.3f}"
    '0.500 0.150 0.850'
    """
    sets: dict[int, list[float]] = defaultdict(list)
    for key, value in values:
        sets[key].append(value)
    if not sets:
        return None
    mean = fmean(value for group in sets.values() for value in group)
    return _wilson(mean, _effective_size(mean, list(sets.values())))


def _effective_size(mean: float, sets: Sequence[Sequence[float]]) -> float:
    count = sum(map(len, sets))
    if len(sets) == 1:
        return 1.0  # the variance between sets is unknown
    squares = sum((sum(group) - mean * len(group)) ** 2 for group in sets)
    variance = len(sets) / (len(sets) - 1) * squares / count**2
    if variance == 0:
        return count
    return min(count, mean * (1 - mean) * count / (count - 1) / variance)


def _wilson(mean: float, size: float) -> Interval:
    square = QUANTILE**2 / size
    centre = (mean + square / 2) / (1 + square)
    half = sqrt(square * (mean * (1 - mean) + square / 4)) / (1 + square)
    return Interval(mean, max(0.0, centre - half), min(1.0, centre + half))


def match_points(result: MatchResult) -> dict[str, float]:
    """Return the players' points, nothing for a match that failed.

    A role without a goal value has 0 points, as in match records.
    """
    goals: dict[str, list[int]] = defaultdict(list)
    if not result.failure:
        for player, goal in zip(result.players, result.goals, strict=True):
            goals[player].append(goal or 0)
    return {player: fmean(values) / 100 for player, values in goals.items()}


def bouts_of(results: Sequence[MatchResult]) -> Iterator[Bout]:
    """Yield the bouts within matches, and those between players who played alone."""
    alone: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for result in results:
        if len(result.roles) == 1:
            alone[result.game, result.seed] |= match_points(result)
        else:
            yield from _compared(result.game, result.seed, match_points(result))
    for (game, seed), points in alone.items():
        yield from _compared(game, seed, points)


def _compared(game: str, seed: int, points: dict[str, float]) -> Iterator[Bout]:
    for player, opponent in permutations(points, 2):
        ours, theirs = points[player], points[opponent]
        yield Bout(player, opponent, game, seed, 0.5 + ((ours > theirs) - (ours < theirs)) / 2)


def _row(
    results: Iterable[MatchResult], bouts: Iterable[Bout], key: tuple[str, str, str]
) -> StandingsRow:
    player, game, opponent = key
    own = [
        one
        for one in results
        if player in one.players
        and game in {"", one.game}
        # Whoever plays alone is compared with everybody.
        and (len(one.roles) == 1 or opponent in {"", *one.players})
    ]
    seats = [(one, seat) for one in own for seat, who in enumerate(one.players) if who == player]
    met = [
        bout
        for bout in bouts
        if bout.player == player and game in {"", bout.game} and opponent in {"", bout.opponent}
    ]
    scores = [bout.score for bout in met]
    points = [(one.seed, match_points(one)[player]) for one in own if not one.failure]
    return StandingsRow(
        player=player,
        game=game,
        opponent=opponent,
        matches=len(points),
        broke_off=len(own) - len(points),
        points=interval(points),
        score=interval((bout.seed, bout.score) for bout in met),
        wins=scores.count(1.0),
        draws=scores.count(0.5),
        losses=scores.count(0.0),
        late=sum(one.late(seat) for one, seat in seats),
        failed=sum(one.failed(seat) for one, seat in seats),
        illegal=sum(one.illegal(seat) for one, seat in seats),
    )
