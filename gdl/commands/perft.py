"""The command ``gdl perft``: how many joint-move paths a game has."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import click

from gdl.commands.rulesheets import read_machine, rulesheet_argument
from gdl.state_machine import StateMachine, divide, perft


@click.command("perft")
@rulesheet_argument
@click.option(
    "--depth", type=click.IntRange(1), metavar="N", required=True, help="Steps to count to."
)
@click.option(
    "--divide", "divided", is_flag=True, help="Count below each first joint move, at --depth alone."
)
def perft_command(file: Path, depth: int, divided: bool) -> None:
    """Count the joint-move paths of a game.

    All paths of 1, 2, ... steps from the initial state are counted; one that ends in a terminal
    state is not counted at later depths. The columns are the depth, the number of paths and the
    seconds taken.

    \b
    Examples:
        gdl perft games/ticTacToe.kif --depth 4
        gdl perft games/ticTacToe.kif --depth 4 --divide
    """
    machine = read_machine(file)
    if divided:
        _print_divided(machine, depth)
        return
    for steps in range(1, depth + 1):
        began = monotonic()
        count = perft(machine, steps)
        click.echo(f"{steps:>5}  {count:>15}  {monotonic() - began:>9.2f}")


def _print_divided(machine: StateMachine, depth: int) -> None:
    counts = divide(machine, depth)
    for joint_move, count in counts.items():
        click.echo(f"{' '.join(map(str, joint_move))}: {count}")
    click.echo(f"total: {sum(counts.values())}")
