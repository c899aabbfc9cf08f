"""The ``gdl`` command: check, count and play out the games that rulesheets describe."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import click

from gdl.cli.lazy_group import LazyGroup, Target, version_option

COMMANDS: Mapping[str, Target] = MappingProxyType(
    {
        "check": Target(
            "gdl.cli.check:check_command",
            "Report the mistakes in rulesheets.",
        ),
        "format": Target(
            "gdl.cli.format:format_command",
            "Bring rulesheets into the canonical layout.",
        ),
        "convert": Target(
            "gdl.cli.variants.convert:convert_command",
            "Turn KIF into infix, and infix into KIF.",
        ),
        "show": Target(
            "gdl.cli.commands.show:show_command",
            "Show roles and relations, the compiled circuit, or an analysis.",
        ),
        "render": Target(
            "gdl.cli.commands.render:render_command",
            "Draw a state of a game: its boards, counters and table.",
        ),
        "playout": Target(
            "gdl.cli.commands.playout:playout_command",
            "Play random matches, written as JSON lines.",
        ),
        "perft": Target(
            "gdl.cli.perft:perft_command",
            "Count the joint-move paths of a game.",
        ),
        "diff": Target(
            "gdl.cli.commands.diff:diff_command",
            "Tell whether two rulesheets are the same game.",
        ),
        "serve-oracle": Target(
            "gdl.cli.commands.serve_oracle:serve_oracle_command",
            "Answer questions about games for other programs, as JSON lines.",
        ),
        "lsp": Target(
            "gdl.cli.commands.lsp:lsp_command",
            "Serve an editor: problems, definitions, renaming and layout.",
        ),
        "stats": Target(
            "gdl.cli.commands.stats:stats_command",
            "Show length, branching and goals of random play.",
        ),
        "scramble": Target(
            "gdl.cli.variants.scramble:scramble_command",
            "Replace the names of a game by invented words, or put them back.",
        ),
        "opening": Target(
            "gdl.cli.commands.opening:opening_command",
            "Write rules that begin after N random joint moves.",
        ),
        "bench": Target(
            "gdl.cli.commands.bench:bench_command",
            "Measure how many states a second random playouts make.",
        ),
        "coverage": Target(
            "gdl.cli.commands.coverage:coverage_command",
            "Tabulate what compiling takes, game by game.",
        ),
        "warm-up": Target(
            "gdl.cli.commands.warm_up:warm_up_command",
            "Compile in advance what all games need.",
        ),
    }
)
"""Where each command is, and what it does."""


@click.group(cls=LazyGroup, targets=COMMANDS)
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
