"""The commands ``cache`` and ``warm-up``: compiled code that is kept, and making it in advance."""

from __future__ import annotations

import os
import sys
import threading
from datetime import datetime

import click

from gdl.array_kernels.arguments import KernelArchiveError
from gdl.code_cache import cache_folders, cached_files, max_bytes, prune
from gdl.system import end_with_parent
from ggp_player.worker.compiling import warm_up_searches


def run_show() -> None:
    """Show where compiled code is kept, and how much of it there is."""
    files = cached_files()
    for folder in cache_folders():
        if folder.exists():
            click.echo(f"folder  {folder}")
    size = sum(size for _, size, _ in files) / 1e6
    click.echo(f"files   {len(files)}, {size:.1f} MB of at most {max_bytes() / 1e6:.0f} MB")
    if files:
        oldest = datetime.fromtimestamp(min(used for _, _, used in files))
        click.echo(f"oldest  last used {oldest:%Y-%m-%d %H:%M}")


def run_clear() -> None:
    """Delete all compiled code; it is made again when it is needed."""
    click.echo(f"deleted {prune(0)} files")


def run_warm_up(until_closed: bool) -> None:
    """Compile what all matches share, so that the first match begins at full strength."""
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
