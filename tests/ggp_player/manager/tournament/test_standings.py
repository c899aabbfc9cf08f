"""Standings and ratings, compared with hand-computed ones."""

from math import log10

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.manager.tournament.ratings import ratings
from ggp_player.manager.tournament.results import MatchResult
from ggp_player.manager.tournament.standings import Bout, StandingsRow, interval, standings
from tests.support.tournament_results import result

SQUARE = 1.959964**2


def wilson(mean: float, size: float) -> tuple[float, float]:
    """Return the bounds that the textbook's formula gives."""
    centre = (mean + SQUARE / (2 * size)) / (1 + SQUARE / size)
    half = (mean * (1 - mean) / size + SQUARE / (4 * size**2)) ** 0.5
    half *= SQUARE**0.5 / (1 + SQUARE / size)
    return centre - half, centre + half


def rows(*results: MatchResult, players: str = "xyz") -> dict[tuple[str, str, str], StandingsRow]:
    table = standings(results, list(players), ["nim", "maze"])
    everything = (*table.players, *table.games, *table.pairings)
    return {(row.player, row.game, row.opponent): row for row in everything}


# ---------------------------------------------------------------------- intervals


def test_there_is_no_interval_of_nothing() -> None:
    assert interval([]) is None


def test_independent_wins_have_the_textbook_interval() -> None:
    # The example of ten trials with eight successes.
    found = interval([(seed, float(seed < 8)) for seed in range(10)])
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)


def test_sets_that_only_repeat_one_value_count_once() -> None:
    # Four matches, but two sets: won twice, and lost twice. The variance of the mean is
    # 2/1 * (1 + 1) / 16 = 1/4, that of four independent ones 1/4 / 3: a third of it.
    found = interval([(1, 1.0), (1, 1.0), (2, 0.0), (2, 0.0)])
    assert found is not None
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 4 / 3), abs=1e-6)


@pytest.mark.parametrize("values", [[(1, 1.0), (1, 0.0)] * 5, [(1, 0.5)] * 5])
def test_one_set_says_little(values: list[tuple[int, float]]) -> None:
    found = interval(values)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 1), abs=1e-6)


def test_sets_without_differences_are_no_more_than_their_matches() -> None:
    found = interval([(seed, value) for seed in range(5) for value in (1.0, 0.0)])
    assert found is not None
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 10), abs=1e-6)


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1)), min_size=1, max_size=30))
def test_an_interval_is_around_its_mean_and_within_the_bounds(
    values: list[tuple[int, float]],
) -> None:
    found = interval(values)
    assert found is not None
    assert found.value == pytest.approx(sum(value for _, value in values) / len(values))
    assert 0 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1
    assert found.high - found.low > 0.05


# ---------------------------------------------------------------------- standings


def test_points_wins_draws_and_losses() -> None:
    found = rows(
        result("xy", "100 0", seed=1),
        result("yx", "50 50", seed=1),
        result("xz", "30 70", seed=2),
        result("zx", "100 0", seed=2),
    )
    x = found["x", "", ""]
    assert (x.matches, x.wins, x.draws, x.losses) == (4, 1, 1, 2)
    assert x.points is not None
    assert x.points.value == pytest.approx((1 + 0.5 + 0.3 + 0) / 4)
    assert x.score is not None
    assert x.score.value == pytest.approx(1.5 / 4)
    against_y = found["x", "", "y"]
    assert (against_y.matches, against_y.wins, against_y.draws, against_y.losses) == (2, 1, 1, 0)
    assert against_y.points is not None
    assert against_y.points.value == 0.75
    assert (found["z", "", "x"].wins, found["z", "", "x"].losses) == (2, 0)
    assert (found["y", "", "z"].matches, found["y", "", "z"].points) == (0, None)
    assert found["x", "maze", ""].matches == 0
    assert found["x", "nim", ""].points == x.points


def test_the_players_with_more_points_come_first() -> None:
    table = standings([result("xy", "0 100"), result("zx", "60 0")], ["x", "y", "z"], ["nim"])
    assert [row.player for row in table.players] == ["y", "z", "x"]
    assert [row.player for row in table.games] == ["y", "z", "x"]


def test_of_several_seats_the_mean_counts() -> None:
    found = rows(result("xyx", "100 50 20"), result("yxy", "90 60 10", seed=2))
    assert (found["x", "", "y"].wins, found["x", "", "y"].losses) == (2, 0)
    x, y = found["x", "", ""].points, found["y", "", ""].points
    assert x is not None
    assert y is not None
    assert (x.value, y.value) == pytest.approx(((0.6 + 0.6) / 2, (0.5 + 0.5) / 2))


def test_those_who_play_alone_are_compared_within_a_round() -> None:
    played = [
        *[result("x", "80", 1, "maze"), result("y", "40", 1, "maze"), result("z", "80", 1, "maze")],
        *[result("x", "0", 2, "maze"), result("y", "100", 2, "maze")],
    ]
    found = rows(*played)
    x = found["x", "", ""]
    assert (x.matches, x.wins, x.draws, x.losses) == (2, 1, 1, 1)
    assert x.points is not None
    assert x.points.value == 0.4
    assert found["x", "", "y"].matches == 2
    assert (found["z", "", "y"].wins, found["z", "", "y"].draws) == (1, 0)
    assert found["y", "maze", ""].wins == 1


def test_a_goal_that_the_rules_do_not_give_is_worth_nothing() -> None:
    found = rows(result("xy", "none 10"))
    points = found["x", "", ""].points
    assert points is not None
    assert points.value == 0
    assert (found["x", "", ""].losses, found["y", "", ""].wins) == (1, 1)


def test_a_match_that_broke_off_has_no_points_but_its_faults() -> None:
    faults = ((), ("0 CE", "3 TO", "4 TO", "5 IL (mark TO b)"))
    found = rows(
        result("xy", "100 0"), result("yx", "", seed=2, failure="the cable", errors=faults)
    )
    x, y = found["x", "", ""], found["y", "", ""]
    assert (x.matches, x.broke_off, x.wins) == (1, 1, 1)
    assert (x.failed, x.late, x.illegal) == (1, 2, 1)
    assert (y.failed, y.late, y.illegal, y.broke_off) == (0, 0, 0, 1)


# ---------------------------------------------------------------------- ratings


def bouts(player: str, opponent: str, scores: list[float]) -> list[Bout]:
    return [
        bout
        for seed, score in enumerate(scores)
        for bout in (
            Bout(player, opponent, "nim", seed, score),
            Bout(opponent, player, "nim", seed, 1 - score),
        )
    ]


def test_the_ratings_of_two_are_the_odds_of_their_scores() -> None:
    # 8.5 of 11 and the draw on top: 9 to 3, odds of three.
    found = ratings(bouts("x", "y", [1.0] * 8 + [0.5] + [0.0] * 2), ["x", "y"])
    x, y = found["x"], found["y"]
    assert x.value - y.value == pytest.approx(400 * log10(3), abs=1e-3)
    assert x.value == pytest.approx(-y.value)
    # The information is 12 bouts of variance 3/4 * 1/4 each, and the rating half the difference.
    error = 400 / 2.302585 / 2 / (12 * 3 / 16) ** 0.5
    assert x.high - x.value == pytest.approx(1.959964 * error, rel=1e-4)
    assert x.value - x.low == pytest.approx(x.high - x.value)


def test_those_who_win_everything_are_not_infinitely_strong() -> None:
    found = ratings([*bouts("x", "y", [1.0] * 9), *bouts("y", "z", [1.0] * 9)], ["z", "x", "y"])
    assert found["x"].value > found["y"].value > found["z"].value
    assert sum(one.value for one in found.values()) == pytest.approx(0, abs=1e-6)
    assert all(abs(one.value) < 1000 for one in found.values())


PAIRS = (("x", "y"), ("y", "z"), ("z", "x"))
SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=200)


@given(st.tuples(SCORES, SCORES, SCORES))
def test_each_player_has_the_score_that_the_ratings_predict(
    scores: tuple[list[float], list[float], list[float]],
) -> None:
    played = [
        bout for pair, values in zip(PAIRS, scores, strict=True) for bout in bouts(*pair, values)
    ]
    found = ratings(played, ["x", "y", "z"])
    drawn = [bout for pair in PAIRS for bout in bouts(*pair, [0.5])]  # the additional draws
    for player in "xyz":
        met = [bout for bout in (*played, *drawn) if bout.player == player]
        differences = [found[bout.opponent].value - found[player].value for bout in met]
        predicted = sum(1 / (1 + 10 ** (difference / 400)) for difference in differences)
        assert predicted == pytest.approx(sum(bout.score for bout in met), abs=1e-6)
