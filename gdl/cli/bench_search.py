"""``gdl bench --search``: the speed of searches, by whoever has any to offer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import TypeAlias

import click
from rich.console import Console
from rich.table import Table

from gdl.benchmark import Failure, MeasurementPlan, measured_in_isolation, short
from gdl.errors import Source

GROUP = "gdl.search_benchmarks"
"""Entry points of this group measure searches: this package itself has none."""

Measure: TypeAlias = Callable[[str, str, MeasurementPlan], Mapping[str, float]]


def bench_searches(
    sources: Sequence[tuple[str, Source]], plan: MeasurementPlan, as_json: bool
) -> bool:
    """Measure and print; tell whether all games could be measured."""
    outcomes = measured_in_isolation(_measure(), sources, plan, hidden=as_json)
    found: dict[str, Mapping[str, float]] = {}
    failures: dict[str, str] = {}
    for (name, _), outcome in zip(sources, outcomes, strict=True):
        if isinstance(outcome, Failure):
            failures[name] = outcome.reason
        else:
            found[name] = outcome
    if as_json:
        click.echo(json.dumps({"games": found, "failures": failures}, indent=2))
    else:
        _print(found, failures)
    return not failures


def _measure() -> Measure:
    points = list(entry_points(group=GROUP))
    if not points:
        raise click.UsageError("no search is installed: install the package ggp-player")
    measure: Measure = points[0].load()
    return measure


def _print(found: Mapping[str, Mapping[str, float]], failures: Mapping[str, str]) -> None:
    console = Console(highlight=False, markup=False)
    names = list(dict.fromkeys(name for figures in found.values() for name in figures))
    table = Table(box=None, pad_edge=False)
    table.add_column("game", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for game, figures in found.items():
        table.add_row(game, *(short(figures[n]) if n in figures else "" for n in names))
    if found:
        console.print(table)
    for game, reason in failures.items():
        console.print(f"{game}: {reason}")
