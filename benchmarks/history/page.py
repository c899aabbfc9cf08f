"""The history for people: a table for each kind of measurement, and a plot of all."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.history.measurements import Measurement
from gdl.benchmark.plot import save_figure
from gdl.benchmark.tables import short
from ggp_player.lab.ladder.page import draw_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 3.5
"""Inches, of each kind of measurement."""


def history_page(history: Sequence[Measurement], plot: str) -> str:
    """A page of Markdown; ``plot`` is where the plot lies, seen from the page."""
    lines = [
        "# Speed and strength over time",
        "",
        "Written by `python -m benchmarks.history page`; [how lines are added](README.md). Figures",
        "of different machines, or of a machine with other work, are not to be compared.",
        "",
        f"![all figures over time]({plot})",
    ]
    for measured, lot in _by_kind(history).items():
        lines += ["", f"## {measured}", *_table(lot), ""]
        lines += [f"- {_place(one)}: `{one.command}`; {_circumstances(one)}" for one in lot]
    return "\n".join(lines) + "\n"


def write_history_plot(history: Sequence[Measurement], file: Path) -> None:
    """Draw the lines of each kind below each other, in the format that the file's name asks for."""
    kinds = _by_kind(history)
    save_figure(lambda figure: _draw_all(figure, kinds), file, _HEIGHT * len(kinds))


def _by_kind(history: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    kinds: dict[str, list[Measurement]] = {}
    for one in history:
        kinds.setdefault(one.measured, []).append(one)
    return kinds


def _names(lot: Sequence[Measurement]) -> list[str]:
    return list(dict.fromkeys(name for one in lot for name in one.figures))


def _table(lot: Sequence[Measurement]) -> list[str]:
    rows = [["", *map(_place, lot)], ["---", *["---:"] * len(lot)]]
    for name in _names(lot):
        rows.append([name, *(_cell(one, name) for one in lot)])
    return ["", *(f"| {' | '.join(row)} |" for row in rows)]


def _cell(one: Measurement, name: str) -> str:
    if name not in one.figures:
        return ""
    value = one.figures[name].value
    return f"{value:+.0f}" if one.measured.startswith("Elo") else short(value)


def _place(one: Measurement) -> str:
    return f"{one.date}, {one.commit}"


def _circumstances(one: Measurement) -> str:
    load = "" if one.machine.load is None else f", load {one.machine.load:.1f}"
    note = f". {one.note}" if one.note else ""
    return f"{one.version}, {one.machine.processor}, {one.machine.cores} cores{load}{note}"


def _draw_all(figure: Figure, kinds: dict[str, list[Measurement]]) -> None:
    rows = figure.subplots(len(kinds), squeeze=False)[:, 0]
    for axes, (measured, lot) in zip(rows, kinds.items(), strict=True):
        _draw(axes, measured, lot)


def _draw(axes: Axes, measured: str, lot: Sequence[Measurement]) -> None:
    from matplotlib.ticker import EngFormatter, NullFormatter

    for name in _names(lot):
        draw_line(
            axes, name, [(n, one.figures[name]) for n, one in enumerate(lot) if name in one.figures]
        )
    axes.set_xticks(range(len(lot)), [f"{one.date}\n{one.commit}" for one in lot], fontsize=8)
    axes.set_xlim(-0.5, len(lot) - 0.5)
    figures = [each for one in lot for each in one.figures.values()]
    least, most = min(each.low for each in figures), max(each.high for each in figures)
    if least > 0:
        axes.set_yscale("log")
        axes.set_ylim(10 ** floor(log10(least)), 10 ** (floor(log10(most)) + 1))
        axes.yaxis.set_major_formatter(EngFormatter())
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, axis="y", alpha=0.4)
    axes.set_title(measured, fontsize=9)
    axes.legend(fontsize=8)
