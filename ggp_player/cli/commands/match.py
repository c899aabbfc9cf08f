"""The command line of ``ggp-player match``."""

from __future__ import annotations

import click

from gdl.cli.arguments import runs
from ggp_player.cli.commands.arguments import (
    LEAST_MIB,
    RULESHEET,
    archiving_options,
    match_options,
    output_option,
)


@click.command("match")
@click.argument("rulesheet", type=RULESHEET)
@click.argument("players", nargs=-1, metavar="PLAYER...")
@match_options
@output_option("--save", text="Write the match record to a file, as JSON.")
@click.option("--states", is_flag=True, help="Print the facts of every state.")
@archiving_options
@runs("ggp_player.cli.match:run_match", LEAST_MIB)
def match_command() -> None:
    """Play one match of the game RULESHEET, a file or the name of one of ours.

    There is one PLAYER for each role, in role order, and none for the role `random`. A PLAYER is
    a strategy, such as minimax, bounded_minimax:upper=51 or ./file.py:Class, which runs in
    processes of its own, or the address of a player server, host:port, or human, who is asked here
    in the terminal, or human:page, on a page. Strategies that gain from it, such as auto and mcts,
    also think while others choose. A server that does not speak ggp-base's dialect of the protocol,
    A, has its own after the address: host:port#B, "host:port#C'", or another one of C, D and E.

    No match begins while a player server cannot be reached, which is asked first. The record is
    saved even if the match is broken off, and printed where it cannot be written. The exit status
    is 0 if the match was played to its end, and all that was to be written was.
    """
