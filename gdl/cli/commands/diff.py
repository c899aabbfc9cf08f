"""The command line of ``gdl diff``."""

from __future__ import annotations

import click

from gdl.cli.arguments import FILE, MachineKind, machine_option, number_option, runs, seed_option


@click.command("diff")
@click.argument("first", metavar="A", type=FILE)
@click.argument("second", metavar="B", type=FILE)
@number_option(
    "--states", click.IntRange(1), 100_000, "Compare so many pairs of states, breadth first."
)
@number_option(
    "--playouts",
    click.IntRange(0),
    50,
    "Where there are more, look deeper by so many random playouts.",
    unit="K",
)
@number_option(
    "--max-steps", click.IntRange(0), 500, "Stop a playout after so many steps.", unit="M"
)
@seed_option
@machine_option(default=MachineKind.REASONER)
@click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")
@runs("gdl.cli.diff:run_diff")
def diff_command() -> None:
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
