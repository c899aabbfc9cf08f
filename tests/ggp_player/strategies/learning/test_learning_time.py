"""Learning takes its time from the start clock, and counts no time of others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ggp_player.clock import Deadline
from ggp_player.strategies.learning.learning_time import LearningTime, OwnTime, clock_until
from tests.support.clocks import FakeClock


@pytest.mark.parametrize(
    ("seconds", "learning", "duels"),
    [
        (None, 12, 10),
        (0, 3, 3),
        (4, 3, 3),
        (20, 9, 6),
        (60, 27, 18),
        (120, 54, 30),
        (1000, 120, 30),
    ],
)
def test_learning_scales_with_the_start_clock(
    seconds: float | None, learning: float, duels: float
) -> None:
    found = LearningTime.within(seconds)
    assert (found.learning, found.duels) == pytest.approx((learning, duels))


def test_learning_ends_in_time_on_a_busy_machine() -> None:
    own, wall = FakeClock(), FakeClock()
    clock = clock_until(Deadline.after(20.0, wall), own)
    assert clock() == 0
    own.now += 1
    wall.now += 5  # others have had the processor
    assert clock() == 5
    own.now += 6
    assert clock() == 7
    wall.now += 100  # the deadline has long passed
    assert clock() == 20
    own.now += 20
    assert clock() == 27


def test_without_a_deadline_only_cpu_time_counts() -> None:
    own = FakeClock()
    assert clock_until(None, own) is own


def test_what_passes_between_steps_is_not_own_time() -> None:
    clock = FakeClock()
    time = OwnTime(clock)

    def work() -> Iterator[int]:
        for number in range(3):
            clock.now += 2
            assert time() == 2 * number + 2
            yield number
        clock.now += 1

    for step in time.of_steps(work()):
        clock.now += 50
        assert time() == 2 * step + 2
    assert time() == 7
