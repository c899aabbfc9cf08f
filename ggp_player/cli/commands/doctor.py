"""The command line of ``ggp-player doctor``."""

from __future__ import annotations

import click

from gdl.cli.arguments import runs
from ggp_player.cli.commands.serve import config_options


@click.command("doctor", short_help="Check this machine before an event, and play a short match.")
@click.option(
    "--dialect",
    type=click.Choice(["A", "B", "C", "C'", "D", "E", "F"]),
    default="A",
    help="The manager's dialect, by its letter in docs/managers.md.",
)
@click.option("--json", "as_json", is_flag=True, help="Write the findings as JSON.")
@config_options
@runs("ggp_player.cli.doctor.doctor:run_doctor")
def doctor_command() -> None:
    """Check this machine before an event, and play a short match.

    It takes every setting of ggp-player serve: write doctor in place of serve. It checks compiled
    searches, helper processes, clock, memory, port and folders. Then two servers with these
    settings play tic-tac-toe at free ports, with a start clock of 2 s and a play clock of 1 s, as
    the manager to come would have it. That takes some 20 seconds, longer on a new machine.

    Each finding is ok, a warning or a problem; with a problem the exit status is 1.

    \b
    Example:
        ggp-player doctor --config player.toml --dialect C
    """
