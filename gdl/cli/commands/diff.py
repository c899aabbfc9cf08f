"""The command line of ``gdl diff``."""

from __future__ import annotations

from typing import Any

import click

from gdl.cli.arguments import FILE, MachineKind, machine_option, seed_option


@click.command("diff")
@click.argument("first", metavar="A", type=FILE)
@click.argument("second", metavar="B", type=FILE)
@click.option(
    "--states",
    type=click.IntRange(1),
    metavar="N",
    default=100_000,
    show_default=True,
    help="Compare so many pairs of states, breadth first.",
)
@click.option(
    "--playouts",
    type=click.IntRange(0),
    metavar="K",
    default=50,
    show_default=True,
    help="Where there are more, look deeper by so many random playouts.",
)
@click.option(
    "--max-steps",
    type=click.IntRange(0),
    metavar="M",
    default=500,
    show_default=True,
    help="Stop a playout after so many steps.",
)
@seed_option
@machine_option(default=MachineKind.REASONER)
@click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")
def diff_command(**options: Any) -> None:  # noqa: ANN401
    """Tell whether two rulesheets are the same game.

    They are if their rules differ in names and order alone, or if all states that can be reached
    have the same legal moves, ends, percepts, and goals at the end. Otherwise the shortest line of
    play is shown after which they differ; or, where there are too many states, how many were
    compared without a difference.

    The exit status is 0 if no difference was found, and 1 otherwise.

    \b
    Examples:
        gdl diff games/nim.kif games/nim.kif
        gdl diff games/ticTacToe.kif games/ticTacToe.kif --states 1000 --json
    """
    from gdl.cli.comparing.diff import run_diff

    run_diff(**options)
