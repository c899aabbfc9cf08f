"""The command ``python -m benchmarks.environments``."""

from __future__ import annotations

import os

import click

# All in one thread on one processor; JAX reads this when it is imported.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "cpu"

from benchmarks.environments.games import GAMES
from benchmarks.environments.table import LIBRARIES, headings, measured_row
from gdl.benchmark.circumstances import circumstances
from gdl.benchmark.measure import MeasurementPlan


@click.command()
@click.argument("names", nargs=-1, metavar="[GAME]...")
@click.option("--seconds", default=1.0, show_default=True, help="CPU time of one measurement.")
@click.option("--rounds", default=3, show_default=True, help="Rounds; the best of each counts.")
@click.option(
    "--envs", type=int, multiple=True, default=(2048, 8192), show_default=True, help="Copies."
)
def main(names: tuple[str, ...], seconds: float, rounds: int, envs: tuple[int, ...]) -> None:
    """Compare our environments with those of others, as a table in Markdown.

    GAME is the beginning of a title, such as hex; all are measured by default.
    """
    where = circumstances()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    chosen = [game for game in GAMES if not names or game.title.startswith(names)]
    if not chosen:
        raise click.UsageError(f"the games are {', '.join(game.title for game in GAMES)}")
    plan = MeasurementPlan(seconds=seconds, repetitions=rounds)
    click.echo(headings(LIBRARIES))
    for game in chosen:
        click.echo(measured_row(game, envs, plan, LIBRARIES))
    where["load at the end"] = circumstances()["load"]
    click.echo(f"\n{', '.join(f'{name} {value}' for name, value in where.items())}")


if __name__ == "__main__":
    main()
