"""The ``gdl`` command: check, count and play out the games that rulesheets describe.

A command's module is imported when the command is called for.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

import click

from gdl.errors import GdlError, GdlSyntaxError

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


class _Commands(click.Group):
    """A group that imports its commands one by one, and reports their errors as sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except GdlSyntaxError as error:
            # Each problem says itself where it is and that it is an error.
            click.echo(error, err=True)
            ctx.exit(1)
        except GdlError as error:
            raise click.ClickException(str(error)) from error
        except OSError as error:
            # click itself ends quietly where the reader of a pipe has gone.
            if error.errno == errno.EPIPE:
                raise
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{where}{error.strerror or error}") from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
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
