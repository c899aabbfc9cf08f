"""The formats of events: which matches an event consists of, and which come next.

An event is planned round by round from its settings and from the results so far, and from nothing
else: planning it again after a restart gives the same matches. In each round players meet in
groups, of two or of as many as the games have roles; a group plays every game in every seating, so
that each of its players has each seat equally often. Each match has a seed of its own: who has seen
the first match of a group knows nothing of the next. In a game of one role the members of a group
play alone.

==============  ==============================================================================
single          one match, with the players in the seats as given
round_robin     every group meets once a round
swiss           players with similar points meet, and those that have met least
knockout        who has more points in a pairing goes on; where equal, who is named first
ladder          as swiss, by rating, for ever or as many rounds as wanted; players come and go
==============  ==============================================================================
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from random import Random
from statistics import fmean
from typing import Literal, TypeAlias

from ggp_player.errors import ManagerError
from ggp_player.manager.tournament import (
    MatchResult,
    PlannedMatch,
    match_points,
    rate,
)
from ggp_player.manager_service.scheduling.seeds import match_seed

Format: TypeAlias = Literal["single", "round_robin", "swiss", "knockout", "ladder"]

Group: TypeAlias = tuple[str, ...]

MOST_PERMUTED = 3
"""The largest group that plays in all orders; larger ones rotate."""

LONGEST_LIST = 200_000
"""The most matches that are planned at once."""


@dataclass(frozen=True, slots=True)
class EventPlan:
    """What the matches of an event follow from. ``roles``: by game, how many players take.

    ``rounds`` is 0 for a ladder without an end.
    """

    format: Format
    roles: Mapping[str, int]
    players: Sequence[str]
    rounds: int = 1
    seed: str = ""

    @property
    def group_size(self) -> int:
        """How many players meet."""
        return max(2, *self.roles.values()) if self.format != "single" else len(self.players)


def check_plan(plan: EventPlan) -> None:
    """Raise :class:`ManagerError` where no match can follow from the plan, or too many."""
    size = plan.group_size
    if len(set(plan.players)) != len(plan.players) and plan.format != "single":
        raise ManagerError("players: expected each once")
    if plan.format == "single":
        _check_single(plan)
        return
    if odd := {name: n for name, n in plan.roles.items() if n not in {1, size}}:
        raise ManagerError(f"games: expected games for {size} players or one each; found {odd}")
    if plan.format == "knockout" and size != 2:
        raise ManagerError(f"games: a knock-out is for games of two; these have {size} roles")
    if len(plan.players) < size and plan.format != "ladder":
        raise ManagerError(f"players: expected at least {size}; found {len(plan.players)}")
    if plan.rounds == 0 and plan.format != "ladder":
        raise ManagerError("rounds: expected at least 1; only a ladder goes on without an end")
    if plan.format == "round_robin" and _count(plan) > LONGEST_LIST:
        raise ManagerError(f"rounds: these are more than {LONGEST_LIST} matches")


def _check_single(plan: EventPlan) -> None:
    if len(plan.roles) != 1:
        raise ManagerError(f"games: a single match is of one game; found {len(plan.roles)}")
    [(game, roles)] = plan.roles.items()
    if roles != len(plan.players):
        found = len(plan.players)
        raise ManagerError(
            f"players: {game} needs {roles}, in the order of its roles; found {found}"
        )


def next_matches(plan: EventPlan, results: Sequence[MatchResult]) -> list[PlannedMatch]:
    """List the matches of the next round, nothing where the event is over.

    ``results`` are those of all matches so far, in any order.
    """
    done = max((result.round for result in results), default=0)
    match plan.format:
        case "single":
            return (
                []
                if done
                else [_planned(plan, game, 1, tuple(plan.players)) for game in plan.roles]
            )
        case "round_robin":
            return [] if done else _round_robin(plan)
        case "knockout":
            return _of_groups(plan, done + 1, _knockout_pairs(plan, results))
        case "swiss" | "ladder":
            if done >= plan.rounds > 0:
                return []
            return _of_groups(plan, done + 1, _neighbours(plan, results, done + 1))


def _round_robin(plan: EventPlan) -> list[PlannedMatch]:
    groups = list(_all_groups(plan))
    return [
        match for number in range(1, plan.rounds + 1) for match in _of_groups(plan, number, groups)
    ]


def _all_groups(plan: EventPlan) -> Iterator[Group]:
    """Yield every group once; pairs by the circle method, so that many can play at a time."""
    if plan.group_size != 2:
        yield from combinations(plan.players, plan.group_size)
        return
    circle: list[str | None] = [*plan.players, *([None] if len(plan.players) % 2 else [])]
    for _ in circle[1:]:
        for one, other in zip(circle[: len(circle) // 2], reversed(circle), strict=False):
            if one is not None and other is not None:
                yield one, other
        circle.insert(1, circle.pop())


def _count(plan: EventPlan) -> int:
    groups = sum(1 for _ in combinations(range(len(plan.players)), plan.group_size))
    seatings = sum(
        len(list(_seatings(plan.players[: plan.group_size], n))) for n in plan.roles.values()
    )
    return groups * seatings * plan.rounds


def _of_groups(plan: EventPlan, number: int, groups: Iterable[Group]) -> list[PlannedMatch]:
    return [
        _planned(plan, game, number, seating, group)
        for group in groups
        for game, roles in plan.roles.items()
        for seating in _seatings(group, roles)
    ]


def _seatings(group: Sequence[str], roles: int) -> Iterator[Group]:
    if roles == 1:
        yield from ((player,) for player in group)
    elif roles <= MOST_PERMUTED:
        yield from permutations(group)
    else:
        yield from ((*group[shift:], *group[:shift]) for shift in range(len(group)))


def _planned(
    plan: EventPlan, game: str, number: int, seating: Group, group: Group = ()
) -> PlannedMatch:
    alone = "" if len(seating) > 1 else f".{' against '.join(group or seating)}"
    place = f"{number}.{game}.{'.'.join(seating)}{alone}"
    return PlannedMatch(place, game, number, seating, match_seed(plan.seed, place))


def _points_by_round(results: Iterable[MatchResult]) -> dict[int, dict[str, float]]:
    """Return for each round the mean points of each player that was in it."""
    found: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        points = match_points(result)
        for player in result.players:
            found[result.round][player].append(points.get(player, 0.0))
    return {
        number: {player: fmean(values) for player, values in players.items()}
        for number, players in found.items()
    }


def _knockout_pairs(plan: EventPlan, results: Sequence[MatchResult]) -> list[Group]:
    """Return the pairs of the next round. The first are placed as in tennis: 1 may meet 2 last."""
    size = 1
    while size < len(plan.players):
        size *= 2
    order = [1]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    left = [plan.players[seed - 1] if seed <= len(plan.players) else None for seed in order]
    by_round = _points_by_round(results)
    for number in range(1, len(by_round) + 1):
        points = by_round[number]
        pairs = zip(left[::2], left[1::2], strict=True)
        left = [_winner(plan, one, other, points) for one, other in pairs]
    pairs = zip(left[::2], left[1::2], strict=False)
    return [(one, other) for one, other in pairs if one is not None and other is not None]


def _winner(
    plan: EventPlan, one: str | None, other: str | None, points: Mapping[str, float]
) -> str | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda who: (points.get(who, 0.0), -plan.players.index(who)))


def _neighbours(plan: EventPlan, results: Sequence[MatchResult], number: int) -> list[Group]:
    """Group players of similar strength, and of these those that have met least."""
    by_round = _points_by_round(results)
    strengths = _strengths(plan, results, by_round)
    draw = Random(f"{plan.seed}, order of round {number}")
    chance = {player: draw.random() for player in plan.players}
    ranked = sorted(plan.players, key=lambda one: (-strengths.get(one, 0.0), chance[one]))
    played = Counter(player for players in by_round.values() for player in players)
    for _ in range(len(ranked) % plan.group_size):  # who sits out: who has played most, the last
        ranked.remove(max(reversed(ranked), key=lambda one: played[one]))
    met = Counter(
        frozenset(pair)
        for result in results
        for pair in combinations(sorted(set(result.players)), 2)
    )
    groups = []
    while ranked:
        group = [ranked.pop(0)]
        while len(group) < plan.group_size:
            nearest = min(ranked, key=lambda one: sum(met[frozenset((one, m))] for m in group))
            ranked.remove(nearest)
            group.append(nearest)
        groups.append(tuple(group))
    return groups


def _strengths(
    plan: EventPlan, results: Sequence[MatchResult], by_round: Mapping[int, Mapping[str, float]]
) -> dict[str, float]:
    """Return the points of a Swiss event, where sitting out is a win; the ratings of a ladder."""
    if plan.format == "ladder" and results:
        names = list(dict.fromkeys([*plan.players, *(p for r in results for p in r.players)]))
        return {player: found.value for player, found in rate(results, names).items()}
    return {
        player: sum(points.get(player, 1.0) for points in by_round.values())
        for player in plan.players
    }
