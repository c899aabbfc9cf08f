"""The command ``ggp-player warm-up``: compile in advance what all matches share."""

from __future__ import annotations

import os
import sys
import threading
from time import monotonic

import click

from gdl.engine import cache_folder
from ggp_player.worker import warm_up_searches


@click.command("warm-up", short_help="Compile what all matches share, in advance.")
@click.option("--until-closed", is_flag=True, hidden=True, help="End when stdin is closed.")
def warm_up_command(until_closed: bool) -> None:
    """Compile what all matches share, so that the first match begins at full strength.

    A server does so by itself when it first starts; its first matches may then be played by simpler
    searches. It takes a minute or two, once for each version and processor. The code is kept in the
    user's cache folder, or in the folder that the environment variable GDL_CACHE names.
    """
    if until_closed:
        threading.Thread(target=_end_when_closed, daemon=True).start()
    began = monotonic()
    warm_up_searches()
    click.echo(f"compiled in {monotonic() - began:.1f} s, kept in {cache_folder()}")


def _end_when_closed() -> None:
    """End the process when standard input is closed, as it is when the server dies."""
    # Not through sys.stdin: the interpreter cannot end while a thread reads from that.
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)
