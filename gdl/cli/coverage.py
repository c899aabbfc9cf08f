"""The command ``gdl coverage``: which rulesheets can be compiled, and what that takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from gdl.benchmark.circumstances import circumstances
from gdl.benchmark.coverage import CoverageLimits, coverage_page, coverage_summary, measure_coverage
from gdl.cli.options import game_name, read_source, write_text


def run_coverage(
    files: Sequence[Path], output: Path | None, jobs: int, seconds: float, megabytes: int
) -> None:
    """Compile every rulesheet of some folders, and tabulate what that takes."""
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
