"""The command line of ``ggp-player lab``."""

from __future__ import annotations

import click

from ggp_player.cli.commands.laboratory.positions import positions_command


@click.group("lab", short_help="Measure how strong strategies are, and compare them.")
def lab_command() -> None:
    """Measure how strong strategies are, and compare them."""


lab_command.add_command(positions_command)
