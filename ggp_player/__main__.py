"""The ``ggp-player`` command: ``serve`` a player, ask for ``info``, run a ``match`` or many.

A command's module is imported only when the command is called: multiprocessing imports the main
module again in a server's worker processes, which have no use for an HTTP server.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import click

from gdl.cli.lazy_group import LazyGroup, Target, version_option
from ggp_player.errors import GgpPlayerError

COMMANDS: Mapping[str, Target] = MappingProxyType(
    {
        "serve": Target(
            "ggp_player.cli.commands.serve:serve_command",
            "Answer game managers over HTTP until Ctrl-C.",
        ),
        "doctor": Target(
            "ggp_player.cli.commands.doctor:doctor_command",
            "Check this machine before an event, and play a short match.",
        ),
        "info": Target(
            "ggp_player.cli.commands.info:info_command",
            "Ask a player server for its name, and whether it is free.",
        ),
        "health": Target(
            "ggp_player.cli.health:health_command",
            "Ask a player server whether it is well, or whether it is ready for a match.",
        ),
        "match": Target(
            "ggp_player.cli.commands.match:match_command",
            "Play one match of the game RULESHEET, a file or the name of one of ours.",
        ),
        "play": Target(
            "ggp_player.cli.commands.play:play_command",
            "Play a game yourself, in the browser or in the terminal.",
        ),
        "analyze": Target(
            "ggp_player.cli.commands.analyze:analyze_command",
            "Search a position, and show values and trees.",
        ),
        "strategies": Target(
            "ggp_player.cli.commands.strategies:strategies_command",
            "List all strategies and their parameters.",
        ),
        "learn": Target(
            "ggp_player.cli.commands.learn:learn_command",
            "Learn an evaluation of a game, for later matches.",
        ),
        "bench": Target(
            "ggp_player.cli.commands.bench:bench_command",
            "Measure the speed of the searches.",
        ),
        "lab": Target(
            "ggp_player.cli.commands.lab.group:lab_command",
            "Measure how strong strategies are, and compare them.",
        ),
        "tournament": Target(
            "ggp_player.cli.commands.tournament:tournament_command",
            "Play many matches, and compare the players.",
        ),
        "manager": Target(
            "ggp_player.cli.commands.manager:manager_command",
            "Hold events between players that register here, until Ctrl-C.",
        ),
        "matches": Target(
            "ggp_player.cli.commands.matches:matches_command",
            "List, show, replay, export and import matches.",
        ),
        "warm-up": Target(
            "ggp_player.cli.commands.cache:warm_up_command",
            "Compile what all matches share, in advance.",
        ),
        "cache": Target(
            "ggp_player.cli.commands.cache:cache_command",
            "Show, or delete, the compiled code that is kept on disk.",
        ),
    }
)
"""Where each command is, and what it does."""


@click.group(cls=LazyGroup, targets=COMMANDS, errors=(GgpPlayerError,))
@version_option(prog_name="ggp-player")
def main() -> None:
    """Play any game whose rules come in the Game Description Language."""


if __name__ == "__main__":
    main()
