"""The curve adds up what rounds gained, and has an interval for each."""

from __future__ import annotations

from math import hypot, inf, isfinite
from pathlib import Path

import pytest

from ggp_player.lab.learning_curve import learning_curve, write_learning_plot
from ggp_player.lab.sequential_test import elo_of
from ggp_player.strategies.learning import LearningRound


def finished(
    points: float, matches: int, is_kept: bool = True, seconds: float = 1.0
) -> LearningRound:
    return LearningRound(seconds, 100, points, matches, is_kept)


FIRST = finished(0.0, 0)


def test_kept_rounds_add_up() -> None:
    first, second, lost, third = learning_curve(
        [FIRST, finished(14.0, 18), finished(3.0, 18, is_kept=False), finished(9.0, 18)]
    )
    assert (first.elo, first.low, first.high) == (0, 0, 0)
    assert second.elo == pytest.approx(elo_of(15 / 20))
    assert lost.elo == pytest.approx(second.elo + elo_of(4 / 20))
    assert not lost.is_kept
    assert third.elo == pytest.approx(second.elo)
    own = learning_curve([finished(9.0, 18)])[0]
    assert third.high - third.elo == pytest.approx(
        hypot(second.high - second.elo, own.high - own.elo)
    )


@pytest.mark.parametrize("points", [0.0, 10.0])
def test_the_difference_is_finite_where_all_was_won_or_lost(points: float) -> None:
    (point,) = learning_curve([finished(points, 10)])
    assert point.elo == pytest.approx(elo_of((points + 1) / 12))
    assert isfinite(point.low)
    assert isfinite(point.high)


def test_more_matches_say_more() -> None:
    widths = [
        each.high - each.low
        for count in (4, 40, 400)
        for each in learning_curve([finished(count / 2, count)])
    ]
    assert inf > widths[0] > widths[1] > widths[2] > 0


def test_the_plot_has_its_caption_and_the_rounds(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    kept, lost = ([FIRST, finished(4.0, 18, is_kept, 20.0)] for is_kept in (True, False))
    for name in ("curve.svg", "again.svg", "curve.png"):
        write_learning_plot(lost, tmp_path / name, "nim: none")
    text = (tmp_path / "curve.svg").read_text()
    assert ">nim: none<" in text
    assert ">not kept<" in text
    write_learning_plot(kept, tmp_path / "kept.svg", "nim: none")
    assert ">not kept<" not in (tmp_path / "kept.svg").read_text()
    assert (tmp_path / "again.svg").read_text() == text
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
