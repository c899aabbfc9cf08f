"""The command line of ``ggp-player lab profile``."""

from __future__ import annotations

import click

from gdl.cli.arguments import number_option, runs
from ggp_player.cli.commands.arguments import MAX_CLOCK, RULESHEET, output_option


@click.command("profile", short_help="Measure what a search does with its time.")
@click.argument("games", metavar="GAME...", nargs=-1, type=RULESHEET)
@click.option("--all", "all_games", is_flag=True, help="All games of our own.")
@click.option("--strategy", default="auto:threads=1", metavar="SPEC", help="What searches.")
@number_option(
    "--seconds",
    click.FloatRange(0, MAX_CLOCK, min_open=True),
    5.0,
    "CPU time for each search.",
    unit="S",
)
@number_option(
    "--prepare",
    click.FloatRange(0, MAX_CLOCK),
    0.0,
    "CPU time before the first search, to learn in; it is not measured.",
    unit="S",
)
@click.option(
    "--plies",
    type=click.IntRange(0),
    multiple=True,
    metavar="N",
    help="Search after so many random joint moves; may be given several times.  [default: 0, and "
    "half of a random playout]",
)
@click.option("--seed", default=0, help="Where all randomness begins.")
@number_option(
    "--solve", click.IntRange(0), 20, "Prove so many stored positions of a game that has some."
)
@number_option(
    "--solve-nodes", click.IntRange(1), 2_000_000, "Give a stored position up after so many nodes."
)
@number_option(
    "--most-prover-share",
    click.FloatRange(0, 100),
    25.0,
    "What a prover may take of the time for searching.",
    unit="PERCENT",
)
@click.option("--check", is_flag=True, help="Exit with 1 unless the provers keep to that.")
@output_option("--json", "output", text="Write all that was measured to a file, as JSON.")
@click.pass_context
@runs("ggp_player.cli.lab.profile:run_profile_command")
def profile_command() -> None:
    """Measure what share of its CPU time a strategy gives to each of its components, in each GAME.

    The components are the analysis of the game, the parts of the learner, the tree search,
    alpha-beta with what was learned, and the provers: proof search, enumeration, series. One object
    of the strategy searches the initial state and then the later positions, as in a match; of
    twenty random ones each is that which a short tree search values nearest to 50. What the
    components count, descents, playouts and nodes, is told for each CPU second of their own; the
    depth is that to which alpha-beta has searched everything. Stored positions are those of
    benchmarks/strength/positions, which the sources have.

    The verdict is about the provers' shares of the time for searching, which is what the analysis
    and the learner leave. It leaves out searches that end with a proof, and those that have less
    than a second of it. With --check the exit status is 1 where a share is too large, and where
    nothing could be judged. Strategies should have one thread: what their helper threads take is
    shown as that of other threads. Ctrl-C ends it with the games that are complete, and the exit
    status is 130 then.

    \b
    Examples:
        ggp-player lab profile reversi hex
        ggp-player lab profile --all --seconds 2 --check --json profile.json
        ggp-player lab profile breakthrough --prepare 40 --plies 20 --plies 40
    """
