"""The command line of ``ggp-player serve``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from gdl.cli.arguments import runs
from ggp_player.server.config import Config

NO_ARCHIVE = "no_archive"
"""The only setting whose flag takes no value, as with the other commands."""


FLAGS = {"poll_as": "--as", "register_at": "--register"}
"""The flags that are not called as their settings."""


_Command = TypeVar("_Command", bound=Callable[..., object])


def config_options(command: _Command) -> _Command:
    """Give a command a flag for a file of settings, and one for every setting of a server.

    What was not given is None.
    """
    for name, field in reversed(Config.model_fields.items()):
        is_list = isinstance(field.default, tuple)
        has_default = field.default not in (None, (), "")
        default = f"  [default: {field.default}]" if has_default else ""
        text = f"{field.description}{default}{'; may be repeated' if is_list else ''}"
        flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
        if name == NO_ARCHIVE:
            option = click.option(flag, name, flag_value="true", help=text)
        else:
            option = click.option(flag, name, metavar=name.upper(), help=text, multiple=is_list)
        command = option(command)
    return click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="a TOML file with any of the settings below, such as: port = 9148",
    )(command)


@click.command("serve")
@config_options
@runs("ggp_player.cli.serve:run_serve")
def serve_command() -> None:
    """Answer game managers over HTTP until Ctrl-C.

    Every setting below can also stand in the --config file, with _ for -, or in the environment,
    as GGP_PLAYER_PORT and so on. Flags come first, then the environment, then the file.
    """
