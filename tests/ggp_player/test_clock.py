"""Deadlines pass with their clock."""

from ggp_player.clock import Deadline


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
