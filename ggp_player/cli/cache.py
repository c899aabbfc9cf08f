"""The command ``ggp-player cache``: what compiled code is kept on disk, and how to delete it."""

from __future__ import annotations

from datetime import datetime

import click

from gdl.code_cache import cache_folders, cached_files, max_bytes, prune


@click.group("cache", short_help="Show, or delete, the compiled code that is kept on disk.")
def cache_command() -> None:
    """Show, or delete, the compiled code that is kept on disk.

    Code is kept for all games, and for each game that was played. Beyond a bound the code that was
    used the longest ago is deleted by itself; the environment variable GDL_CACHE_MIB says how many
    MiB are kept, 1024 by default.
    """


@cache_command.command("show")
def show_command() -> None:
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


@cache_command.command("clear")
def clear_command() -> None:
    """Delete all compiled code; it is made again when it is needed."""
    click.echo(f"deleted {prune(0)} files")
