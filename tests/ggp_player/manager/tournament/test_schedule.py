"""Every pairing meets in every game, and nobody has the better seats or the better dice."""

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from ggp_player.manager.tournament.schedule import (
    SEED_BITS,
    PlannedMatch,
    TournamentPlan,
    make_schedule,
)

PLANS = st.builds(
    TournamentPlan,
    roles=st.dictionaries(st.sampled_from("abc"), st.integers(1, 4), min_size=1),
    players=st.integers(2, 4).map(lambda count: [f"player {n}" for n in range(count)]),
    rounds=st.integers(1, 3),
    seed=st.integers(),
    label=st.just("label"),
)


def test_the_players_of_a_game_of_two_roles_change_seats() -> None:
    matches = make_schedule(TournamentPlan({"nim": 2}, ["x", "y", "z"], rounds=1))
    assert [match.players for match in matches] == [
        *[("x", "y"), ("y", "x")],
        *[("x", "z"), ("z", "x")],
        *[("y", "z"), ("z", "y")],
    ]


def test_in_a_game_of_one_role_each_plays_alone() -> None:
    matches = make_schedule(TournamentPlan({"maze": 1}, ["x", "y", "z"], rounds=1))
    assert [match.players for match in matches] == [("x",), ("y",), ("z",)]
    assert len({match.seed for match in matches}) == 1


def test_in_a_game_of_three_roles_both_have_a_seat() -> None:
    matches = make_schedule(TournamentPlan({"chase": 3}, ["x", "y"], rounds=1))
    seatings = {"".join(match.players) for match in matches}
    assert seatings == {"xxy", "xyx", "xyy", "yxx", "yxy", "yyx"}
    assert len(matches) == 6


def test_match_ids_name_the_game_the_round_and_the_seats() -> None:
    matches = make_schedule(TournamentPlan({"nim": 2}, ["x", "y"], rounds=2, label="8f"))
    ids = [match.match_id for match in matches]
    assert ids == ["nim.8f.1.1-2", "nim.8f.1.2-1", "nim.8f.2.1-2", "nim.8f.2.2-1"]


@given(PLANS)
def test_every_pairing_takes_every_seat_equally_often(plan: TournamentPlan) -> None:
    matches = make_schedule(plan)
    for game, roles in plan.roles.items():
        for pairing in combinations(plan.players, 2):
            met = [m.players for m in matches if m.game == game and set(m.players) == set(pairing)]
            if roles == 1:
                continue
            assert len(met) == plan.rounds * (2**roles - 2)
            assert len(set(met)) == len(met) / plan.rounds
            for seat in range(roles):
                taken = Counter(players[seat] for players in met)
                assert taken == dict.fromkeys(pairing, len(met) // 2)


@given(PLANS)
def test_every_player_plays_equally_often(plan: TournamentPlan) -> None:
    seats = Counter(player for match in make_schedule(plan) for player in match.players)
    assert set(seats) == set(plan.players)
    assert len(set(seats.values())) == 1


@given(PLANS)
def test_a_seed_is_that_of_one_set(plan: TournamentPlan) -> None:
    sets: dict[int, set[object]] = {}
    for match in make_schedule(plan):
        group = frozenset(match.players) if plan.roles[match.game] > 1 else None
        sets.setdefault(match.seed, set()).add((match.game, match.round, group))
        assert 0 <= match.seed < 2**SEED_BITS
    assert all(len(found) == 1 for found in sets.values())
    keys = [key for found in sets.values() for key in found]
    assert len(keys) == len(set(keys))


@given(PLANS)
def test_the_same_plan_is_the_same_schedule_and_more_rounds_only_add(plan: TournamentPlan) -> None:
    def matches(rounds: int) -> tuple[PlannedMatch, ...]:
        return make_schedule(
            TournamentPlan(plan.roles, plan.players, rounds, plan.seed, plan.label)
        )

    assert matches(plan.rounds) == make_schedule(plan)
    assert matches(plan.rounds + 1)[: len(make_schedule(plan))] == make_schedule(plan)
    assert len({match.match_id for match in make_schedule(plan)}) == len(make_schedule(plan))
