"""Every pairing meets in every game, and nobody has the better seats or the better dice."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from ggp_player.manager.tournament.results import Identity
from ggp_player.manager.tournament.schedule import SEED_BITS, make_schedule
from tests.support.tournament_results import identity_of

IDENTITIES = st.builds(
    identity_of,
    st.integers(2, 4).map(lambda count: [f"player {n}" for n in range(count)]),
    seed=st.integers(),
)

ROLES = st.dictionaries(st.sampled_from("abc"), st.integers(1, 4), min_size=1)

ROUNDS = st.integers(1, 3)

of_any_tournament = given(IDENTITIES, ROLES, ROUNDS)


def test_the_players_of_a_game_of_two_roles_change_seats() -> None:
    matches = make_schedule(identity_of("xyz"), {"nim": 2}, rounds=1)
    assert [match.players for match in matches] == [
        *[("x", "y"), ("y", "x")],
        *[("x", "z"), ("z", "x")],
        *[("y", "z"), ("z", "y")],
    ]


def test_in_a_game_of_one_role_each_plays_alone() -> None:
    matches = make_schedule(identity_of("xyz"), {"maze": 1}, rounds=1)
    assert [match.players for match in matches] == [("x",), ("y",), ("z",)]
    assert len({match.seed for match in matches}) == 1


def test_in_a_game_of_three_roles_both_have_a_seat() -> None:
    matches = make_schedule(identity_of("xy"), {"chase": 3}, rounds=1)
    seatings = {"".join(match.players) for match in matches}
    assert seatings == {"xxy", "xyx", "xyy", "yxx", "yxy", "yyx"}
    assert len(matches) == 6


def test_match_ids_name_the_game_the_round_and_the_seats() -> None:
    identity = identity_of("xy")
    matches = make_schedule(identity, {"nim": 2}, rounds=2)
    ends = ["1.1-2", "1.2-1", "2.1-2", "2.2-1"]
    assert [match.match_id for match in matches] == [f"nim.{identity.label}.{one}" for one in ends]


@of_any_tournament
def test_every_pairing_takes_every_seat_equally_often(
    identity: Identity, roles: Mapping[str, int], rounds: int
) -> None:
    matches = make_schedule(identity, roles, rounds)
    for game, count in roles.items():
        for pairing in combinations(identity.players, 2):
            met = [m.players for m in matches if m.game == game and set(m.players) == set(pairing)]
            if count == 1:
                continue
            assert len(met) == rounds * (2**count - 2)
            assert len(set(met)) == len(met) / rounds
            for seat in range(count):
                taken = Counter(players[seat] for players in met)
                assert taken == dict.fromkeys(pairing, len(met) // 2)


@of_any_tournament
def test_every_player_plays_equally_often(
    identity: Identity, roles: Mapping[str, int], rounds: int
) -> None:
    matches = make_schedule(identity, roles, rounds)
    seats = Counter(player for match in matches for player in match.players)
    assert set(seats) == set(identity.players)
    assert len(set(seats.values())) == 1


@of_any_tournament
def test_a_seed_is_that_of_one_set(
    identity: Identity, roles: Mapping[str, int], rounds: int
) -> None:
    sets: dict[int, set[object]] = {}
    for match in make_schedule(identity, roles, rounds):
        group = frozenset(match.players) if roles[match.game] > 1 else None
        sets.setdefault(match.seed, set()).add((match.game, match.round, group))
        assert 0 <= match.seed < 2**SEED_BITS
    assert all(len(found) == 1 for found in sets.values())
    keys = [key for found in sets.values() for key in found]
    assert len(keys) == len(set(keys))


@of_any_tournament
def test_the_same_plan_is_the_same_schedule_and_more_rounds_only_add(
    identity: Identity, roles: Mapping[str, int], rounds: int
) -> None:
    matches = make_schedule(identity, roles, rounds)
    assert make_schedule(identity, dict(roles), rounds) == matches
    assert make_schedule(identity, roles, rounds + 1)[: len(matches)] == matches
    assert len({match.match_id for match in matches}) == len(matches)
