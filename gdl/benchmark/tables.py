"""Measured speeds as a table, in a terminal and in Markdown, beside those of other engines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import TypeAlias

from rich.table import Table

from gdl.benchmark.baselines import Baseline
from gdl.benchmark.measure import CircuitFigures, SpeedReport


@dataclass(frozen=True, slots=True)
class SpeedEntry:
    """A game's figures, and the fastest other engine if one is known."""

    report: SpeedReport
    baseline: Baseline | None = None

    @property
    def game(self) -> str:
        """The game's name."""
        return self.report.game

    @property
    def speed(self) -> float:
        """The states per second of one core's CPU time."""
        return self.report.states_per_cpu_second.median

    @property
    def ratio(self) -> float | None:
        """The speed over that of the other engine."""
        return self.speed / self.baseline.states_per_second if self.baseline else None


Column: TypeAlias = Callable[[SpeedEntry], str]


def short(figure: float) -> str:
    """Write a figure with three digits: ``211 M``, ``1.85 k``, ``0.62``."""
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")):
        if figure >= 0.9995 * unit:
            value = figure / unit
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}{name}"
    return f"{figure:.2g}"


def speed_rows(entries: Sequence[SpeedEntry], *, in_documents: bool) -> list[list[str]]:
    """Write heads and a row for each game: all figures, or those that documents need."""
    columns = {"states/s": _COLUMNS["states/s"]}
    columns |= _BASELINE_COLUMNS if any(entry.baseline for entry in entries) else {}
    columns |= {name: _COLUMNS[name] for name in _IN_DOCUMENTS} if in_documents else _COLUMNS
    rows = [["game", *columns]]
    rows += [[entry.game, *(column(entry) for column in columns.values())] for entry in entries]
    return rows


def table_of(rows: Sequence[Sequence[str]]) -> Table:
    """Make a table of texts for a terminal; the heads are the first row, names the first column."""
    heads, *others = rows
    table = Table(box=None, pad_edge=False)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left", no_wrap=True)
    for row in others:
        table.add_row(*row)
    return table


def markdown_of(rows: Sequence[Sequence[str]]) -> str:
    """Write a table of texts in Markdown."""
    heads, *others = rows
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *others]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def comparison(entries: Sequence[SpeedEntry]) -> str:
    """Summarise how the games compare with other engines; empty if none is known."""
    ratios = {entry.game: entry.ratio for entry in entries if entry.ratio is not None}
    if not ratios:
        return ""
    least = min(ratios, key=lambda game: ratios[game])
    return (
        f"ratio to the fastest other engine: "
        f"geometric mean {short(geometric_mean(ratios.values()))}, "
        f"median {short(median(ratios.values()))}, least {short(ratios[least])} ({least}), "
        f"over {len(ratios)} game(s)"
    )


def _of_baseline(show: Callable[[Baseline], str]) -> Column:
    return lambda entry: show(entry.baseline) if entry.baseline else ""


def _of_circuit(show: Callable[[CircuitFigures], str]) -> Column:
    return lambda entry: show(entry.report.circuit) if entry.report.circuit else ""


def _of_report(show: Callable[[SpeedReport], str]) -> Column:
    return lambda entry: show(entry.report)


_BASELINE_COLUMNS: dict[str, Column] = {
    "ratio": lambda entry: "" if entry.ratio is None else short(entry.ratio),
    "fastest other engine": _of_baseline(lambda b: b.engine),
    "its states/s": _of_baseline(lambda b: short(b.states_per_second)),
}

_COLUMNS: dict[str, Column] = {
    "states/s": lambda entry: short(entry.speed),
    "least": _of_report(lambda r: short(r.states_per_cpu_second.least)),
    "most": _of_report(lambda r: short(r.states_per_cpu_second.most)),
    "wall": _of_report(lambda r: short(r.states_per_second.median)),
    "playouts/s": _of_report(lambda r: short(r.playouts_per_cpu_second)),
    "length": _of_report(lambda r: "" if r.mean_length is None else f"{r.mean_length:.1f}"),
    "view": _of_circuit(lambda c: str(c.view_gates)),
    "transition": _of_circuit(lambda c: str(c.transition_gates)),
    "rules": _of_circuit(lambda c: str(c.ground_rules)),
    "ground s": _of_circuit(lambda c: f"{c.ground_seconds:.2f}"),
    "first s": _of_report(lambda r: f"{r.first_state_seconds:.2f}"),
    "code s": _of_circuit(lambda c: "" if c.code_seconds is None else f"{c.code_seconds:.1f}"),
    "MB": _of_report(lambda r: f"{r.peak_memory / 1e6:.0f}"),
    "lanes": _of_circuit(lambda c: str(c.lanes)),
    "roofline": _of_circuit(lambda c: f"{c.share:.1%}"),
}

_IN_DOCUMENTS = ("playouts/s", "length", "view", "transition", "first s", "code s", "MB")
