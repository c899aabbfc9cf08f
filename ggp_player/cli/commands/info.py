"""The command line of ``ggp-player info``."""

from __future__ import annotations

import click

from gdl.cli.arguments import runs


@click.command("info")
@click.argument("address", metavar="HOST:PORT")
@runs("ggp_player.cli.info:run_info")
def info_command() -> None:
    """Ask a player server for its name, and whether it is free.

    It is asked in dialect A of the protocol, or in that of host:port#DIALECT; B, C and C' have no
    INFO, and are asked as A.

    The exit status is 0 if a player replies, 1 if nothing does in 5 seconds, or something else.
    """
