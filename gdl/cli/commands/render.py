"""The command line of ``gdl render``."""

from __future__ import annotations

import click

from gdl.cli.arguments import OUTPUT, rulesheet_argument, runs


@click.command("render")
@rulesheet_argument
@click.option(
    "--moves",
    metavar="MOVES",
    multiple=True,
    help='The moves of one step, one per role: "(mark 1 1) noop". Once for each step.',
)
@click.option("--svg", type=OUTPUT, help="Write the picture as SVG, - for standard output.")
@click.option("--explain", is_flag=True, help="Say what in the rules each board was found by.")
@click.option("--width", type=click.IntRange(20), metavar="N", help="Characters of a line of text.")
@runs("gdl.cli.render:run_render")
def render_command() -> None:
    """Draw a state of a game: its boards, counters and table.

    The boards are found in the rules; NAME.board.toml beside the rulesheet NAME.kif can say more.
    Without --moves the initial state is drawn, otherwise the one after the moves, with what the
    last of them has changed. A role that has one legal move only can be left out.

    \b
    Examples:
        gdl render games/ticTacToe.kif
        gdl render games/ticTacToe.kif --moves "(put b2)" --moves "(put a1)"
        gdl render games/chess.kif --svg chess.svg
        gdl render games/hex.kif --explain
    """
