"""The ``gdl`` command: check, count and play out the games that rulesheets describe."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import click

from gdl.cli.lazy_group import LazyGroup, Target, version_option

COMMANDS: Mapping[str, Target] = MappingProxyType(
    {
        "check": Target("check", "Report the mistakes in rulesheets."),
        "format": Target("format", "Bring rulesheets into the canonical layout."),
        "convert": Target("convert", "Turn KIF into infix, and infix into KIF."),
        "show": Target(
            "commands.show", "Show roles and relations, the compiled circuit, or an analysis."
        ),
        "render": Target(
            "commands.render", "Draw a state of a game: its boards, counters and table."
        ),
        "playout": Target("commands.playout", "Play random matches, written as JSON lines."),
        "perft": Target("perft", "Count the joint-move paths of a game."),
        "diff": Target("commands.diff", "Tell whether two rulesheets are the same game."),
        "serve-oracle": Target(
            "commands.serve_oracle",
            "Answer questions about games for other programs, as JSON lines.",
        ),
        "lsp": Target(
            "commands.lsp", "Serve an editor: problems, definitions, renaming and layout."
        ),
        "stats": Target("commands.stats", "Show length, branching and goals of random play."),
        "scramble": Target(
            "scramble", "Replace the names of a game by invented words, or put them back."
        ),
        "opening": Target("commands.opening", "Write rules that begin after N random joint moves."),
        "bench": Target("commands.bench", "Measure how many states a second random playouts make."),
        "coverage": Target("commands.coverage", "Tabulate what compiling takes, game by game."),
        "warm-up": Target("commands.warm_up", "Compile in advance what all games need."),
    }
)
"""Where each command is, and what it does."""


@click.group(cls=LazyGroup, package="gdl.cli", targets=COMMANDS)
@version_option(prog_name="gdl")
def main() -> None:
    """Read, check and run games in the Game Description Language.

    \b
    FILE is a rulesheet, and - stands for the standard input. For example:
        gdl check games/ticTacToe.kif
        gdl playout games/ticTacToe.kif --seed 7
        gdl perft games/ticTacToe.kif --depth 4
    """


if __name__ == "__main__":
    main()
