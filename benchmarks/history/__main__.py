"""The commands ``python -m benchmarks.history add`` and ``page``."""

from __future__ import annotations

import subprocess

import click

from benchmarks.history.measurements import HISTORY, append, measure, read_history, taken_now
from benchmarks.history.page import history_page, write_history_plot
from ggp_player.manager.tournament.standings import Interval


@click.group()
def main() -> None:
    """Keep figures of speed and strength over time."""


@main.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--note", default="", help="What else there is to know, such as other work.")
@click.option("--of", "measured", default="", help="What the figures are, with their unit.")
@click.option(
    "--figure",
    "named",
    type=(str, float, float, float),
    multiple=True,
    metavar="NAME VALUE LEAST MOST",
    help="A figure that COMMAND has given, which is not run then. Needs --of.",
)
def add(
    command: tuple[str, ...],
    note: str,
    measured: str,
    named: tuple[tuple[str, float, float, float], ...],
) -> None:
    """Run `gdl bench` or `ggp-player bench` as COMMAND says, and add a line with its figures."""
    if named and not measured:
        raise click.UsageError("--figure needs --of")
    try:
        kind, figures = measure(command) if not named else (measured, {})
    except (ValueError, subprocess.CalledProcessError) as error:
        raise click.ClickException(str(error)) from error
    figures |= {name: Interval(*bounds) for name, *bounds in named}
    append(taken_now(command, measured or kind, figures, note))


@main.command()
def page() -> None:
    """Write history.md and history.svg anew. It needs the extra plot."""
    history, plot = read_history(), HISTORY.with_suffix(".svg")
    write_history_plot(history, plot)
    HISTORY.with_suffix(".md").write_text(history_page(history, plot.name), encoding="utf-8")


if __name__ == "__main__":
    main()
