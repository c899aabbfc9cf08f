"""The command ``gdl perft``: the number of joint-move paths of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TypeAlias

import click

import gdl
from gdl.cli.arguments import MachineKind, device_option, machine_option, rulesheet_argument
from gdl.cli.options import read_machine, read_rules
from gdl.language import Term
from gdl.state_machine import divide, perft

Counter: TypeAlias = Callable[[int], int]
Divider: TypeAlias = Callable[[int], Mapping[tuple[Term, ...], int]]


@click.command("perft")
@rulesheet_argument
@click.option(
    "--depth", type=click.IntRange(1), metavar="N", required=True, help="Steps to count to."
)
@click.option(
    "--divide", "divided", is_flag=True, help="Count below each first joint move, at --depth alone."
)
@machine_option(default=MachineKind.REASONER)
@device_option("Count on a GPU, such as cuda:0, or host, by the propnet.")
def perft_command(
    file: Path, depth: int, divided: bool, machine: MachineKind, device: str | None
) -> None:
    """Count the joint-move paths of a game.

    All paths of 1, 2, ... steps from the initial state are counted; one that ends in a terminal
    state is not counted at later depths. The columns are the depth, the number of paths and the
    seconds taken.

    \b
    Examples:
        gdl perft games/ticTacToe.kif --depth 4
        gdl perft games/ticTacToe.kif --depth 4 --divide
        gdl perft games/connectFour.kif --depth 7 --machine propnet
    """
    count_paths, divide_paths = _counters(file, machine, device)
    if divided:
        _print_divided(divide_paths(depth))
        return
    for steps in range(1, depth + 1):
        began = monotonic()
        count = count_paths(steps)
        click.echo(f"{steps:>5}  {count:>15}  {monotonic() - began:>9.2f}")


def _counters(file: Path, machine: MachineKind, device: str | None) -> tuple[Counter, Divider]:
    if machine == MachineKind.REASONER and device is None:
        reasoner = read_machine(file)
        return partial(perft, reasoner), partial(divide, reasoner)
    from gdl.engine import perft as blocks

    compiled = gdl.compile(read_rules(file))
    counter = partial(blocks.perft, compiled, device=device)
    return counter, partial(blocks.divide, compiled, device=device)


def _print_divided(counts: Mapping[tuple[Term, ...], int]) -> None:
    for joint_move, count in counts.items():
        click.echo(f"{' '.join(map(str, joint_move))}: {count}")
    click.echo(f"total: {sum(counts.values())}")
