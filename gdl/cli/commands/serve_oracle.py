"""The command line of ``gdl serve-oracle``."""

from __future__ import annotations

import click

from gdl.cli.arguments import number_option, runs


@click.command("serve-oracle")
@number_option(
    "--seconds",
    click.FloatRange(min=0, min_open=True),
    10.0,
    "The most time for one request.",
    unit="S",
)
@number_option(
    "--memory",
    click.IntRange(1),
    4096,
    "The most memory that requests may take, on Linux.",
    unit="MIB",
)
@number_option("--games", click.IntRange(1), 32, "Keep so many games from request to request.")
@runs("gdl.cli.serve_oracle:run_serve_oracle")
def serve_oracle_command() -> None:
    """Answer questions about games for other programs, as JSON lines.

    One request a line, or a list of them; the answers come in the same order, until the input
    ends. The methods are info, parse, check, legal, next, goals, position, playout and perft;
    docs/oracle.md has them with examples.

    \b
    Examples:
        gdl serve-oracle
        gdl serve-oracle --seconds 60 --memory 1000
    """
