"""Deadlines lie before the end of the clock, by a margin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggp_player.clock import DEFAULT_MARGIN, MAX_MARGIN_SHARE, MIN_MARGIN, Deadline, thinking_time


@pytest.mark.parametrize(
    ("seconds", "margin", "expected"),
    [
        (30, 1.0, 29.0),
        (10, 2.5, 7.5),
        (3, 1.0, 2.0),
        (2, 1.0, 2 * (1 - MAX_MARGIN_SHARE)),
        (1, 1.0, 1 - MAX_MARGIN_SHARE),
        (10, 0.0, 10 - MIN_MARGIN),
        (0, 1.0, 0.0),
        (-1, 1.0, 0.0),
    ],
)
def test_thinking_time(seconds: float, margin: float, expected: float) -> None:
    assert thinking_time(seconds, margin) == pytest.approx(expected)


@given(st.floats(MIN_MARGIN, 1e4), st.floats(0, 100))
def test_a_reserve_is_kept_of_every_clock(seconds: float, margin: float) -> None:
    reserve = seconds - thinking_time(seconds, margin)
    assert reserve >= MIN_MARGIN - 1e-9
    assert reserve <= max(MIN_MARGIN, margin, DEFAULT_MARGIN) + 1e-9


def test_a_deadline_passes_with_its_clock() -> None:
    now = 100.0
    deadline = Deadline.after(5, lambda: now)
    assert (deadline.at, deadline.remaining, deadline.has_passed) == (105.0, 5.0, False)
    now = 104.5
    assert deadline.remaining == 0.5
    now = 105.0
    assert deadline.has_passed
    now = 200.0
    assert deadline.remaining == 0.0
