"""The command ``ggp-player warm-up``: compile in advance what all matches share."""

from __future__ import annotations

import os
import sys
import threading

import click

from gdl.array_kernels import KernelArchiveError
from gdl.system import end_with_parent
from ggp_player.worker import warm_up_searches


@click.command("warm-up", short_help="Compile what all matches share, in advance.")
@click.option("--until-closed", is_flag=True, hidden=True, help="End when stdin is closed.")
def warm_up_command(until_closed: bool) -> None:
    """Compile what all matches share, so that the first match begins at full strength.

    A server does so by itself when it first starts; matches that begin before it is done are played
    by simpler searches. It takes some ten seconds, once for each version and processor. The code is
    kept in the user's cache folder, or in the folder that the environment variable GDL_CACHE names;
    see ggp-player cache.
    """
    if until_closed:
        end_with_parent()  # also where it is stopped, and cannot notice anything
        threading.Thread(target=_end_when_closed, daemon=True).start()
    try:
        warm_up_searches(click.echo)
    except KernelArchiveError as error:
        raise click.ClickException(str(error)) from error


def _end_when_closed() -> None:
    """End the process when standard input is closed, as it is when the server dies."""
    # Not through sys.stdin: the interpreter cannot end while a thread reads from that.
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)
