"""The margin follows the overheads that were measured, and never beyond its bounds."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.server.reply_deadline import (
    ENOUGH_REPLIES,
    MAX_MARGIN,
    MAX_MARGIN_SHARE,
    MAX_UNSURE_SHARE,
    MIN_MARGIN,
    OVERHEADS,
    PONDERING_GRACE,
    REMEMBERED_REPLIES,
    UNFORESEEN_SHARE,
    Margin,
    ReplyDeadline,
    pondering_limit,
    silence_limit,
)
from tests.support.clocks import FakeClock

CLOCKS = st.floats(0, 1e4)
OVERHEAD = st.floats(0, 1e4) | st.floats(0, 0.1)
ROUND_TRIP = st.floats(0, 10)
MANY = 2 * REMEMBERED_REPLIES


def cautious(clock: float, most: float = MAX_MARGIN) -> float:
    """Return the margin that nothing measured has made narrower."""
    return max(MIN_MARGIN, min(most, MAX_MARGIN_SHARE * clock))


def margin_after(overheads: Iterable[float], fixed: float | None = None) -> Margin:
    margin = Margin(fixed)
    for overhead in overheads:
        margin.record(overhead)
    return margin


@pytest.mark.parametrize("number", range(ENOUGH_REPLIES))
def test_it_is_cautious_until_enough_is_measured(number: int) -> None:
    margin = margin_after([0.001] * number)
    assert [margin.seconds(clock) for clock in (1, 2, 3, 30)] == [1 / 3, 2 / 3, 1, 1]


def test_good_replies_make_it_narrow_on_short_clocks() -> None:
    margin = margin_after([0.002] * ENOUGH_REPLIES)
    assert margin.seconds(1) == pytest.approx(UNFORESEEN_SHARE + OVERHEADS * 0.002)
    assert margin.seconds(1) < 0.2
    assert margin.seconds(15) == MAX_MARGIN


def test_one_bad_reply_makes_it_wide_at_once_until_it_is_forgotten() -> None:
    margin = margin_after([0.002] * REMEMBERED_REPLIES)
    margin.record(0.2)
    for _ in range(REMEMBERED_REPLIES):
        assert margin.seconds(1) == cautious(1)
        margin.record(0.002)
    assert margin.seconds(1) < 0.2


def test_what_is_far_away_makes_it_wide() -> None:
    margin = margin_after([0.002] * ENOUGH_REPLIES)
    assert margin.seconds(1, round_trip=0.03) == pytest.approx(margin.seconds(1) + 0.06)
    assert margin.seconds(1, round_trip=0.1) == cautious(1)


@given(CLOCKS, st.lists(OVERHEAD, max_size=MANY), ROUND_TRIP)
def test_it_is_never_wider_than_without_measuring(
    clock: float, overheads: list[float], round_trip: float
) -> None:
    margin = margin_after(overheads).seconds(clock, round_trip)
    assert min(cautious(clock), UNFORESEEN_SHARE * clock) <= margin <= cautious(clock)


@given(
    CLOCKS,
    st.lists(st.tuples(OVERHEAD, OVERHEAD), max_size=MANY),
    ROUND_TRIP,
    ROUND_TRIP,
)
def test_worse_replies_never_make_it_narrower(
    clock: float, pairs: list[tuple[float, float]], near: float, farther: float
) -> None:
    good = margin_after(min(pair) for pair in pairs).seconds(clock, near)
    bad = margin_after(max(pair) for pair in pairs).seconds(clock, near + farther)
    assert good <= bad


@given(CLOCKS, st.lists(OVERHEAD, max_size=MANY), OVERHEAD)
def test_it_covers_the_worst_reply_as_far_as_the_bounds_allow(
    clock: float, overheads: list[float], last: float
) -> None:
    margin = margin_after([*overheads, last])
    assert margin.seconds(clock) >= min(OVERHEADS * last, cautious(clock))


@given(
    CLOCKS,
    st.floats(MIN_MARGIN, 60),
    st.lists(OVERHEAD, max_size=MANY),
    ROUND_TRIP,
)
def test_a_fixed_one_follows_nothing(
    clock: float, fixed: float, overheads: list[float], round_trip: float
) -> None:
    assert margin_after(overheads, fixed).seconds(clock, round_trip) == cautious(clock, fixed)


# ---------------------------------------------------------------------- deadlines


def test_the_deadline_lies_a_margin_before_the_end_of_the_clock() -> None:
    clock = FakeClock()
    deadline = ReplyDeadline(Margin(), clock)
    clock.now += 1
    assert deadline.for_clock(30).at == 100 + 30 - 1
    assert ReplyDeadline(Margin(), clock).for_clock(0).at == clock.now


@given(CLOCKS, st.lists(OVERHEAD, max_size=ENOUGH_REPLIES), ROUND_TRIP)
def test_a_deadline_is_never_before_the_arrival(
    clock: float, overheads: list[float], round_trip: float
) -> None:
    now = FakeClock()
    deadline = ReplyDeadline(margin_after(overheads), now, round_trip)
    assert now() <= deadline.for_clock(clock).at <= now() + clock


def test_replies_that_waited_for_their_deadline_are_measured() -> None:
    clock, margin = FakeClock(), Margin()
    for _ in range(ENOUGH_REPLIES):
        deadline = ReplyDeadline(margin, clock)
        clock.now = deadline.for_clock(10).at + 0.01
        deadline.reply_sent()
    assert margin.seconds(1) == pytest.approx(UNFORESEEN_SHARE + OVERHEADS * 0.01)


def test_others_are_not() -> None:
    clock, margin = FakeClock(), Margin()
    for _ in range(ENOUGH_REPLIES):
        ReplyDeadline(margin, clock).reply_sent()
        early = ReplyDeadline(margin, clock)
        early.for_clock(10)
        clock.now += 8.9
        early.reply_sent()
    assert margin.seconds(1) == cautious(1)


def test_a_search_rests_before_its_match_is_dropped() -> None:
    assert pondering_limit(30, 10) == 40 + PONDERING_GRACE
    assert pondering_limit(10, 10) < silence_limit(10, 10, 1)


def test_the_time_that_a_request_has_waited_counts() -> None:
    clock = FakeClock()
    at_once, late = ReplyDeadline(Margin(), clock), ReplyDeadline(Margin(), clock, 0.0, 0.75)
    assert at_once.for_clock(10).at - late.for_clock(10).at == 0.75


def test_what_may_have_waited_leaves_time_for_a_legal_move() -> None:
    """A manager that hands out messages may count from then on, however long nobody asked."""
    now = 100.0
    deadline = ReplyDeadline(Margin(0.1), lambda: now, unsure=50.0)
    assert deadline.for_clock(3).at == pytest.approx(100 + 3 - 0.1 - MAX_UNSURE_SHARE * 3)
    short = ReplyDeadline(Margin(0.1), lambda: now, unsure=0.5)
    assert short.for_clock(3).at == pytest.approx(100 + 3 - 0.1 - 0.5)
