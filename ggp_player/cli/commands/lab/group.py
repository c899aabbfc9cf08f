"""The command lines of ``ggp-player lab``."""

from __future__ import annotations

from pathlib import Path

import click

from gdl.cli.arguments import number_option, ray_option, runs
from ggp_player.cli.commands.arguments import MAX_CLOCK, RULESHEET, output_option
from ggp_player.cli.commands.lab.ladder import ladder_command
from ggp_player.cli.commands.lab.positions import positions_command
from ggp_player.cli.commands.lab.profile import profile_command

LEDGER = Path("benchmarks/strength")
"""The ledger of this project, in a checkout."""

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.group("lab", short_help="Measure how strong strategies are, and compare them.")
def lab_command() -> None:
    """Measure how strong strategies are, compare them, and keep what was found in a ledger."""


lab_command.add_command(positions_command)
lab_command.add_command(ladder_command)
lab_command.add_command(profile_command)


@lab_command.command("duel")
@click.argument("a")
@click.argument("b")
@click.argument("games", metavar="GAME...", nargs=-1, required=True, type=RULESHEET)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="Work for each move, as the strategy counts it.  [default: 5000]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, MAX_CLOCK, min_open=True),
    metavar="S",
    help="CPU time for each move, in place of --nodes.",
)
@click.option(
    "--prepare",
    type=click.FloatRange(0, MAX_CLOCK),
    default=0.0,
    metavar="S",
    help="CPU time before the first move of a match, to learn in.",
)
@number_option("--pairs", click.IntRange(1), 1000, "The most pairs of matches for each game.")
@click.option(
    "--plies",
    type=(click.IntRange(0), click.IntRange(0)),
    default=(4, 8),
    metavar="LEAST MOST",
    help="How many random joint moves make an opening.",
)
@click.option("--elo0", default=0.0, help="What is assumed of A.")
@click.option("--elo1", default=20.0, help="What A is tested for.")
@click.option(
    "--veto/--no-veto",
    default=True,
    help="Whether a game with clearly less than 40 % of the points ends the duel.",
)
@click.option("--seed", default=0, help="Where all randomness begins.")
@number_option(
    "--memory", click.IntRange(1), 256, "Memory for the searches of a player.", unit="MIB"
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="How many pairs are played at a time.  [default: one for each core]",
)
@ray_option("Play")
@output_option("--json", text="Write every pair to a file, as JSON.")
@output_option(
    "--ledger", text="Write an entry of a ledger, before the first match and at the end."
)
@click.option("--hypothesis", metavar="TEXT", help="What is expected, for the ledger.")
@click.pass_context
@runs("ggp_player.cli.lab.duel:run_duel_command")
def duel_command() -> None:
    """Find out whether the strategy A is stronger than B, by pairs of matches in each GAME.

    A and B are strategies as --strategy takes them: mcts:exploration=0.5, auto:threads=1,
    ./my.py:Mine. With @PYTHON after it a strategy is that of another version, installed in the
    environment of that interpreter: auto:threads=1@old/bin/python. Both matches of a pair begin in
    one opening, a random position whose value is between 35 and 65 of 100, and A has either seat in
    turn. Games take turns, and count equally.
    A sequential test of elo0 against elo1, with 5 % errors of either kind, ends the duel as soon as
    the results allow.

    With --nodes the same seed gives the same result, whatever the number of jobs, unless a strategy
    looks at clocks itself: auto and learned_alpha_beta learn by CPU time, and auto does so in the
    time of --prepare only. Strategies should have one thread, as theirs is the CPU time that
    counts. Ctrl-C ends the duel with what there is, and the exit status is 130 then.

    \b
    Examples:
        ggp-player lab duel mcts:exploration=0.5 mcts games/hex.kif --nodes 500 --pairs 20
        ggp-player lab duel ./my.py:Mine alpha_beta games/nim.kif --seconds 0.05 --pairs 100 \\
            --ledger mine.json --hypothesis 'mine sees further'
    """


@lab_command.command("ledger")
@click.argument("folder", type=_FOLDER, default=LEDGER)
@output_option("--page", text="Write the page to a file, instead of standard output.")
def ledger_command(folder: Path, page: Path | None) -> None:
    """Make a page of Markdown of all experiments in FOLDER, the newest first.

    FOLDER holds the files that --ledger of `ggp-player lab duel` has written; it is
    benchmarks/strength unless given. An experiment that never ended is shown as broken off.

    \b
    Example:
        ggp-player lab ledger benchmarks/strength --page experiments.md
    """
    from gdl.cli.options import write_text
    from ggp_player.lab.ledger import ledger_page, read_ledger

    write_text(page, ledger_page(read_ledger(folder)))
