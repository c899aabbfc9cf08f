"""The command line of ``ggp-player cache`` and ``ggp-player warm-up``."""

from __future__ import annotations

import click

from gdl.cli.arguments import runs


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
    from ggp_player.cli.cache import run_show

    run_show()


@cache_command.command("clear")
def clear_command() -> None:
    """Delete all compiled code; it is made again when it is needed."""
    from ggp_player.cli.cache import run_clear

    run_clear()


@click.command("warm-up", short_help="Compile what all matches share, in advance.")
@click.option("--until-closed", is_flag=True, hidden=True, help="End when stdin is closed.")
@runs("ggp_player.cli.cache:run_warm_up")
def warm_up_command() -> None:
    """Compile what all matches share, so that the first match begins at full strength.

    A server does so by itself when it first starts; matches that begin before it is done are played
    by simpler searches. It takes some ten seconds, once for each version and processor. The code is
    kept in the user's cache folder, or in the folder that the environment variable GDL_CACHE names;
    see ggp-player cache.
    """
