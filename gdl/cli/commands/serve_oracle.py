"""The command line of ``gdl serve-oracle``."""

from __future__ import annotations

from typing import Any

import click


@click.command("serve-oracle")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    metavar="S",
    show_default=True,
    help="The most time for one request.",
)
@click.option(
    "--memory",
    type=click.IntRange(1),
    default=4096,
    metavar="MIB",
    show_default=True,
    help="The most memory that requests may take, on Linux.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    default=32,
    metavar="N",
    show_default=True,
    help="Keep so many games from request to request.",
)
def serve_oracle_command(**options: Any) -> None:  # noqa: ANN401
    """Answer questions about games for other programs, as JSON lines.

    One request a line, or a list of them; the answers come in the same order, until the input
    ends. The methods are info, parse, check, legal, next, goals, position, playout and perft;
    docs/oracle.md has them with examples.

    \b
    Examples:
        gdl serve-oracle
        gdl serve-oracle --seconds 60 --memory 1000
    """
    from gdl.cli.comparing.serve_oracle import run_serve_oracle

    run_serve_oracle(**options)
