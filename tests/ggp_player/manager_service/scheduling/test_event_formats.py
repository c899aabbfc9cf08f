"""Events are planned round by round, from their settings and results alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import pytest

from ggp_player.errors import ManagerError
from ggp_player.lab.sequential_test import MIN_PAIRS
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.schedule import PlannedMatch
from ggp_player.manager_service.scheduling.event_formats import (
    EventPlan,
    Format,
    check_plan,
    next_matches,
)
from ggp_player.manager_service.scheduling.sequential_events import standing

EIGHT = tuple("abcdefgh")


def played(match: PlannedMatch, goals: Sequence[int]) -> MatchResult:
    seats = len(match.players)
    return MatchResult(
        match_id=match.match_id,
        game=match.game,
        round=match.round,
        seed=match.seed,
        roles=tuple(f"r{seat}" for seat in range(seats)),
        players=match.players,
        goals=tuple(goals),
        errors=((),) * seats,
        longest_replies=(0.0,) * seats,
    )


def by_name(match: PlannedMatch) -> MatchResult:
    """Who is first in the alphabet wins."""
    return played(match, [100 if one == min(match.players) else 0 for one in match.players])


def rounds_of(
    plan: EventPlan, result: Callable[[PlannedMatch], MatchResult] = by_name
) -> list[list[PlannedMatch]]:
    results: list[MatchResult] = []
    rounds = []
    while matches := next_matches(plan, results):
        rounds.append(matches)
        results += map(result, matches)
    return rounds


@pytest.mark.parametrize("count", [2, 5, 8])
def test_a_round_robin_has_every_pairing_in_both_seatings(count: int) -> None:
    plan = EventPlan("round_robin", {"game": 2}, EIGHT[:count], rounds=3)
    [matches] = rounds_of(plan)
    met = Counter((match.round, match.players) for match in matches)
    pairs = list(combinations(EIGHT[:count], 2))
    expected = [(n, seats) for n in (1, 2, 3) for one in pairs for seats in (one, one[::-1])]
    assert met == Counter(expected)
    assert len({match.match_id for match in matches}) == len(matches)


def test_many_of_a_round_robin_can_be_played_at_a_time() -> None:
    [matches] = rounds_of(EventPlan("round_robin", {"game": 2}, EIGHT))
    assert len({player for match in matches[:8] for player in match.players}) == 8


def test_each_match_has_a_seed_of_its_own() -> None:
    plan = EventPlan("round_robin", {"game": 2, "other": 2}, EIGHT[:3], rounds=2, seed="secret")
    [matches] = rounds_of(plan)
    assert len({match.seed for match in matches}) == len(matches) == 24


def test_four_players_rotate_through_the_seats() -> None:
    [matches] = rounds_of(EventPlan("round_robin", {"game": 4}, EIGHT[:4]))
    assert [match.players for match in matches] == [
        tuple("abcd"),
        tuple("bcda"),
        tuple("cdab"),
        tuple("dabc"),
    ]


def test_in_a_game_of_one_role_everybody_plays_alone() -> None:
    [matches] = rounds_of(EventPlan("round_robin", {"maze": 1}, EIGHT[:2]))
    assert [match.players for match in matches] == [("a",), ("b",)]
    assert len({match.match_id for match in matches}) == 2


def test_a_swiss_event_pairs_equals_and_avoids_second_meetings() -> None:
    rounds = rounds_of(EventPlan("swiss", {"game": 2}, EIGHT, rounds=3))
    assert [len(matches) for matches in rounds] == [8, 8, 8]
    pairs = [frozenset(match.players) for matches in rounds for match in matches]
    assert set(Counter(pairs).values()) == {2}
    winners = {min(match.players) for match in rounds[0]}
    assert all(set(m.players) <= winners or winners.isdisjoint(m.players) for m in rounds[1])


def test_in_a_swiss_event_each_sits_out_once_before_anybody_does_twice() -> None:
    rounds = rounds_of(EventPlan("swiss", {"game": 2}, EIGHT[:5], rounds=5))
    there = [{player for match in matches for player in match.players} for matches in rounds]
    absent = [set(EIGHT[:5]) - players for players in there]
    assert sorted(next(iter(one)) for one in absent) == list(EIGHT[:5])


@pytest.mark.parametrize("count", range(2, 9))
def test_a_knock_out_ends_with_the_best_and_keeps_the_first_two_apart(count: int) -> None:
    rounds = rounds_of(EventPlan("knockout", {"game": 2}, EIGHT[:count]))
    assert {player for match in rounds[-1] for player in match.players} == {"a", "b"}
    assert len(rounds) == (count - 1).bit_length()
    assert sum(map(len, rounds)) == 2 * (count - 1)


def test_after_equal_points_who_is_named_first_goes_on() -> None:
    plan = EventPlan("knockout", {"game": 2}, EIGHT[:4])
    rounds = rounds_of(plan, lambda match: played(match, [50, 50]))
    assert {player for match in rounds[-1] for player in match.players} == {"a", "b"}


def test_a_ladder_pairs_those_of_similar_strength() -> None:
    plan = EventPlan("ladder", {"game": 2}, EIGHT, rounds=6)
    rounds = rounds_of(plan)
    assert len(rounds) == 6
    with_best = Counter(o for ms in rounds[3:] for m in ms if "a" in m.players for o in m.players)
    assert with_best["h"] == 0


def test_planning_again_gives_the_same() -> None:
    plan = EventPlan("swiss", {"game": 2}, EIGHT, rounds=4, seed="5")
    assert rounds_of(plan) == rounds_of(plan)


@pytest.mark.parametrize(
    ("kind", "roles", "players", "rounds", "where"),
    [
        ("round_robin", {"g": 2}, ("a",), 1, "players"),
        ("round_robin", {"g": 2}, ("a", "a"), 1, "players"),
        ("round_robin", {"g": 2, "h": 3}, EIGHT, 1, "games"),
        ("round_robin", {"g": 2}, EIGHT, 10_000, "rounds"),
        ("knockout", {"g": 3}, EIGHT, 1, "games"),
        ("swiss", {"g": 2}, EIGHT, 0, "rounds"),
        ("single", {"g": 2}, ("a",), 1, "players"),
        ("sequential_test", {"g": 2}, ("a", "b", "c"), 1, "players"),
        ("sequential_test", {"g": 1}, ("a", "b"), 1, "games"),
        ("single", {"g": 2, "h": 2}, ("a", "b"), 1, "games"),
    ],
)
def test_plans_without_a_meaning_are_refused(
    kind: Format, roles: dict[str, int], players: tuple[str, ...], rounds: int, where: str
) -> None:
    with pytest.raises(ManagerError, match=f"^{where}: "):
        check_plan(EventPlan(kind, roles, players, rounds))


def test_a_single_match_has_the_players_in_their_seats() -> None:
    plan = EventPlan("single", {"game": 2}, ("b", "a"))
    check_plan(plan)
    [[match]] = rounds_of(plan)
    assert match.players == ("b", "a")


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8, 12])
def test_in_a_small_ladder_every_pair_meets_before_any_meets_again(count: int) -> None:
    players = tuple("abcdefghijkl"[:count])
    cycle = count - 1 + count % 2
    rounds = rounds_of(EventPlan("ladder", {"game": 2}, players, rounds=2 * cycle))
    for first in (0, cycle):
        matches = [one for number in range(first, first + cycle) for one in rounds[number]]
        met = Counter(frozenset(match.players) for match in matches)
        assert met == {frozenset(pair): 2 for pair in combinations(players, 2)}


def test_who_is_withdrawn_meets_nobody() -> None:
    for kind in ("round_robin", "swiss", "ladder"):
        plan = EventPlan(kind, {"game": 2}, EIGHT[:4], withdrawn={"c": 1})
        [matches] = rounds_of(plan)
        assert "c" not in {player for match in matches for player in match.players}, kind


def test_who_is_withdrawn_loses_its_pairing_of_a_knock_out() -> None:
    plan = EventPlan("knockout", {"game": 2}, EIGHT[:4], withdrawn={"a": 2})
    first = [by_name(match) for match in next_matches(plan, [])]
    assert {frozenset(one.players) for one in first} == {frozenset("ad"), frozenset("bc")}
    assert next_matches(plan, first) == []  # b goes on alone
    early = EventPlan("knockout", {"game": 2}, EIGHT[:4], withdrawn={"a": 1})
    [semi, final] = rounds_of(early)
    assert {frozenset(match.players) for match in semi} == {frozenset("bc")}
    assert {frozenset(match.players) for match in final} == {frozenset("bd")}


def test_a_sequential_test_ends_when_it_is_known_who_is_stronger() -> None:
    plan = EventPlan("sequential_test", {"game": 2}, ("a", "b"), rounds=500)
    won = rounds_of(plan)
    assert MIN_PAIRS <= len(won) < 40
    assert all({match.players for match in one} == {("a", "b"), ("b", "a")} for one in won)
    lost = rounds_of(EventPlan("sequential_test", {"game": 2}, ("b", "a"), rounds=500))
    assert MIN_PAIRS <= len(lost) < 40
    even = rounds_of(plan, lambda match: played(match, [100, 0]))  # the first seat always wins
    assert len(even) > len(won)
    results = [by_name(match) for one in won for match in one]
    assert standing(plan.test, "a", ["game"], results)[1] == "H1"
    assert standing(plan.test, "b", ["game"], results)[1] == "H0"


def test_pairs_with_a_failed_match_count_for_nothing() -> None:
    plan = EventPlan("sequential_test", {"game": 2}, ("a", "b"), rounds=20)
    broken = [replace(by_name(one), failure="it hung", goals=()) for one in next_matches(plan, [])]
    assert standing(plan.test, "a", ["game"], broken)[0].pairs == 0
    assert next_matches(plan, broken)[0].round == 2
