"""The ``ggp-player`` command: ``serve`` a player, ask for ``info``, run a ``match`` or many.

A command's module is imported only when the command is called: multiprocessing imports the main
module again in a server's worker processes, which have no use for an HTTP server.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import click

from gdl.cli.lazy_group import LazyGroup
from ggp_player.errors import GgpPlayerError

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
"""The module and the name of each command."""


@click.group(cls=LazyGroup, targets=COMMANDS, errors=(GgpPlayerError,))
@click.version_option(package_name="ggp-player")
def main() -> None:
    """Play any game whose rules come in the Game Description Language."""


if __name__ == "__main__":
    main()
