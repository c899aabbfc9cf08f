"""The command line of ``ggp-player strategies``."""

from __future__ import annotations

from typing import Any

import click


@click.command("strategies", short_help="List all strategies and their parameters.")
@click.option("--json", "as_json", is_flag=True, help="Write the list as JSON.")
def strategies_command(**options: Any) -> None:  # noqa: ANN401
    """List all strategies, with their parameters, what these may be, and their defaults.

    Strategies that installed packages declare are among them. Wherever a strategy is named it can
    be given parameters after a colon, separated by commas.

    \b
    Examples:
        ggp-player strategies
        ggp-player match games/nim.kif alpha_beta:depth=3,ordering=false random
    """
    from ggp_player.cli.strategies import run_strategies

    run_strategies(**options)
