"""The command ``gdl bench``: how fast games run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

import click
from click.core import ParameterSource
from rich.console import Console

from gdl.benchmark.baselines import (
    Baseline,
    fastest_baselines,
    known_baselines,
    known_game,
    known_games,
)
from gdl.benchmark.circumstances import circumstances
from gdl.benchmark.environment_speed import environment_rows, measure_environment
from gdl.benchmark.isolated_process import measured_in_isolation
from gdl.benchmark.measure import (
    Failure,
    MeasurementPlan,
    SpeedReport,
    measure_propnet,
    measure_reasoner,
)
from gdl.benchmark.plot import write_plot
from gdl.benchmark.tables import SpeedEntry, comparison, markdown_of, speed_rows, table_of
from gdl.cli.arguments import STDIN, MachineKind
from gdl.cli.commands.bench import OutputForm
from gdl.cli.options import check_plot, game_name, read_source
from gdl.errors import Source
from gdl.language import parse
from gdl.system import child_environment

PLAYOUTS_ONLY = {
    "machine": "--machine",
    "threads": "--threads",
    "baselines": "--baselines",
    "baselines_file": "--baselines-file",
    "peers": "--peers",
    "plot": "--plot",
}
"""Options of bare playouts on this processor, by the names of their arguments."""

Report = TypeVar("Report")
"""The figures of one game."""

MEASURES: dict[MachineKind, Callable[[str, str, MeasurementPlan], SpeedReport]] = {
    MachineKind.REASONER: measure_reasoner,
    MachineKind.PROPNET: measure_propnet,
}

DEVICE_WORD = 64
"""A device has a multiple of so many lanes."""

WIDTH = 240
"""Room for every column; the table takes what it needs."""


class Sheet(NamedTuple):
    """A rulesheet to be measured, and the fastest other engine on it if one is known."""

    name: str
    file: Path
    baseline: Baseline | None


def _baselines_of(file: Path | None, hint: str) -> dict[str, Baseline]:
    """Read the table of other engines that an option names."""
    if file is None:
        return {}
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return fastest_baselines(lines, str(file))
    except (OSError, ValueError) as error:
        raise click.BadParameter(str(error), param_hint=hint) from error


def run_bench(
    files: Sequence[Path],
    machine: MachineKind,
    form: str | None,
    baselines: bool,
    baselines_file: Path | None,
    peers: Path | None,
    plot: Path | None,
    search: bool,
    env: bool,
    envs: int,
    device: str | None,
    lanes: int,
    **numbers: Any,  # noqa: ANN401
) -> None:
    """Measure random playouts: states per second, and what it takes to begin."""
    _check_measured("--device" if device is not None else "--env" if env else None)
    plan = MeasurementPlan(**numbers)
    if device is not None and (envs if env else lanes) % DEVICE_WORD:
        option, count = ("--envs", envs) if env else ("--lanes", lanes)
        message = f"expected a multiple of {DEVICE_WORD} on a device, found {count}"
        raise click.BadParameter(message, param_hint=option)
    if plan.threads > 1 and machine is MachineKind.REASONER:
        raise click.UsageError("the reasoner runs in one thread")
    if plot is not None:
        check_plot(plot)
    if peers is not None:
        click.echo("--peers is now called --baselines-file", err=True)
    others = _baselines_of(peers, "--peers") | _baselines_of(baselines_file, "--baselines-file")
    known = _known_sheets(files) if baselines else _sheets(files, others)
    sheets = list(known)
    sources = [(sheet.name, read_source(sheet.file)) for sheet in sheets]
    for _, source in sources:
        parse(source.text, source.name)
    if device is not None:
        _check_device(device)
    if env:
        _check_environments()
        measure = partial(measure_environment, envs, device)
        _bench_rows(sources, plan, measure, environment_rows, form)
    elif device is not None:
        from gdl.benchmark.device_speed import device_rows, measure_on_device

        _bench_rows(sources, plan, partial(measure_on_device, device, lanes), device_rows, form)
    elif search:
        _bench_searches(sheets, sources, plan, as_json=form == OutputForm.JSON)
    else:
        _bench_playouts(sheets, sources, plan, machine, form, plot)


def _check_measured(measured: str | None) -> None:
    """Raise UsageError for an option that the measurement of another one does not use."""
    source = click.get_current_context().get_parameter_source
    for name, option in PLAYOUTS_ONLY.items():
        if measured is not None and source(name) is ParameterSource.COMMANDLINE:
            message = f"{option} is for playouts on this processor: leave it out, or {measured}"
            raise click.UsageError(message)


def _check_environments() -> None:
    """Raise UsageError, which says what to install, where environments cannot be made."""
    from gdl.envs import require  # environments import Gymnasium, which other benchmarks do without

    try:
        require("gymnasium")
    except ImportError as error:
        raise click.UsageError(str(error)) from error


def _check_device(device: str) -> None:
    """Raise DeviceError where there is no such device, before anything is measured."""
    from gdl.engine.device import open_device

    open_device(device, is_used=False)


def _bench_playouts(
    sheets: Sequence[Sheet],
    sources: Sequence[tuple[str, Source]],
    plan: MeasurementPlan,
    machine: MachineKind,
    form: str | None,
    plot: Path | None,
) -> None:
    """Measure random playouts, and print what was found."""
    facts = {**circumstances(), "machine": machine.value, **asdict(plan)}
    outcomes = list(
        measured_in_isolation(MEASURES[machine], sources, plan, hidden=form == OutputForm.JSON)
    )
    failures = [found for found in outcomes if isinstance(found, Failure)]
    entries = [
        SpeedEntry(found, sheet.baseline)
        for sheet, found in zip(sheets, outcomes, strict=True)
        if not isinstance(found, Failure)
    ]
    games = [
        {
            **asdict(entry.report),
            "baseline": asdict(entry.baseline) if entry.baseline else None,
            "ratio": entry.ratio,
        }
        for entry in entries
    ]
    rows = speed_rows(entries, in_documents=form == OutputForm.MARKDOWN)
    _show(games, rows, filter(None, [comparison(entries)]), failures, facts, form)
    if plot is not None and entries:
        write_plot(entries, plot, _caption(facts))
    if failures:
        raise click.exceptions.Exit(1)


def _bench_rows(
    sources: Sequence[tuple[str, Source]],
    plan: MeasurementPlan,
    benchmark: Callable[[str, str, MeasurementPlan], Report],
    rows: Callable[[Sequence[Report]], list[list[str]]],
    form: str | None,
) -> None:
    """Measure games, and print a row of each, or all figures."""
    outcomes = list(measured_in_isolation(benchmark, sources, plan, form == OutputForm.JSON))
    failures = [found for found in outcomes if isinstance(found, Failure)]
    reports = [found for found in outcomes if not isinstance(found, Failure)]
    games = [asdict(report) for report in reports]  # type: ignore[call-overload] # dataclasses
    _show(games, rows(reports), (), failures, {**circumstances(), **asdict(plan)}, form)
    if failures:
        raise click.exceptions.Exit(1)


def _bench_searches(
    sheets: Sequence[Sheet],
    sources: Sequence[tuple[str, Source]],
    plan: MeasurementPlan,
    as_json: bool,
) -> NoReturn:
    """Have the installed player measure its searches, and end as it does."""
    if find_spec("ggp_player") is None:
        raise click.UsageError("no search is installed: install the package ggp-player")
    click.echo("gdl bench --search is now ggp-player bench", err=True)
    command = [sys.executable, "-m", "ggp_player", "bench", f"--seconds={plan.seconds}"]
    command += [f"--seed={plan.seed}", *(["--json"] if as_json else [])]
    command += ["--", *(str(sheet.file) for sheet in sheets)]
    read = [s.text for sheet, (_, s) in zip(sheets, sources, strict=True) if sheet.file == STDIN]
    given = "".join(read).encode()
    done = subprocess.run(command, input=given, env=child_environment(), check=False)
    raise click.exceptions.Exit(done.returncode)


def _known_sheets(files: Sequence[Path]) -> Iterator[Sheet]:
    """Yield the files, and the published games in the folders, with the speeds of others."""
    others = known_baselines()
    for file in files:
        if file.is_dir():
            games = list(known_games(file))
            if not games:
                message = f"{file}: expected a folder with a known rulesheet in it, found none"
                raise click.UsageError(message)
            yield from (Sheet(game, sheet, others.get(game)) for game, sheet in games)
        else:
            game = None if file == STDIN else known_game(file)
            yield Sheet(game or game_name(file), file, others.get(game or ""))


def _sheets(files: Sequence[Path], others: Mapping[str, Baseline]) -> Iterator[Sheet]:
    """Yield the files, and those of the folders in the order of their names."""
    for file in files:
        sheets = sorted(file.glob("*.kif")) if file.is_dir() else [file]
        if not sheets:
            raise click.UsageError(f"{file}: expected a folder with files *.kif, found none")
        for sheet in sheets:
            yield Sheet(game_name(sheet), sheet, others.get(game_name(sheet)))


# ---------------------------------------------------------------------- what is written


def _show(
    games: Sequence[Mapping[str, Any]],
    rows: Sequence[Sequence[str]],
    notes: Iterable[str],
    failures: Sequence[Failure],
    facts: Mapping[str, Any],
    form: str | None,
) -> None:
    """Print all figures of the games, or a table of rows if it has more than its heads, and notes.

    What failed and what all games have in common is said in either way.
    """
    if form == OutputForm.JSON:
        document = {**facts, "games": games, "failures": [asdict(failure) for failure in failures]}
        click.echo(json.dumps(document, indent=2))
        return
    failed = (f"{failure.game}: {failure.reason}" for failure in failures)
    below = [*failed, *notes, _caption(facts)]
    if form == OutputForm.MARKDOWN:
        click.echo("\n\n".join([markdown_of(rows), *below] if len(rows) > 1 else below))
        return
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, WIDTH)
    if len(rows) > 1:
        console.print(table_of(rows))
    for note in below:
        console.print(note)


def _caption(facts: Mapping[str, Any]) -> str:
    return (
        f"{facts['processor']}, {facts['cores']} cores, load {facts['load']:.1f}; "
        f"{facts['repetitions']} times {facts['seconds']:g} s, {facts['threads']} thread(s)"
    )
