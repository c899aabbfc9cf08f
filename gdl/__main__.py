"""The ``gdl`` command: check, count and play out the games that rulesheets describe."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import click

from gdl.cli.lazy_group import LazyGroup

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "check": "gdl.cli.check:check_command",
        "format": "gdl.cli.format:format_command",
        "convert": "gdl.cli.convert:convert_command",
        "show": "gdl.cli.show:show_command",
        "playout": "gdl.cli.playout:playout_command",
        "perft": "gdl.cli.perft:perft_command",
        "stats": "gdl.cli.stats:stats_command",
        "scramble": "gdl.cli.scramble:scramble_command",
        "bench": "gdl.cli.bench:bench_command",
        "warm-up": "gdl.cli.warm_up:warm_up_command",
    }
)
"""Where each command is: the module and the name in it."""


@click.group(cls=LazyGroup, targets=COMMANDS)
@click.version_option(package_name="ggp-player")
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
