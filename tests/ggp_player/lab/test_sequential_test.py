"""The sequential test errs no more often than it says, and has the figures of the formulas."""

from __future__ import annotations

from math import inf, isclose, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.lab.sequential_test import (
    MIN_PAIRS,
    NOTHING,
    PRIOR_PAIRS,
    PRIOR_VARIANCE,
    Estimate,
    PairSums,
    SequentialTest,
    SequentialVerdict,
    at_equal_weight,
    elo_of,
    expected_result,
)

TEST = SequentialTest()

results = st.lists(st.sampled_from([0, 0.25, 0.5, 0.6, 0.75, 1]), min_size=1, max_size=40)


def estimate_of(pairs: list[float]) -> Estimate:
    sums = PairSums()
    for pair in pairs:
        sums.add(pair)
    return sums.estimate


def test_known_values() -> None:
    assert TEST.bounds == (log(0.05 / 0.95), log(0.95 / 0.05))
    assert expected_result(0) == 0.5
    assert isclose(expected_result(400), 10 / 11)
    estimate = estimate_of([1, 0.5, 0.5, 0.25])
    deviations = sum((x - 0.5625) ** 2 for x in (1, 0.5, 0.5, 0.25))
    variance = (deviations + PRIOR_PAIRS * PRIOR_VARIANCE) / (4 + PRIOR_PAIRS)
    assert (estimate.pairs, estimate.mean) == (4, 0.5625)
    assert isclose(estimate.error**2, variance / 4)
    s1 = expected_result(20)
    by_hand = 4 * (s1 - 0.5) * (2 * 0.5625 - 0.5 - s1) / (2 * variance)
    assert isclose(TEST.ratio(estimate), by_hand)


def test_the_ratio_is_that_of_two_normal_densities() -> None:
    estimate = estimate_of([0.75] * 30 + [0.5] * 40 + [0.25] * 10)

    def log_density(centre: float) -> float:
        return -(((estimate.mean - centre) / estimate.error) ** 2) / 2

    expected = log_density(expected_result(20)) - log_density(0.5)
    assert isclose(TEST.ratio(estimate), expected)


@given(results)
def test_the_converse_hypotheses_have_the_converse_ratio(pairs: list[float]) -> None:
    mirrored = estimate_of([1 - pair for pair in pairs])
    converse = SequentialTest(-20, 0)
    assert isclose(
        TEST.ratio(estimate_of(pairs)), -converse.ratio(mirrored), rel_tol=1e-6, abs_tol=1e-6
    )


@given(st.floats(-1000, 1000))
def test_elo_is_the_inverse_of_the_expected_result(elo: float) -> None:
    assert isclose(elo_of(expected_result(elo)), elo, rel_tol=1e-6, abs_tol=1e-6)


@given(results)
def test_the_interval_holds_the_mean_and_ends_at_0_and_1(pairs: list[float]) -> None:
    estimate = estimate_of(pairs)
    low, high = estimate.interval
    assert 0 <= low <= estimate.mean <= high <= 1
    elo, least, most = estimate.elo
    assert least <= elo <= most


def test_what_was_never_lost_is_infinitely_strong() -> None:
    assert (elo_of(1), elo_of(0)) == (inf, -inf)


def test_nothing_is_known_before_the_first_pair() -> None:
    assert PairSums().estimate == NOTHING
    assert TEST.verdict(NOTHING) is SequentialVerdict.OPEN
    assert at_equal_weight([]) == NOTHING
    assert at_equal_weight([NOTHING, estimate_of([1, 1])]) == NOTHING


def test_games_count_equally_however_many_pairs_they_have() -> None:
    few, many = estimate_of([1, 0.5]), estimate_of([0.25, 0.5, 0.5] * 20)
    both = at_equal_weight([few, many])
    assert both.pairs == 62
    assert isclose(both.mean, (few.mean + many.mean) / 2)
    assert isclose(both.error**2, (few.error**2 + many.error**2) / 4)
    assert at_equal_weight([many]) == many


def test_a_few_pairs_that_the_seat_decided_decide_nothing() -> None:
    assert TEST.verdict(estimate_of([0.5] * (4 * MIN_PAIRS))) is SequentialVerdict.OPEN
    assert TEST.verdict(estimate_of([0.5] * 200)) is SequentialVerdict.H0


@pytest.mark.parametrize("elo0", [20, 30])
def test_hypotheses_have_an_order(elo0: float) -> None:
    with pytest.raises(ValueError, match="elo0 must be less than elo1"):
        SequentialTest(elo0, 20)


@pytest.mark.parametrize("name", ["alpha", "beta"])
@pytest.mark.parametrize("value", [0, 0.5, -1])
def test_errors_are_less_than_a_coin_toss(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must lie between"):
        SequentialTest(**{name: value})


# ---------------------------------------------------------------------- error rates

MATCHES = 400

KINDS = {
    "won or lost": (0.0, 0.0),
    "often drawn": (0.6, 0.0),
    "often decided by the seat": (0.0, 0.3),
}
"""How often a match is drawn, and by how much the first seat is favoured."""


def pair_of(random: Random, expected: float, drawn: float, seat: float) -> float:
    """The mean result of a pair whose matches have an expected result on average."""
    total = 0.0
    for favour in (seat, -seat):
        if random.random() < drawn:
            total += 0.5
        else:
            total += random.random() < 0.5 + favour + (expected - 0.5) / (1 - drawn)
    return total / 2


def verdict_of(random: Random, elo: float, kind: str, test: SequentialTest) -> SequentialVerdict:
    sums, verdict = PairSums(), SequentialVerdict.OPEN
    while verdict is SequentialVerdict.OPEN or sums.pairs < MIN_PAIRS:
        sums.add(pair_of(random, expected_result(elo), *KINDS[kind]))
        verdict = test.verdict(sums.estimate)
    return verdict


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("elo", "wrong"), [(0, SequentialVerdict.H1), (20, SequentialVerdict.H0)])
def test_errors_are_as_rare_as_they_should_be(
    kind: str, elo: float, wrong: SequentialVerdict
) -> None:
    random = Random(f"{kind} {elo}")
    errors = sum(verdict_of(random, elo, kind, TEST) is wrong for _ in range(MATCHES))
    # With a rate of 5 % this many or more are seen once in 700 times.
    assert errors <= 34
    assert errors >= 2, "a test that never errs is slower than it has to be"


@pytest.mark.thorough
def test_clear_differences_are_seen_soon() -> None:
    random = Random(1)
    for _ in range(100):
        assert verdict_of(random, 200, "won or lost", TEST) is SequentialVerdict.H1
        assert verdict_of(random, -200, "won or lost", TEST) is SequentialVerdict.H0
