"""The command line of ``gdl coverage``."""

from __future__ import annotations

import click

from gdl.cli.arguments import FILE_OR_FOLDER, OUTPUT, number_option, runs

SECONDS, MEGABYTES = 300.0, 6 * 2**10
"""What a rulesheet may take by default."""


@click.command("coverage", short_help="Tabulate what compiling takes, game by game.")
@click.argument("files", metavar="FOLDER...", nargs=-1, required=True, type=FILE_OR_FOLDER)
@click.option("--output", type=OUTPUT, metavar="FILE", help="Write the page to a file.")
@number_option(
    "--jobs",
    click.IntRange(1),
    1,
    "Rulesheets measured at once; more than one make the figures less exact.",
)
@number_option(
    "--seconds",
    click.FloatRange(0, min_open=True),
    SECONDS,
    "The wall-clock time after which a rulesheet is given up.",
    unit="S",
)
@number_option(
    "--megabytes",
    click.IntRange(1),
    MEGABYTES,
    "The address space that each process may take.",
    unit="M",
)
@runs("gdl.cli.coverage:run_coverage")
def coverage_command() -> None:
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
