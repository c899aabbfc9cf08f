"""The ladder for people: its table on a terminal and as a page of Markdown, and a plot of releases.

The plot needs matplotlib, which is loaded when it is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from gdl.benchmark.plot import save_figure
from gdl.errors import counted
from ggp_player.errors import LabError
from ggp_player.lab.ladder.table import LadderRow, LadderTable
from ggp_player.manager.tournament.standings import Interval


def printed_table(table: LadderTable) -> Table:
    """Make a table, the strongest first; anchors have a star."""
    columns, *rows = _grid(table)
    made = Table(title=_title(table), title_justify="left")
    for number, column in enumerate(columns):
        made.add_column(column, justify="right" if number else "left", no_wrap=True)
    for cells in rows:
        made.add_row(*cells)
    return made


def ladder_page(
    releases: LadderTable, tables: Sequence[LadderTable], plot: str | None = None
) -> str:
    """A page of Markdown: the table of releases, of builds in all games, and those of single games.

    ``plot`` is where a plot over builds lies, seen from the page.
    """
    first, *others = tables
    lines = [
        "# The ladder",
        "",
        f"Written by `ggp-player lab ladder table`: matches from {first.days[0]} to "
        f"{first.days[1]}, from balanced openings, in both seats, with clocks of "
        f"{', '.join(first.clocks)} seconds (start/play). A star marks anchors, which never "
        "change. Late, failed and illegal are replies; matches that broke off do not count.",
        *_section(releases),
        "",
        "## Builds",
        *(("", f"![Elo by build]({plot})") if plot else ()),
        *_section(first),
    ]
    for table in others:
        lines += ["", f"## {table.game}", *_section(table)]
    return "\n".join(lines) + "\n"


def _section(table: LadderTable) -> list[str]:
    head, *rows = (f"| {' | '.join(cells)} |" for cells in _grid(table))
    return ["", f"{_title(table)}.", "", head, f"| --- |{' ---: |' * (head.count('|') - 2)}", *rows]


def _title(table: LadderTable) -> str:
    warned = f", {counted(table.warnings, 'warning')} in the files" if table.warnings else ""
    return f"{table.game or 'All games'}: Elo above {table.anchor}{warned}"


def _grid(table: LadderTable) -> list[list[str]]:
    """The heads of columns, then the rows, without the columns in which nothing stands."""
    rows = [_cells(row, is_zero=row.figures.player == table.anchor) for row in table.rows]
    shown = [head for head in rows[0] if any(row[head] for row in rows)]
    return [shown, *([row[head] for head in shown] for row in rows)]


def _cells(row: LadderRow, *, is_zero: bool) -> dict[str, str]:
    figures, elo, points = row.figures, row.elo, row.figures.points
    bounds = f"{round(elo.low):+d} to {round(elo.high):+d}" if elo and not is_zero else ""
    return {
        "player": f"{figures.player}{' *' if row.player.is_anchor else ''}",
        "Elo": "0" if is_zero else f"{round(elo.value):+d}" if elo else "",
        "95 %": bounds,
        "matches": str(figures.matches),
        "points %": f"{100 * points.value:.1f}" if points else "",
        "W/D/L": f"{figures.wins}/{figures.draws}/{figures.losses}",
        "late": str(figures.late or ""),
        "failed": str(figures.failed or ""),
        "illegal": str(figures.illegal or ""),
        "broke off": str(figures.broke_off or ""),
    }


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def write_ladder_plot(table: LadderTable, file: Path) -> None:
    """Draw a line for each strategy over its versions, and a level for each other player.

    Raises :class:`LabError` where no strategy of ours has a rating, other than anchors.
    """
    rated = [(row, row.elo) for row in table.rows if row.elo is not None]
    ours = [(row, elo) for row, elo in rated if row.player.has_versions]
    if not ours:
        raise LabError("the plot is over releases: no strategy of this package has played yet")
    levels = [(row, elo) for row, elo in rated if not row.player.has_versions]
    save_figure(lambda figure: _draw(figure, ours, levels, table.anchor), file)


def versions_in_order(rows: Sequence[LadderRow]) -> list[str]:
    """The versions of some players: by the release, then by the day of the first match."""
    first: dict[str, tuple[list[int], str]] = {}
    for row in sorted(rows, key=lambda one: one.since):
        release = row.player.version.partition("+")[0]
        numbers = [int(number) for number in re.findall(r"\d+", release)]
        first.setdefault(row.player.version, (numbers, row.since))
    return sorted(first, key=first.__getitem__)


def _draw(
    figure: Figure,
    ours: Sequence[tuple[LadderRow, Interval]],
    levels: Sequence[tuple[LadderRow, Interval]],
    anchor: str,
) -> None:
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


def draw_line(axes: Axes, name: str, points: Sequence[tuple[int, Interval]]) -> None:
    """Draw a line over places from 0, with the interval of each point as a bar."""
    places = [place for place, _ in points]
    values = [elo.value for _, elo in points]
    below = [elo.value - elo.low for _, elo in points]
    above = [elo.high - elo.value for _, elo in points]
    axes.errorbar(places, values, yerr=(below, above), label=name, marker="o", capsize=3)
