"""The command line of ``ggp-player learn``."""

from __future__ import annotations

from pathlib import Path

import click

from gdl.cli.arguments import ray_option, runs
from ggp_player.cli.commands.arguments import RULESHEET, output_option

FOLDER_VARIABLE = "GGP_PLAYER_EVALUATIONS"
"""The environment variable that names the folder of evaluations."""

MAX_HOURS = 30 * 24
"""A month."""

SECONDS_OF = {"s": 1, "m": 60, "h": 3600}
"""The units of a time, in seconds."""

MAX_THREADS = 64
"""Threads that play games at most."""

_FOLDER = click.Path(file_okay=False, path_type=Path)


def _duration(text: str) -> float:
    """Read a time in seconds, or with its unit; fail as click does."""
    number, unit = (text[:-1], text[-1]) if text[-1:] in SECONDS_OF else (text, "s")
    try:
        seconds = float(number) * SECONDS_OF[unit]
    except ValueError:
        seconds = 0.0
    if 0 < seconds <= MAX_HOURS * SECONDS_OF["h"]:
        return seconds
    expected = f"expected a time such as 90, 90s, 10m or 1h, of at most {MAX_HOURS} hours"
    raise click.BadParameter(f"{expected}; found {text}")


@click.command("learn", short_help="Learn an evaluation of a game, for later matches.")
@click.argument("rulesheet", type=RULESHEET)
@click.option(
    "--time",
    "seconds",
    type=_duration,
    default="60",
    metavar="TIME",
    help="How long to learn, with the duel, in seconds, or as 10m or 1h; compiling and analysing "
    "the game comes on top.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, MAX_THREADS),
    help="Threads that play games.  [default: as many as there are CPUs]",
)
@click.option("--seed", default=0, help="Where all randomness begins.")
@click.option(
    "--evaluations",
    "folder",
    type=_FOLDER,
    envvar=FOLDER_VARIABLE,
    metavar="FOLDER",
    help="Where evaluations are stored.  [default: the user's data folder]",
)
@ray_option("Learn")
@output_option("--json", text="Write the rounds to a file, as JSON.")
@output_option("--plot", text="Plot strength over time, as SVG, PNG or as the name ends.")
@click.pass_context
@runs("ggp_player.cli.learn:run_learn")
def learn_command() -> None:
    """Learn an evaluation of the game RULESHEET, a file or one of ours, for later matches.

    It is for two roles and more, also with chance. Thousands of games against itself teach what
    patterns are worth, in rounds; what a round has learned is kept unless it loses against the best
    before. Several threads play games of their own for the same weights. Ctrl-C keeps what was
    learned so far. If an evaluation of the game is stored already, learning goes on from that. At
    the end a duel against the tree search tells how good it is.

    In matches auto, learned_alpha_beta and learned_mcts use a stored evaluation in place of
    learning in the start clock, auto also where roles move at once, of which it learns nothing
    itself. They recognise the game even where the game manager scrambles the words of the rules,
    and look in the same folder, which --evaluations of ggp-player serve and the environment
    variable GGP_PLAYER_EVALUATIONS name, too.

    --plot shows in Elo how much the rounds gained, those of earlier runs, too; it needs the extra
    plot. With --ray all processors of a cluster play games, and what they learn is averaged every
    few seconds. The exit status is 130 after Ctrl-C.

    \b
    Examples:
        ggp-player learn games/breakthrough.kif --time 10m
        ggp-player learn games/breakthrough.kif --time 1h --plot breakthrough.svg
        ggp-player learn games/breakthrough.kif --time 1h --ray local
    """
