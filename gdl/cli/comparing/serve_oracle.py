"""The command ``gdl serve-oracle``: answers about games for other programs."""

from __future__ import annotations

import logging
import sys

import click

from gdl.oracle import Limits, Session, memory_limit, serve

DEFAULTS = Limits()


@click.command("serve-oracle")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=DEFAULTS.seconds,
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
    default=DEFAULTS.games,
    metavar="N",
    show_default=True,
    help="Keep so many games from request to request.",
)
def serve_oracle_command(seconds: float, memory: int, games: int) -> None:
    """Answer questions about games for other programs, as JSON lines.

    One request a line, or a list of them; the answers come in the same order, until the input
    ends. The methods are info, parse, check, legal, next, goals, position, playout and perft;
    docs/oracle.md has them with examples.

    \b
    Examples:
        gdl serve-oracle
        gdl serve-oracle --seconds 60 --memory 1000
    """
    logging.basicConfig(format="%(levelname)s: %(message)s")
    session = Session(Limits(seconds=seconds, games=games))
    with memory_limit(memory):
        serve(session, sys.stdin.buffer, sys.stdout.buffer)
