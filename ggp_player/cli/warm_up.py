"""The command ``ggp-player warm-up``: compile in advance."""

from __future__ import annotations

import os
import sys
import threading
from time import monotonic

import click

from gdl.engine import cache_folder
from ggp_player.worker import warm_up_searches


@click.command("warm-up", short_help="Compile what all matches share, in advance.")
@click.option("--until-closed", is_flag=True, hidden=True, help="End with whoever holds stdin.")
def warm_up_command(until_closed: bool) -> None:
    """Compile what all matches share, so that the first match begins at full strength.

    A server does so by itself when it starts, if nobody has done it before; its first matches may
    then be played by simpler means. It takes a minute or two, once for each version and processor.
    The environment variable GDL_CACHE names the folder, if not the user's cache folder is meant.
    """
    if until_closed:
        threading.Thread(target=_end_when_closed, daemon=True).start()
    began = monotonic()
    warm_up_searches()
    click.echo(f"compiled in {monotonic() - began:.1f} s, kept in {cache_folder()}")


def _end_when_closed() -> None:
    """End the process when standard input ends, which it does when the other end dies."""
    # Not through sys.stdin: the interpreter cannot end while a thread reads from that.
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)
