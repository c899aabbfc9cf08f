"""The command line of ``gdl opening``."""

from __future__ import annotations

import click

from gdl.cli.arguments import OUTPUT, number_option, rulesheet_argument, runs, seed_option


@click.command("opening")
@rulesheet_argument
@number_option("--plies", click.IntRange(0), 4, "How many joint moves are made.")
@seed_option
@click.option("--output", "-o", type=OUTPUT, help="Where to write, instead of standard output.")
@runs("gdl.cli.opening:run_opening")
def opening_command() -> None:
    """Write rules that begin after N random joint moves.

    The rules for init are replaced by the facts of that position; all other rules stay as they
    are, in the notation of FILE. Comments are left out, as they may speak of the other beginning;
    the first lines say which moves were made. The position is never terminal, and where random
    matches end too soon, that is an error.

    What chance did is one of the N moves, and its outcome is part of the position. Games with
    percepts are refused: all roles know the initial state, and so would know what they should not.

    \b
    Examples:
        gdl opening games/ticTacToe.kif --plies 3
        gdl opening games/hex.kif --plies 6 --seed 7 --output hexOpening.kif
    """
