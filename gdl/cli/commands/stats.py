"""The command line of ``gdl stats``."""

from __future__ import annotations

import click

from gdl.cli.arguments import number_option, rulesheet_argument, runs, seed_option
from gdl.playouts import DEFAULT_MAX_STEPS


@click.command("stats")
@rulesheet_argument
@click.option("--playouts", type=click.IntRange(1), metavar="K", default=100)
@seed_option
@number_option(
    "--max-steps",
    click.IntRange(1),
    DEFAULT_MAX_STEPS,
    "Cut a playout off after so many steps.",
    unit="M",
)
@click.option("--json", "as_json", is_flag=True, help="Write the figures as JSON.")
@runs("gdl.cli.stats:run_stats")
def stats_command() -> None:
    """Show length, branching and goals of random play.

    The figures are the number of steps of a match, the number of legal moves in a state, of each
    role and of all together, and how often a role ends with each goal value.

    \b
    Examples:
        gdl stats games/ticTacToe.kif
        gdl stats games/tron.kif --playouts 1000 --seed 3 --json
    """
