"""Who has won is told by the goal values of all."""

import pytest

from ggp_player.archive.match_store import outcomes


@pytest.mark.parametrize(
    ("goals", "expected"),
    [
        ([100, 0], ["win", "loss"]),
        ([50, 50], ["draw", "draw"]),
        ([70, 70, 10], ["draw", "draw", "loss"]),
        ([100], ["win"]),
        ([99], ["draw"]),
        ([0], ["loss"]),
        ([None, 40], ["", ""]),
        ([], []),
    ],
)
def test_outcomes(goals: list[int | None], expected: list[str]) -> None:
    assert outcomes(goals) == expected
