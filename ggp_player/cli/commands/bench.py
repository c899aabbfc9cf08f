"""The command line of ``ggp-player bench``."""

from __future__ import annotations

import click

from gdl.cli.arguments import FILE, number_option, runs


@click.command("bench", short_help="Measure the speed of the searches.")
@click.argument("rulesheets", metavar="RULESHEET...", nargs=-1, required=True, type=FILE)
@number_option(
    "--seconds",
    click.FloatRange(0, min_open=True),
    1.0,
    "Seconds of measurement for each figure, roughly.",
    unit="S",
)
@number_option(
    "--threads",
    click.IntRange(1, 64),
    1,
    "With more than one: how much faster so many threads grow one tree.",
)
@click.option("--seed", default=0, metavar="N", help="Where random moves begin.")
@click.option("--json", "as_json", is_flag=True, help="Write all figures as JSON.")
@runs("ggp_player.cli.bench:run_bench")
def bench_command() -> None:
    """Measure searches from the initial state, each game in a process of its own.

    The figures are playouts per second bare and within a tree search, new nodes of its tree, and
    states visited by alpha-beta on blocks, all per second of one core's CPU time. With --threads,
    playouts of several threads are counted per second of wall-clock time, so other programs count.

    \b
    Examples:
        ggp-player bench games/connectFour.kif games/hex.kif --seconds 2
        ggp-player bench games/connectFour.kif --threads 8
    """
