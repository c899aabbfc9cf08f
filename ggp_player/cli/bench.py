"""The command ``ggp-player bench``: how fast the searches are."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

import gdl
from gdl.benchmark.isolated_process import measured_in_isolation
from gdl.benchmark.measure import Failure, MeasurementPlan
from gdl.benchmark.tables import short
from gdl.errors import Source
from gdl.language import decode
from ggp_player.cli.options import say_on_stderr
from ggp_player.inspect.search_benchmark import measure_searches
from ggp_player.worker.warm_up_process import warm_up_first

STDIN = Path("-")


def run_bench(
    rulesheets: Sequence[Path], seconds: float, threads: int, seed: int, as_json: bool
) -> None:
    """Measure searches from the initial state, each game in a process of its own."""
    sources = list(map(_read, rulesheets))
    plan = MeasurementPlan(seconds=seconds, threads=threads, seed=seed)
    warm_up_first(say_on_stderr)
    outcomes = measured_in_isolation(measure_searches, sources, plan, hidden=as_json)
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
    if failures:
        raise click.exceptions.Exit(1)


def _read(file: Path) -> tuple[str, Source]:
    """Read a rulesheet; return its name and text, which is known to be well-formed."""
    if file == STDIN:
        name, source = "stdin", Source(decode(sys.stdin.buffer.read()), "<stdin>")
    else:
        name, source = file.stem, Source(decode(file.read_bytes()), str(file))
    try:
        gdl.parse(source.text, source.name)
    except gdl.GdlError as error:
        raise click.ClickException(str(error)) from error
    return name, source


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
