"""The command line of ``gdl warm-up``."""

from __future__ import annotations

import click

from gdl.cli.arguments import FILE, runs


@click.command("warm-up", short_help="Compile in advance what all games need.")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=FILE)
@runs("gdl.cli.warm_up:run_warm_up")
def warm_up_command() -> None:
    """Fill the cache of native code, so that the first game starts without delay.

    It gets the code that all games need, which takes some seconds to compile, and that of each
    game that is named. The cache is the folder "gdl" in the user's cache folder; the environment
    variable GDL_CACHE names another. Code is compiled for the processor of this machine.

    \b
    Examples:
        gdl warm-up
        gdl warm-up games/ticTacToe.kif
    """
