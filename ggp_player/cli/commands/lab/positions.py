"""The command line of ``ggp-player lab positions``."""

from __future__ import annotations

from pathlib import Path

import click

from gdl.cli.arguments import number_option, runs
from ggp_player.cli.commands.arguments import RULESHEET, output_option, plies_range

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


_SOLVER = click.option(
    "--solver",
    type=click.Choice(["proof", "connect-four", "hex", "reversi"]),
    default="proof",
    help="What solves: all but proof are for our own rulesheets of these games, hex of any size, "
    "and need the extra kernels.",
)

_PREPARE = number_option(
    "--prepare",
    click.FloatRange(0),
    0.0,
    "CPU seconds for preparing in the initial state; what learns needs some 25.",
    unit="S",
)

_JOBS = number_option(
    "--jobs", click.IntRange(1, 256), 1, "Positions that are searched at the same time."
)


@click.group("positions", short_help="Make sets of solved positions, and count errors in them.")
def positions_command() -> None:
    """Make sets of critical solved positions, and count the errors of strategies in them."""


@positions_command.command("make")
@click.argument("rulesheet", type=RULESHEET, metavar="GAME")
@click.option("--count", type=click.IntRange(1), default=1000, metavar="N")
@click.option("--seed", type=int, default=0, metavar="N")
@click.option(
    "--plies",
    type=plies_range,
    default="8-24",
    metavar="FIRST-LAST",
    help="How many choices lead to a position.",
)
@_SOLVER
@number_option(
    "--nodes", click.IntRange(1), 5_000_000, "Leave out positions that take more to solve."
)
@number_option("--per-game", click.IntRange(1), 2, "Positions from one game at most.")
@number_option(
    "--tries",
    click.IntRange(0),
    4,
    "Keep what a short tree search gets wrong at least once in so many tries; 0 for all.",
)
@number_option(
    "--play-gates",
    click.IntRange(1),
    200_000,
    "How long the tree search thinks about a move of a game, in gates evaluated.",
)
@number_option(
    "--random-share",
    click.FloatRange(0, 1),
    0.15,
    "The share of moves that are random.",
    unit="SHARE",
)
@number_option(
    "--doubt",
    click.IntRange(0, 50),
    0,
    "Leave out, unsolved, what the first try values at less than N or more than 100 - N.",
)
@number_option(
    "--games", click.IntRange(1), 1_000_000, "End after so many games, with what was found."
)
@output_option("--output", text="The file to write.  [default: GAME.positions.xz]")
@runs("ggp_player.cli.lab.positions:run_make")
def make_command() -> None:
    """Make a set of critical solved positions of a game in which two rivals move in turn.

    Critical are positions in which some moves keep the value, and some do not. Ctrl-C breaks it
    off; the same command goes on where it was.

    \b
    Example:
        ggp-player lab positions make games/dotsAndBoxes.kif --plies 12-20 --count 20
    """


@positions_command.command("test")
@click.argument("strategy")
@click.argument("sets", nargs=-1, type=_FILE, metavar="[FILE...]")
@click.option("--against", metavar="STRATEGY", help="Another strategy, on the same positions.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    multiple=True,
    metavar="S",
    help="CPU seconds for each position; may be given several times.  [default: 0.02, 0.1]",
)
@click.option(
    "--own-budget",
    is_flag=True,
    help="Let searches end by themselves: for strategies such as mcts:playouts=20000.",
)
@_PREPARE
@click.option(
    "--count", type=click.IntRange(1), metavar="N", help="Only the first positions of each set."
)
@click.option("--seed", type=int, default=0, metavar="N")
@_JOBS
@click.option("--json", "as_json", is_flag=True, help="Write all results as JSON.")
@runs("ggp_player.cli.lab.positions:run_test")
def test_command() -> None:
    """Count in how many solved positions a strategy chooses a move that gives value away.

    Without a FILE all sets of benchmarks/strength/positions are used. With --against the two are
    compared by McNemar's exact test. With @PYTHON a strategy is of another version, as in lab
    duel. Each position is searched in a fork of the process, so this does not run on Windows.

    \b
    Example:
        ggp-player lab positions test mcts --against uct --seconds 0.02 --count 20
    """


@positions_command.command("play")
@click.argument("strategy")
@click.argument("rulesheet", type=RULESHEET, metavar="GAME")
@_SOLVER
@number_option("--plies", click.IntRange(0), 2, "How many choices make an opening.")
@click.option(
    "--count",
    type=click.IntRange(1),
    metavar="N",
    help="Only so many openings, drawn at random.  [default: all]",
)
@number_option(
    "--seconds", click.FloatRange(0, min_open=True), 1.0, "CPU seconds for each move.", unit="S"
)
@_PREPARE
@number_option("--nodes", click.IntRange(1), 1_000_000_000, "End where a move takes more to solve.")
@click.option("--seed", type=int, default=0, metavar="N")
@_JOBS
@click.option("--json", "as_json", is_flag=True, help="Write all matches as JSON.")
@runs("ggp_player.cli.lab.positions:run_play")
def play_command() -> None:
    """Let a strategy play a solver from all openings, in both seats, until its first error.

    The solver makes one of the best moves, drawn at random. Each move is searched in a fork of the
    process, by the strategy as it is after preparing, so this does not run on Windows. Few plies
    can take the solver long: in connect four up to a minute and a half for a move after two.

    \b
    Example:
        ggp-player lab positions play auto:threads=1 games/ticTacToe.kif --prepare 1
        ggp-player lab positions play auto:threads=1 games/connectFour.kif --solver connect-four \\
            --plies 8 --count 20 --prepare 25
    """
