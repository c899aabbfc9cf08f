"""The command ``ggp-player bench``: how fast the searches are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from rich.console import Console

import gdl
from gdl.benchmark.isolated_process import measured_in_isolation
from gdl.benchmark.measure import Failure, MeasurementPlan
from gdl.benchmark.tables import short, table_of
from gdl.cli.options import game_name, read_source
from gdl.errors import Source
from ggp_player.cli.options import say_on_stderr
from ggp_player.inspect.search_benchmark import measure_searches
from ggp_player.worker.warm_up_process import warm_up_first


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
    source = read_source(file)
    try:
        gdl.parse(source.text, source.name)
    except gdl.GdlError as error:
        raise click.ClickException(str(error)) from error
    return game_name(file), source


def _print(found: Mapping[str, Mapping[str, float]], failures: Mapping[str, str]) -> None:
    console = Console(highlight=False, markup=False)
    names = list(dict.fromkeys(name for figures in found.values() for name in figures))
    rows = [["game", *names]]
    for game, figures in found.items():
        rows.append([game, *(short(figures[n]) if n in figures else "" for n in names)])
    if found:
        console.print(table_of(rows))
    for game, reason in failures.items():
        console.print(f"{game}: {reason}")
