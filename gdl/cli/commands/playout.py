"""The command line of ``gdl playout``."""

from __future__ import annotations

from enum import StrEnum

import click

from gdl.cli.arguments import (
    OUTPUT,
    device_option,
    number_option,
    ray_option,
    rulesheet_argument,
    runs,
    seed_option,
)
from gdl.playouts import DEFAULT_MAX_STEPS


class Format(StrEnum):
    """How playouts are written down."""

    TRACE = "trace"
    """For comparing answers: by the reasoner, with hashes of large sets."""
    JSONL = "jsonl"
    """One object for each state, whole; by the compiled engine."""
    PARQUET = "parquet"
    """The same rows as a Parquet file."""
    RESULTS = "results"
    """One object for each match: its length and goals."""


@click.command("playout")
@rulesheet_argument
@seed_option
@click.option("--playouts", type=click.IntRange(1), metavar="K", default=1)
@number_option(
    "--max-steps",
    click.IntRange(0),
    DEFAULT_MAX_STEPS,
    "Stop a playout after so many steps.",
    unit="M",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice([each.value for each in Format]),
    default=Format.TRACE.value,
    help="A trace to compare answers with, rows to learn from, as JSON lines or Parquet; results.",
)
@click.option("--output", type=OUTPUT, metavar="PATH", help="Write to a file.")
@ray_option("Play", more="")
@device_option("Play on a GPU, such as cuda:0, or host; with --format results.")
@runs("gdl.cli.playout:run_playout")
def playout_command() -> None:
    """Play random matches, written as JSON lines.

    As a trace, the first line names the game and its roles. Each further line is one state: its
    facts, whether it is terminal, the goal values and legal moves of each role, the joint move made
    in it and, where the game has percepts, what each role sees of that move.

    With --format jsonl or parquet the compiled engine plays, many thousand states a second, and
    each state is a row of its own, with all facts and legal moves. Goals are those of terminal
    states, the lowest that holds; in others they are null, as nothing is won there. The same seed
    makes the same rows on any machine. Parquet needs --output and the extra: pip install
    'ggp-player[parquet]'. With --ray the blocks of playouts are played on a cluster, by the extra
    ray; the rows and their order are the same.

    With --format results there is one object for each match: how many steps it had, and what each
    role got. With --device they are played on a GPU, a million at a time.

    \b
    Examples:
        gdl playout games/ticTacToe.kif --seed 7
        gdl playout games/tron.kif --playouts 3 --max-steps 80 > tron.trace.jsonl
        gdl playout games/nim.kif --playouts 1000 --format jsonl --output nim.jsonl
        gdl playout games/hex.kif --playouts 1000 --format results
    """
