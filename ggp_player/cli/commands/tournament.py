"""The command line of ``ggp-player tournament``."""

from __future__ import annotations

from pathlib import Path

import click

from gdl.cli.arguments import OutputPath, ray_option, runs
from ggp_player.cli.commands.arguments import (
    LEAST_MIB,
    archiving_options,
    games_option,
    match_options,
    output_option,
)

DEFAULT_MAX_STEPS = 1000
"""Steps after which a match is broken off."""

RESULTS_NAME = "results.jsonl"
"""The name of the results' file in a folder."""

_FOLDER = click.Path(file_okay=False, writable=True, path_type=Path)


def _results_file(
    _context: click.Context, _option: click.Parameter, output: Path | None
) -> Path | None:
    """Return where the results are kept: in a file of the usual name, where that is a folder."""
    return output / RESULTS_NAME if output is not None and output.is_dir() else output


@click.command("tournament", short_help="Play many matches, and compare the players.")
@click.argument("players", nargs=-1, metavar="PLAYER PLAYER...")
@games_option
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=1,
    help="How often each pairing plays each game in all seatings.",
)
@match_options
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    help="How many matches are played at a time.  "
    "[default: the processor's cores over the strategies in a match]",
)
@ray_option("Play")
@click.option(
    "--output",
    type=OutputPath(dir_okay=True),
    callback=_results_file,
    metavar="PATH",
    help=f"Keep the results in a file of JSON lines, or in {RESULTS_NAME} in a folder.",
)
@click.option(
    "--resume/--no-resume",
    default=True,
    help="Resume from an existing file of results, or refuse it.",
)
@click.option("--records", type=_FOLDER, help="Save every match record in a folder, which is made.")
@archiving_options
@click.option(
    "--max-steps",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_STEPS,
    help="Break off longer matches.",
)
@output_option("--csv", text="Write the standings to a file, as CSV.")
@click.option("--json", is_flag=True, help="Print the standings as JSON; all else goes to stderr.")
@click.option(
    "--ratings/--no-ratings",
    default=True,
    help="Rate the players, or not.",
)
@click.pass_context
@runs("ggp_player.cli.tournament:run_tournament", LEAST_MIB)
def tournament_command() -> None:
    """Play matches between all PLAYERs, and compare their strength, with confidence intervals.

    A PLAYER is a strategy, such as minimax, bounded_minimax:upper=51 or ./file.py:Class, or the
    address of a player server, host:port, or host:port#DIALECT if it speaks B, C, C', D or E of the
    protocol's dialects and not A; or human, who is asked here. Every two players meet in
    every game, and each takes each role equally often; in a game of one role each plays alone, and
    their goals are compared.

    No strategy thinks while others choose. Concurrent matches do not disturb each other as long as
    each strategy has one thread: auto takes every core, auto:threads=1 does not.

    With --ray the matches are played on a cluster; one whose worker dies is played again on
    another.

    With --output nothing is lost: the same command resumes the tournament, and may have more
    --rounds and more players. Only what is missing is played. Matches that failed are played again.

    The points of a match are its goal value, so that points % is their mean. The score compares the
    points of two players in a match: a win counts 1, a draw one half; W/D/L counts wins, draws and
    losses. The brackets have the 95 % confidence interval. late, failed and illegal count replies
    that came too late, connections that failed, and illegal moves, those included that a strategy
    chose and that were replaced with a legal move before they were sent.

    The exit status is 0 if every match was played to its end, 130 after Ctrl-C.

    \b
    ggp-player tournament --game games/nim.kif --game games/ticTacToe.kif \\
        --rounds 10 --play-clock 1 --output results.jsonl minimax random
    """
