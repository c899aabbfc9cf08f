"""The command ``gdl coverage``: which rulesheets can be compiled, and what that takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from gdl.benchmark import (
    CoverageLimits,
    circumstances,
    coverage_page,
    coverage_summary,
    measure_coverage,
)
from gdl.cli.options import OUTPUT, game_name, read_source, write_text

FILE_OR_FOLDER = click.Path(exists=True, path_type=Path)


@click.command("coverage", short_help="Tabulate what compiling takes, game by game.")
@click.argument("files", metavar="FOLDER...", nargs=-1, required=True, type=FILE_OR_FOLDER)
@click.option("--output", type=OUTPUT, metavar="FILE", help="Write the page to a file.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    show_default=True,
    help="Rulesheets measured at once; more than one make the figures less exact.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    default=CoverageLimits().seconds,
    show_default=True,
    help="The wall-clock time after which a rulesheet is given up.",
)
@click.option(
    "--megabytes",
    type=click.IntRange(1),
    metavar="M",
    default=CoverageLimits().memory // 2**20,
    show_default=True,
    help="The address space that each process may take.",
)
def coverage_command(
    files: Sequence[Path], output: Path | None, jobs: int, seconds: float, megabytes: int
) -> None:
    """Compile every rulesheet of some folders, and tabulate what that takes.

    A FOLDER stands for its files *.kif at any depth; a single file will do as well. Each is
    compiled in a process of its own. The page, in Markdown, has for each game the CPU seconds from
    the text to the legal moves of the first state, the ground rules, the gates and the peak memory,
    or why the game is refused and left to the reasoner; a summary with the name of the processor
    comes first. With --output the summary is also printed.

    \b
    Examples:
        gdl coverage games/nim.kif
        gdl coverage games --output coverage.md
    """
    sheets = sorted(_sheets(files), key=lambda sheet: (game_name(sheet).lower(), sheet))
    sources = [(game_name(sheet), read_source(sheet)) for sheet in sheets]
    facts = circumstances()
    console = Console(stderr=True)
    limits = CoverageLimits(seconds=seconds, memory=megabytes * 2**20)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        measured = measure_coverage(sources, limits, jobs)
        found = list(bar.track(measured, total=len(sources), description="games"))
    write_text(output, coverage_page(found, facts))
    if output is not None:
        click.echo(coverage_summary(found, facts))


def _sheets(files: Sequence[Path]) -> Iterator[Path]:
    """Yield the files, and those in the folders."""
    for file in files:
        sheets = list(file.rglob("*.kif")) if file.is_dir() else [file]
        if not sheets:
            raise click.UsageError(f"{file}: expected a folder with files *.kif, found none")
        yield from sheets
