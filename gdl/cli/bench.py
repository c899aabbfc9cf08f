"""The command ``gdl bench``: how fast games run."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from gdl.benchmark import (
    Baseline,
    Failure,
    MeasurementPlan,
    SpeedEntry,
    SpeedReport,
    check_plot_file,
    comparison,
    fastest_baselines,
    markdown_table,
    measure_propnet,
    measure_reasoner,
    measured_in_isolation,
    terminal_table,
    write_plot,
)
from gdl.cli.bench_search import bench_searches
from gdl.cli.options import Machine, game_name, machine_option, read_source
from gdl.language import parse

MEASURES: dict[Machine, Callable[[str, str, MeasurementPlan], SpeedReport]] = {
    Machine.REASONER: measure_reasoner,
    Machine.PROPNET: measure_propnet,
}

WIDTH = 240
"""Room for every column; the table takes what it needs."""

FILE_OR_FOLDER = click.Path(exists=True, allow_dash=True, path_type=Path)


class OutputForm(StrEnum):
    """How the figures are written."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"


def _peers(_: click.Context, parameter: click.Parameter, file: Path | None) -> dict[str, Baseline]:
    """Read the table of other engines that an option names."""
    if file is None:
        return {}
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return fastest_baselines(lines, str(file))
    except (OSError, ValueError) as error:
        raise click.BadParameter(str(error), param=parameter) from error


def _plot_file(_: click.Context, parameter: click.Parameter, file: Path | None) -> Path | None:
    """Refuse to plot what cannot be written, before anything is measured."""
    if file is None:
        return None
    try:
        check_plot_file(file)
    except ImportError as error:
        message = "plots need matplotlib: pip install 'ggp-player[plot]'"
        raise click.BadParameter(message, param=parameter) from error
    except ValueError as error:
        raise click.BadParameter(str(error), param=parameter) from error
    return file


@click.command("bench")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE_OR_FOLDER)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    default=1.0,
    show_default=True,
    help="Play for about so many seconds in each repetition.",
)
@click.option("--repetitions", type=click.IntRange(1), metavar="K", default=5, show_default=True)
@machine_option(default=Machine.PROPNET)
@click.option(
    "--threads",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    show_default=True,
    help="Play in so many threads at once (propnet only).",
)
@click.option("--search", is_flag=True, help="Measure the searches of an installed player instead.")
@click.option("--seed", default=0, metavar="N", show_default=True, help="Where random moves begin.")
@click.option("--json", "form", flag_value=OutputForm.JSON.value, help="Write all figures as JSON.")
@click.option(
    "--markdown", "form", flag_value=OutputForm.MARKDOWN.value, help="Write the table as Markdown."
)
@click.option(
    "--peers",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="CSV",
    callback=_peers,
    help="Compare with other engines: columns game, engine, states_per_cpu_s.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    callback=_plot_file,
    help="Also draw the speeds, as SVG, PNG or what else the name ends in.",
)
def bench_command(
    files: Sequence[Path],
    machine: Machine,
    form: str | None,
    peers: Mapping[str, Baseline],
    plot: Path | None,
    search: bool,
    **numbers: Any,  # noqa: ANN401
) -> None:
    """Measure random playouts: states per second, and what it takes to begin.

    A FILE that is a folder stands for its files *.kif. Each game is measured in a process of its
    own, from the initial state to a terminal one, its goals, and the next start. Speeds are
    medians, with the least and the most of the repetitions, per second of one core's processor
    time; "wall" is what all threads do per second by the clock. "view" and "transition" are gates,
    "first s" leads from the text to the initial legal moves by the clock, "code s" is the processor
    time of making machine code with an empty cache (none where that would take minutes; then the
    interpreter is measured). "peak" is the part of the processor's vector AND operations that the
    gates make up: gates x states per second / the ANDs of two bits per second that the same
    process was seen to do at most. Gates that only goals need count as often as they are evaluated.

    With --search: playouts per second bare and within a tree search, new nodes of its tree, and
    states looked at by alpha-beta on blocks, all per second of one core's processor time.

    \b
    Examples:
        gdl bench games/ticTacToe.kif --seconds 0.2
        gdl bench games/nim.kif --machine reasoner --seconds 0.1 --json
        gdl bench games/nim.kif --seconds 0.1 --markdown
    """
    plan = MeasurementPlan(**numbers)
    if plan.threads > 1 and machine is Machine.REASONER:
        raise click.UsageError("the reasoner runs in one thread")
    sources = [(game_name(file), read_source(file)) for file in _rulesheets(files)]
    for _, source in sources:
        parse(source.text, source.name)
    if search:
        if not bench_searches(sources, plan, as_json=form == OutputForm.JSON):
            raise click.exceptions.Exit(1)
        return
    facts = {**_circumstances(), "machine": machine.value, **asdict(plan)}
    found = list(
        measured_in_isolation(MEASURES[machine], sources, plan, hidden=form == OutputForm.JSON)
    )
    entries = [
        SpeedEntry(each, peers.get(each.game)) for each in found if isinstance(each, SpeedReport)
    ]
    failures = [each for each in found if isinstance(each, Failure)]
    if form == OutputForm.JSON:
        _print_json(entries, failures, facts)
    else:
        _print(entries, failures, _caption(facts), form == OutputForm.MARKDOWN)
    if plot is not None and entries:
        write_plot(entries, plot, _caption(facts))
    if failures:
        raise click.exceptions.Exit(1)


def _rulesheets(files: Sequence[Path]) -> Iterator[Path]:
    """Yield the files, and those of the folders by their names."""
    for file in files:
        if not file.is_dir():
            yield file
            continue
        sheets = sorted(file.glob("*.kif"))
        if not sheets:
            raise click.UsageError(f"{file}: expected a folder with files *.kif, found none")
        yield from sheets


def _circumstances() -> dict[str, Any]:
    """Return what figures from different computers are to be read with."""
    return {
        "processor": _processor_name(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
    }


def _processor_name() -> str:
    """Return what the processor calls itself, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


# ---------------------------------------------------------------------- what is written


def _print_json(
    entries: Sequence[SpeedEntry], failures: Sequence[Failure], facts: Mapping[str, Any]
) -> None:
    games = [
        {
            **asdict(entry.report),
            "peer": asdict(entry.peer) if entry.peer else None,
            "ratio": entry.ratio,
        }
        for entry in entries
    ]
    document = {**facts, "games": games, "failures": [asdict(failure) for failure in failures]}
    click.echo(json.dumps(document, indent=2))


def _print(
    entries: Sequence[SpeedEntry], failures: Sequence[Failure], caption: str, markdown: bool
) -> None:
    """Print the table, with what failed and what all games have in common below."""
    notes = [f"{failure.game}: {failure.reason}" for failure in failures]
    notes += filter(None, [comparison(entries), caption])
    if markdown:
        table = [markdown_table(entries)] if entries else []
        click.echo("\n\n".join([*table, *notes]))
        return
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, WIDTH)
    if entries:
        console.print(terminal_table(entries))
    for note in notes:
        console.print(note)


def _caption(facts: Mapping[str, Any]) -> str:
    return (
        f"{facts['processor']}, {facts['cores']} cores, load {facts['load']:.1f}; "
        f"{facts['repetitions']} times {facts['seconds']:g} s, {facts['threads']} thread(s)"
    )
