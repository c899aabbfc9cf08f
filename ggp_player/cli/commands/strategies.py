"""The command line of ``ggp-player strategies``."""

from __future__ import annotations

import click

from gdl.cli.arguments import runs


@click.command("strategies", short_help="List all strategies and their parameters.")
@click.option("--json", "as_json", is_flag=True, help="Write the list as JSON.")
@runs("ggp_player.cli.strategies:run_strategies")
def strategies_command() -> None:
    """List all strategies, with their parameters, what these may be, and their defaults.

    Strategies that installed packages declare are among them. Wherever a strategy is named it can
    be given parameters after a colon, separated by commas.

    \b
    Examples:
        ggp-player strategies
        ggp-player match games/nim.kif alpha_beta:depth=3,ordering=false random
    """
