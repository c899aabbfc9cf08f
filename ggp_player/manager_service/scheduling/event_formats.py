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
ladder          as swiss, by rating, for ever or as many rounds as wanted; players come and go; in
                a small one every pair meets before any meets again
sequential_test two players meet until it is known which is stronger: :mod:`.sequential_events`
==============  ==============================================================================

Who is withdrawn meets nobody from then on, and loses its pairing of a knock-out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from random import Random
from statistics import fmean
from typing import Literal, TypeAlias

from ggp_player.errors import ManagerError
from ggp_player.lab.sequential_test import SequentialTest, SequentialVerdict
from ggp_player.manager.tournament.ratings import rate
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.manager.tournament.standings import match_points
from ggp_player.manager_service.scheduling.seeds import match_seed
from ggp_player.manager_service.scheduling.sequential_events import standing

Format: TypeAlias = Literal[
    "single", "round_robin", "swiss", "knockout", "ladder", "sequential_test"
]

Group: TypeAlias = tuple[str, ...]

MOST_PERMUTED = 3
"""The largest group that plays in all orders; larger ones rotate."""

LONGEST_LIST = 200_000
"""The most matches that are planned at once."""

SMALL_LADDER = 12
"""The most players of a ladder in which every pair meets before any meets again."""


@dataclass(frozen=True, slots=True)
class EventPlan:
    """What the matches of an event follow from. ``roles``: by game, how many players take.

    ``rounds`` is 0 for a ladder without an end. ``withdrawn`` says since which round players are
    away.
    """

    format: Format
    roles: Mapping[str, int]
    players: Sequence[str]
    rounds: int = 1
    seed: str = ""
    withdrawn: Mapping[str, int] = field(default_factory=dict)
    test: SequentialTest = field(default_factory=SequentialTest)

    @property
    def here(self) -> Sequence[str]:
        """The players that are not withdrawn."""
        return [one for one in self.players if one not in self.withdrawn]

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
    if plan.format == "sequential_test":
        _check_test(plan)
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


def _check_test(plan: EventPlan) -> None:
    if len(plan.players) != 2:
        found = len(plan.players)
        raise ManagerError(f"players: a sequential test is between two; found {found}")
    if odd := [game for game, roles in plan.roles.items() if roles != 2]:
        raise ManagerError(f"games: a sequential test is in games of two roles; found {odd}")


def next_matches(plan: EventPlan, results: Sequence[MatchResult]) -> list[PlannedMatch]:
    """List the matches of the next round, nothing where the event is over.

    ``results`` are those of all matches so far, in any order.
    """
    done = max((result.round for result in results), default=0)
    match plan.format:
        case "single":
            return (
                []
                if done or plan.withdrawn
                else [_planned(plan, game, 1, tuple(plan.players)) for game in plan.roles]
            )
        case "round_robin":
            return [] if done else _round_robin(plan)
        case "knockout":
            return _of_groups(plan, *_knockout_round(plan, results))
        case "sequential_test":
            is_over = done >= plan.rounds or plan.withdrawn or _is_decided(plan, results)
            return [] if is_over else _of_groups(plan, done + 1, [tuple(plan.players)])
        case "swiss" | "ladder":
            if done >= plan.rounds > 0:
                return []
            return _of_groups(plan, done + 1, _neighbours(plan, results, done + 1))


def _is_decided(plan: EventPlan, results: Sequence[MatchResult]) -> bool:
    _, verdict = standing(plan.test, plan.players[0], plan.roles, results)
    return verdict is not SequentialVerdict.OPEN


def _round_robin(plan: EventPlan) -> list[PlannedMatch]:
    groups = list(_all_groups(plan))
    return [
        match for number in range(1, plan.rounds + 1) for match in _of_groups(plan, number, groups)
    ]


def _all_groups(plan: EventPlan) -> Iterator[Group]:
    """Yield every group once; pairs by the circle method, so that many can play at a time."""
    if plan.group_size != 2:
        yield from combinations(plan.here, plan.group_size)
        return
    for pairs in _circle(plan.here):
        yield from pairs


def _circle(players: Sequence[str]) -> Iterator[list[Group]]:
    """Yield sets of pairs, in each of which everybody is once, or but one; all have every pair."""
    circle: list[str | None] = [*players, *([None] if len(players) % 2 else [])]
    for _ in circle[1:]:
        opposite = zip(circle[: len(circle) // 2], reversed(circle), strict=False)
        yield [(one, other) for one, other in opposite if one is not None and other is not None]
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


def _knockout_round(plan: EventPlan, results: Sequence[MatchResult]) -> tuple[int, list[Group]]:
    """Return the next round and its pairs. The first are placed as in tennis: 1 may meet 2 last.

    A round in which nobody can meet, as players were withdrawn, is passed over.
    """
    size = 1
    while size < len(plan.players):
        size *= 2
    order = [1]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    left = [plan.players[seed - 1] if seed <= len(plan.players) else None for seed in order]
    by_round = _points_by_round(results)
    number = 1
    while len(left) > 1:
        left = [
            None if one and plan.withdrawn.get(one, number + 1) <= number else one for one in left
        ]
        pairs = list(zip(left[::2], left[1::2], strict=True))
        groups: list[Group] = [(one, other) for one, other in pairs if one and other]
        if groups and number not in by_round:
            return number, groups
        left = [_winner(plan, one, other, by_round.get(number, {})) for one, other in pairs]
        number += 1
    return number, []


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
    ranked = sorted(plan.here, key=lambda one: (-strengths.get(one, 0.0), chance[one]))
    met = Counter(
        frozenset(pair)
        for result in results
        for pair in combinations(sorted(set(result.players)), 2)
    )
    if plan.format == "ladder" and plan.group_size == 2 and len(ranked) <= SMALL_LADDER:
        return _least_met(ranked, met)
    played = Counter(player for players in by_round.values() for player in players)
    for _ in range(len(ranked) % plan.group_size):  # who sits out: who has played most, the last
        ranked.remove(max(reversed(ranked), key=lambda one: played[one]))
    groups = []
    while ranked:
        group = [ranked.pop(0)]
        while len(group) < plan.group_size:
            nearest = min(ranked, key=lambda one: sum(met[frozenset((one, m))] for m in group))
            ranked.remove(nearest)
            group.append(nearest)
        groups.append(tuple(group))
    return groups


def _least_met(ranked: Sequence[str], met: Mapping[frozenset[str], int]) -> list[Group]:
    """Return the pairs of a small ladder's round, of players that have met least.

    These are one of the sets of the circle method, which have every pair once. So all pairs have
    met when each was a round, which a choice by rating alone would not bring about; of those that
    have met least, the set with the most similar ratings comes first.
    """
    place = {player: index for index, player in enumerate(ranked)}

    def cost(pairs: Sequence[Group]) -> tuple[int, int]:
        meetings = sum(met[frozenset(pair)] for pair in pairs)
        return meetings, sum(abs(place[one] - place[other]) for one, other in pairs)

    pairs = min(_circle(sorted(ranked)), key=cost, default=[])
    by_rating = [tuple(sorted(pair, key=place.__getitem__)) for pair in pairs]
    return sorted(by_rating, key=lambda pair: place[pair[0]])


def _strengths(
    plan: EventPlan, results: Sequence[MatchResult], by_round: Mapping[int, Mapping[str, float]]
) -> dict[str, float]:
    """Return the points of a Swiss event, where sitting out is a win; the ratings of a ladder."""
    if plan.format == "ladder" and results:
        names = list(dict.fromkeys([*plan.players, *(p for r in results for p in r.players)]))
        return {player: found.value for player, found in rate(results, names).items()}
    return {
        player: sum(points.get(player, 1.0) for points in by_round.values()) for player in plan.here
    }
