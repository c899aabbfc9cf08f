"""The command line of ``ggp-player lab ladder``."""

from __future__ import annotations

from pathlib import Path

import click

from gdl.cli.arguments import OutputPath, number_option, runs
from ggp_player.cli.commands.arguments import clock_option, games_option, output_option, plies_range

LADDER = Path("benchmarks/strength/ladder")
"""The matches of this project, in a checkout."""

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.group("ladder", short_help="Rate strategies, releases and foreign players by matches.")
def ladder_command() -> None:
    """Rate strategies, releases and foreign players by matches under a manager's clocks."""


@ladder_command.command("play")
@click.argument("a")
@click.argument("b")
@games_option
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="'NAME VERSION'",
    help="Who plays at an address; once for each, in their order.",
)
@number_option(
    "--openings",
    click.IntRange(1),
    10,
    "Balanced openings of each game, each played from both seats.",
)
@click.option(
    "--plies",
    type=plies_range,
    default="4-8",
    metavar="LEAST-MOST",
    help="How many random joint moves make an opening.",
)
@clock_option("--start-clock", 20, "Whole seconds for thinking before the first move.")
@clock_option("--play-clock", 6, "Whole seconds for each move.")
@click.option("--seed", default=0, help="Where all randomness begins.")
@number_option(
    "--concurrency",
    click.IntRange(1),
    1,
    "How many matches are played at a time; more than one disturb each other's clocks.",
)
@click.option(
    "--output",
    type=OutputPath(),
    required=True,
    metavar="FILE.jsonl",
    help="The file to which matches are added.",
)
@click.pass_context
@runs("ggp_player.cli.lab.ladder:run_play")
def play_command() -> None:
    """Play matches of A against B from balanced openings, for the ladder.

    A and B are strategies, such as mcts or alpha_beta:depth=3, which run here, or addresses of
    player servers, ours or foreign, as `ggp-player match` takes them, each with a --name. An
    opening is a rulesheet whose rules for init are the facts of a position. Both seats are played
    from each, one match after the other. Nobody here thinks while the other one moves; a foreign
    player may.

    Each match is a line of the file. The same command goes on where it was interrupted; matches
    that broke off are played again. At the end stands the table of the file. The exit status is 0
    if every match was played to its end, 130 after Ctrl-C.

    \b
    Examples:
        ggp-player lab ladder play uct alpha_beta:depth=3 --game games/hex.kif \\
            --output benchmarks/strength/ladder/anchors.jsonl
        ggp-player lab ladder play auto:threads=1 localhost:9301 --name 'Sancho 1.61c' \\
            --game games/breakthrough.kif --openings 5 --output sancho.jsonl
    """


@ladder_command.command("table")
@click.argument("folder", type=_FOLDER, default=LADDER)
@click.option("--by-game", is_flag=True, help="Rate the players in each single game, too.")
@output_option("--json", "output", text="Write the figures to a file, as JSON.")
@output_option("--page", text="Write a page of Markdown to a file.")
@output_option("--plot", text="Plot the ratings over releases, as SVG or as the name ends.")
@runs("ggp_player.cli.lab.ladder:run_table")
def table_command() -> None:
    """Rate all players by the matches in FOLDER, together: Elo above uct, with 95 % intervals.

    FOLDER holds the files of `ggp-player lab ladder play`; it is benchmarks/strength/ladder unless
    given. A player whom no chain of matches joins to uct has no rating. --plot needs the extra
    plot.

    \b
    Example:
        ggp-player lab ladder table --by-game --page benchmarks/strength/ladder.md \\
            --plot benchmarks/strength/ladder.svg
    """
