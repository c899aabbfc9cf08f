"""The command line of ``ggp-player play``."""

from __future__ import annotations

import sys
from typing import Any

import click

from gdl.game_library import own_games
from ggp_player.cli.commands.arguments import CLOCK, RULESHEET, archiving_options, output_option


@click.command("play", short_help="Play a game yourself, in the browser or in the terminal.")
@click.argument("game", required=False, type=RULESHEET)
@click.option(
    "--as",
    "roles",
    multiple=True,
    metavar="ROLE",
    help="A role that you play, or each of several.  [default: the first]",
)
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar="PLAYER",
    help="Who plays the others: a strategy, host:port, or host:port#DIALECT; one for each or for "
    "all.  [default: auto]",
)
@click.option(
    "--level",
    type=click.Choice(["1", "2", "3", "4", "5", "adaptive"]),
    help="How strong the others are: 1 random, 2 looks one step ahead, 3 three steps, 4 searches "
    "for a moment, 5 does all it can; adaptive begins with 3, goes up when you win, and down when "
    "you lose.",
)
@click.option("--list", "lists", is_flag=True, help="List the names of our games.")
@click.option(
    "--start-clock",
    type=CLOCK,
    default=5,
    metavar="SECONDS",
    help="How long the opponents think before their first move.",
)
@click.option(
    "--play-clock",
    type=CLOCK,
    default=3,
    metavar="SECONDS",
    help="How long they think about each move, at most.",
)
@click.option(
    "--clock",
    type=click.Choice(["none", "5m", "1m", "30s"]),
    help="What time you and the opponents have: 5 or 1 minutes each for the match, or 30 seconds a "
    "move. Who has none left has lost.  [default: none]",
)
@click.option("--timed", is_flag=True, help="Hold yourself to the play clock for each move, too.")
@click.option("--seed", default=0, help="Where all randomness begins.")
@click.option("--terminal", is_flag=True, help="Play in the terminal.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port of the page.  [default: a free one]",
)
@click.option("--no-browser", is_flag=True, help="Open no browser, only say where the page is.")
@output_option("--save", text="Write the match record to a file at the end, as JSON.")
@archiving_options
def play_command(**options: Any) -> None:  # noqa: ANN401
    """Play GAME against the computer: one of our own games, by name, or a file of rules.

    A page opens in the browser: click the board, or the list of moves. With --terminal the board is
    drawn in text. Without GAME the page has all our games, and a place for rulesheets of yours;
    where the output is no terminal, the names of our games are listed.

    \b
    Examples:
        ggp-player play
        ggp-player play connectFour --level 2
        ggp-player play chess --as black --play-clock 10
        ggp-player play my_game.kif --terminal --opponent mcts
    """
    lists, has_game = options.pop("lists"), options["game"] is not None
    wants_page = options["no_browser"] or options["port"] is not None or sys.stdout.isatty()
    if lists or not (has_game or (wants_page and not options["terminal"])):
        _list_games()
        return
    for option, flag in (("roles", "--as"), ("save", "--save")):
        if options[option] and not has_game:
            raise click.UsageError(f"{flag} is for one game: name it")
    if options["level"] and options["opponents"]:
        raise click.UsageError("--level and --opponent both say who plays the others: give one")
    if options["clock"] and options["timed"]:
        raise click.UsageError("--clock and --timed both say what time there is: give one")
    from ggp_player.cli.play import run_play

    run_play(**{**options, "port": options["port"] or 0})


def _list_games() -> None:
    for name in own_games():
        click.echo(name)
    click.echo("\nggp-player play NAME plays one of them, or a file of rules.", err=True)
