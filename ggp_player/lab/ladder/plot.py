"""The ladder over releases, as a plot. It needs matplotlib, which is loaded when it is used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gdl.benchmark import save_figure
from ggp_player.errors import LabError
from ggp_player.lab.ladder.table import LadderRow, LadderTable
from ggp_player.manager.tournament import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 9.0, 5.0
"""Inches."""


def write_ladder_plot(table: LadderTable, file: Path) -> None:
    """Draw a line for each strategy over its versions, and a level for each other player.

    Raises :class:`LabError` where no strategy of ours has a rating, other than anchors.
    """
    rated = [(row, row.elo) for row in table.rows if row.elo is not None]
    ours = [(row, elo) for row, elo in rated if row.player.has_versions]
    if not ours:
        raise LabError("the plot is over releases: no strategy of this package has played yet")
    levels = [(row, elo) for row, elo in rated if not row.player.has_versions]
    save_figure(lambda: _figure(ours, levels, table.anchor), file)


def versions_in_order(rows: Sequence[LadderRow]) -> list[str]:
    """The versions of some players: by the release, then by the day of the first match."""
    first: dict[str, tuple[list[int], str]] = {}
    for row in sorted(rows, key=lambda one: one.since):
        release = row.player.version.partition("+")[0]
        numbers = [int(number) for number in re.findall(r"\d+", release)]
        first.setdefault(row.player.version, (numbers, row.since))
    return sorted(first, key=first.__getitem__)


def _figure(
    ours: Sequence[tuple[LadderRow, Interval]],
    levels: Sequence[tuple[LadderRow, Interval]],
    anchor: str,
) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    axes = figure.add_subplot()
    versions = versions_in_order([row for row, _ in ours])
    for name in sorted({row.player.name for row, _ in ours}):
        own = {row.player.version: elo for row, elo in ours if row.player.name == name}
        draw_line(axes, name, [(n, own[one]) for n, one in enumerate(versions) if one in own])
    for row, elo in levels:
        axes.axhline(elo.value, color="#888888", linewidth=0.8, linestyle="--")
        label = f"{row.figures.player}{' *' if row.player.is_anchor else ''}"
        axes.annotate(label, (1, elo.value), xycoords=("axes fraction", "data"), fontsize=8)
    axes.set_xticks(range(len(versions)), versions, fontsize=8)
    axes.set_xlim(-0.5, len(versions) - 0.5)
    axes.grid(visible=True, axis="y", alpha=0.4)
    axes.set_ylabel(f"Elo above {anchor}, with 95 % intervals", fontsize=8)
    axes.legend(fontsize=8)
    return figure


def draw_line(axes: Axes, name: str, points: Sequence[tuple[int, Interval]]) -> None:
    """Draw a line over places from 0, with the interval of each point as a bar."""
    places = [place for place, _ in points]
    values = [elo.value for _, elo in points]
    below = [elo.value - elo.low for _, elo in points]
    above = [elo.high - elo.value for _, elo in points]
    axes.errorbar(places, values, yerr=(below, above), label=name, marker="o", capsize=3)
