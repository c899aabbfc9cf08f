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
        "serve": Target("commands.serve", "Answer game managers over HTTP until Ctrl-C."),
        "doctor": Target(
            "commands.doctor", "Check this machine before an event, and play a short match."
        ),
        "info": Target(
            "commands.info", "Ask a player server for its name, and whether it is free."
        ),
        "health": Target(
            "health", "Ask a player server whether it is well, or whether it is ready for a match."
        ),
        "match": Target(
            "commands.match",
            "Play one match of the game RULESHEET, a file or the name of one of ours.",
        ),
        "play": Target("commands.play", "Play a game yourself, in the browser or in the terminal."),
        "analyze": Target("commands.analyze", "Search a position, and show values and trees."),
        "strategies": Target("commands.strategies", "List all strategies and their parameters."),
        "learn": Target("commands.learn", "Learn an evaluation of a game, for later matches."),
        "bench": Target("commands.bench", "Measure the speed of the searches."),
        "lab": Target("commands.lab.group", "Measure how strong strategies are, and compare them."),
        "tournament": Target("commands.tournament", "Play many matches, and compare the players."),
        "manager": Target(
            "commands.manager", "Hold events between players that register here, until Ctrl-C."
        ),
        "matches": Target("commands.matches", "List, show, replay, export and import matches."),
        "warm-up": Target("commands.cache", "Compile what all matches share, in advance."),
        "cache": Target(
            "commands.cache", "Show, or delete, the compiled code that is kept on disk."
        ),
    }
)
"""Where each command is, and what it does."""


@click.group(cls=LazyGroup, package="ggp_player.cli", targets=COMMANDS, errors=(GgpPlayerError,))
@version_option(prog_name="ggp-player")
def main() -> None:
    """Play any game whose rules come in the Game Description Language."""


if __name__ == "__main__":
    main()
