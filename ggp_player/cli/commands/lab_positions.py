"""The command line of ``ggp-player lab positions``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ggp_player.cli.commands.arguments import RULESHEET, output_option

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class _Plies(click.ParamType[tuple[int, int]]):
    """Two numbers of choices, as in 8-24."""

    name = "plies"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read two numbers; fail as click does."""
        first, dash, last = str(value).partition("-")
        if dash and first.isdecimal() and last.isdecimal() and int(first) <= int(last):
            return int(first), int(last)
        self.fail(f"expected two numbers of plies such as 8-24; found {value}", param, ctx)


@click.group("positions", short_help="Make sets of solved positions, and count errors in them.")
def positions_command() -> None:
    """Make sets of critical solved positions, and count the errors of strategies in them."""


@positions_command.command("make")
@click.argument("rulesheet", type=RULESHEET, metavar="GAME")
@click.option("--count", type=click.IntRange(1), default=1000, show_default=True, metavar="N")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N")
@click.option(
    "--plies",
    type=_Plies(),
    default="8-24",
    show_default=True,
    metavar="FIRST-LAST",
    help="How many choices lead to a position.",
)
@click.option(
    "--solver",
    type=click.Choice(["proof", "connect-four", "hex"]),
    default="proof",
    show_default=True,
    help="What solves: the last two are for our own rulesheets of these games, hex of any size.",
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    default=5_000_000,
    show_default=True,
    metavar="N",
    help="Leave out positions that take more to solve.",
)
@click.option(
    "--per-game",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    metavar="N",
    help="Positions from one game at most.",
)
@click.option(
    "--tries",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    metavar="N",
    help="Keep what a short tree search gets wrong at least once in so many tries; 0 for all.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="End after so many games, with what was found.",
)
@output_option("--output", text="The file to write.  [default: GAME.positions.xz]")
def make_command(**options: Any) -> None:  # noqa: ANN401
    """Make a set of critical solved positions of a game in which two rivals move in turn.

    Critical are positions in which some moves keep the value, and some do not. Ctrl-C breaks it off;
    the same command goes on where it was.

    \b
    Example:
        ggp-player lab positions make games/dotsAndBoxes.kif --plies 12-20 --count 20
    """
    from ggp_player.cli.lab_positions import run_make

    run_make(**options)
