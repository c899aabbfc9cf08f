"""The command ``gdl bench``: how fast games run."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from gdl.benchmark import Failure, Network, Plan, Report, measure_propnet, measure_reasoner
from gdl.commands.machines import Machine, machine_option
from gdl.commands.rulesheets import FILE, game_name, read_source
from gdl.errors import GdlError, Source
from gdl.parser import parse

MEASURES: dict[Machine, Callable[[str, str, Plan], Report]] = {
    Machine.REASONER: measure_reasoner,
    Machine.PROPNET: measure_propnet,
}

WIDTH = 200
"""Room for every column; the table takes what it needs."""


@click.command("bench")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
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
@click.option("--seed", default=0, metavar="N", show_default=True, help="Where random moves begin.")
@click.option("--json", "as_json", is_flag=True, help="Write all figures as JSON.")
def bench_command(
    files: Sequence[Path],
    machine: Machine,
    as_json: bool,
    **numbers: Any,  # noqa: ANN401
) -> None:
    """Measure random playouts: states per second, and what it takes to begin.

    Each game is measured in a process of its own, from the initial state to a terminal one, its
    goals, and the next start. Speeds are medians, with the least and the most of the repetitions,
    per second of one core's processor time; "wall" is what all threads do per second by the clock.
    "view" and "transition" are gates, "first s" leads from the text to the initial legal moves,
    "code s" to machine code with an empty cache. "peak" is the part of the processor's vector AND
    operations that the gates make up: gates x states per second / the ANDs of two bits per second
    that the same process was seen to do at most.

    \b
    Examples:
        gdl bench games/ticTacToe.kif --seconds 0.2
        gdl bench games/nim.kif --machine reasoner --seconds 0.1 --json
    """
    plan = Plan(**numbers)
    if plan.threads > 1 and machine is Machine.REASONER:
        raise click.UsageError("the reasoner runs in one thread")
    sources = [(game_name(file), read_source(file)) for file in files]
    for _, source in sources:
        parse(source.text, source.name)
    reports = list(_measured(sources, machine, plan, hidden=as_json))
    if as_json:
        document = {**_circumstances(), "machine": machine.value, **asdict(plan)}
        document["games"] = [asdict(report) for report in reports]
        click.echo(json.dumps(document, indent=2))
    else:
        _print(reports, plan)
    if any(isinstance(report, Failure) for report in reports):
        raise click.exceptions.Exit(1)


def _measured(
    sources: Sequence[tuple[str, Source]], machine: Machine, plan: Plan, hidden: bool
) -> Iterator[Report | Failure]:
    """Yield each game's report; each is measured in a process that does nothing else."""
    console = Console(stderr=True)
    with Progress(
        console=console, transient=True, disable=hidden or not console.is_terminal
    ) as bar:
        for name, source in bar.track(sources, description="games"):
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                try:
                    yield pool.submit(MEASURES[machine], name, source.text, plan).result()
                except GdlError as error:
                    yield Failure(name, str(error).removeprefix(f"{name}: "))
                except BrokenProcessPool:
                    yield Failure(name, "the process that measured it died")


def _circumstances() -> dict[str, Any]:
    """Return what figures from different computers are to be read with."""
    return {
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
    }


def processor_name() -> str:
    """Return what the processor calls itself, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


# ---------------------------------------------------------------------- the table


def _print(found: Sequence[Report | Failure], plan: Plan) -> None:
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, WIDTH)
    table = Table(box=None, pad_edge=False)
    table.add_column("game", no_wrap=True)
    for name in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for report in found:
        if isinstance(report, Report):
            table.add_row(report.game, *(column(report) for column in _COLUMNS.values()))
    if table.row_count:
        console.print(table)
    for failure in found:
        if isinstance(failure, Failure):
            console.print(f"{failure.game}: {failure.reason}")
    facts = _circumstances()
    console.print(
        f"{facts['processor']}, {facts['cores']} cores, load {facts['load']:.1f}; "
        f"{plan.repetitions} times {plan.seconds:g} s, {plan.threads} thread(s)"
    )


def short(figure: float) -> str:
    """Return a figure with three digits: ``211 M``, ``1.85 k``, ``0.62``."""
    for unit, name in ((1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")):
        if figure >= 0.9995 * unit:
            value = figure / unit
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}{name}"
    return f"{figure:.2g}"


def _of_network(show: Callable[[Network], str]) -> Callable[[Report], str]:
    return lambda report: show(report.network) if report.network else ""


_COLUMNS: dict[str, Callable[[Report], str]] = {
    "states/s": lambda r: short(r.states_per_processor_second.median),
    "least": lambda r: short(r.states_per_processor_second.least),
    "most": lambda r: short(r.states_per_processor_second.most),
    "wall": lambda r: short(r.states_per_second.median),
    "playouts/s": lambda r: short(r.playouts_per_processor_second),
    "length": lambda r: "" if r.mean_length is None else f"{r.mean_length:.1f}",
    "view": _of_network(lambda n: str(n.view_gates)),
    "transition": _of_network(lambda n: str(n.transition_gates)),
    "rules": _of_network(lambda n: str(n.ground_rules)),
    "ground s": _of_network(lambda n: f"{n.ground_seconds:.2f}"),
    "first s": lambda r: f"{r.first_state_seconds:.2f}",
    "code s": _of_network(lambda n: f"{n.code_seconds:.1f}"),
    "MB": lambda r: f"{r.peak_memory / 1e6:.0f}",
    "lanes": _of_network(lambda n: str(n.lanes)),
    "peak": _of_network(lambda n: f"{n.share:.1%}"),
}
