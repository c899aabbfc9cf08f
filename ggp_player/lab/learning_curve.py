"""How strength grows while a game is learned at leisure: Elo over seconds, from round to round.

What a round has learned has played matches against the best before, and the differences of the
rounds that were kept add up. Each counts one drawn pair of matches in advance, so that a round that
won all its matches, or lost all, has a finite difference, too. The standard error of a share of the
points is that of matches without draws, which is too large where there are some; errors of the kept
rounds are independent, and add up as squares.

The curve rises a little even where nothing is learned, as rounds are kept that won by luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from gdl.benchmark.plot import save_figure
from ggp_player.lab.sequential_test import QUANTILE, elo_of
from ggp_player.strategies.learning import LearningRound

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KEPT, _NOT_KEPT = "#3b78b5", "#888888"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What a round has learned: Elo above the first round's, and its 95 % interval.

    ``seconds`` is when the games of the round ended, as in :class:`.LearningRound`.
    """

    seconds: float
    elo: float
    low: float
    high: float
    is_kept: bool


def learning_curve(rounds: Sequence[LearningRound]) -> list[CurvePoint]:
    """A point for each round, above the best of the rounds before it."""
    points, best, best_error = [], 0.0, 0.0
    for each in rounds:
        gain, error = _difference(each) if each.matches else (0.0, 0.0)
        elo, error = best + gain, hypot(best_error, error)
        reach = QUANTILE * error
        points.append(CurvePoint(each.seconds, elo, elo - reach, elo + reach, each.is_kept))
        if each.is_kept:
            best, best_error = elo, error
    return points


def _difference(each: LearningRound) -> tuple[float, float]:
    """The difference in Elo from the best before, and its standard error."""
    matches = each.matches + 2
    share = (each.points + 1) / matches
    return elo_of(share), 400 / log(10) / sqrt(matches * share * (1 - share))


def write_learning_plot(rounds: Sequence[LearningRound], file: Path, caption: str) -> None:
    """Draw the curve, in the format that the file's name asks for, with a caption above."""
    save_figure(lambda figure: _draw_curve(figure, learning_curve(rounds), caption), file)


def _draw_curve(figure: Figure, points: Sequence[CurvePoint], caption: str) -> None:
    axes = figure.add_subplot()
    _draw(axes, "kept", _KEPT, "o-", [each for each in points if each.is_kept])
    _draw(axes, "not kept", _NOT_KEPT, "x", [each for each in points if not each.is_kept])
    axes.set_xlim(left=0)
    axes.grid(visible=True, alpha=0.4)
    axes.set_title(caption, fontsize=9)
    axes.set_xlabel("seconds of learning", fontsize=8)
    axes.set_ylabel("Elo above the first round, with 95 % intervals", fontsize=8)
    axes.legend(loc="upper left", fontsize=8)


def _draw(axes: Axes, label: str, colour: str, form: str, points: Sequence[CurvePoint]) -> None:
    if not points:
        return
    axes.errorbar(
        [each.seconds for each in points],
        [each.elo for each in points],
        yerr=[each.high - each.elo for each in points],
        fmt=form,
        color=colour,
        label=label,
        capsize=3,
    )
