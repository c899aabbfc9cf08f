"""The ``ggp-player`` command: ``serve`` a player, ask for ``info``, run a ``match`` or many.

A command's module is imported when the command is called for. A server's worker processes import
the main module again, as multiprocessing has it, and have no use for an HTTP server.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

import click

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "serve": "ggp_player.cli.serve:serve_command",
        "info": "ggp_player.cli.info:info_command",
        "match": "ggp_player.cli.match:match_command",
        "analyze": "ggp_player.cli.analyze:analyze_command",
        "bench": "ggp_player.cli.bench:bench_command",
        "tournament": "ggp_player.cli.tournament:tournament_command",
        "warm-up": "ggp_player.cli.warm_up:warm_up_command",
    }
)
"""Where each command is: the module and the name in it."""


class _Commands(click.Group):
    """A group whose commands are imported one by one, when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ggp-player")
def main() -> None:
    """Play any game whose rules come in the Game Description Language."""


if __name__ == "__main__":
    main()
