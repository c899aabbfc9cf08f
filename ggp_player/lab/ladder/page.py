"""The table of the ladder for people: on a terminal, and as a page of Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from gdl.errors import counted
from ggp_player.lab.ladder.table import LadderRow, LadderTable


def printed_table(table: LadderTable) -> Table:
    """Make a table, the strongest first; anchors have a star."""
    columns, *rows = _grid(table)
    made = Table(title=_title(table), title_justify="left")
    for number, column in enumerate(columns):
        made.add_column(column, justify="right" if number else "left", no_wrap=True)
    for cells in rows:
        made.add_row(*cells)
    return made


def ladder_page(tables: Sequence[LadderTable], plot: str | None = None) -> str:
    """A page of Markdown: the table of all games, and those of single ones after it.

    ``plot`` is where a plot over releases lies, seen from the page.
    """
    first, *others = tables
    lines = [
        "# The ladder",
        "",
        f"Written by `ggp-player lab ladder table`: matches from {first.days[0]} to "
        f"{first.days[1]}, from balanced openings, in both seats, with clocks of "
        f"{', '.join(first.clocks)} seconds (start/play). A star marks anchors, which never "
        "change. Late, failed and illegal are replies; matches that broke off do not count.",
        *(("", f"![Elo by release]({plot})") if plot else ()),
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
