"""The command line of ``ggp-player manager``."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

import click

from gdl.cli.arguments import runs

ROLES = ("spectator", "player", "organiser", "admin")
"""What a token lets its holder do, from least to most."""

DATABASE_VARIABLE = "GGP_MANAGER_DATABASE"
"""The environment variable that names the database."""


_DATABASE = click.option(
    "--database",
    metavar="FILE|URL",
    envvar=DATABASE_VARIABLE,
    help="A SQLite file, or postgresql://...  [default: a file in the user's data folder]",
)


def _networks(given: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(map(ip_network, given))
    except ValueError as error:
        raise click.BadParameter(f"expected a network, such as 192.0.2.0/24: {error}") from error


@click.group("manager", invoke_without_command=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9148,
    show_default=True,
    help="The port to listen at; 0 takes any free one.",
)
@_DATABASE
@click.option(
    "--archive",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the matches to this archive, too, for `ggp-player matches`.",
)
@click.option(
    "--players",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with a name and an address on each line, of players to add.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1000),
    default=64,
    show_default=True,
    help="The most matches at a time.",
)
@click.option(
    "--allow-addresses",
    "networks",
    multiple=True,
    metavar="NETWORK",
    callback=lambda _context, _option, given: _networks(given),
    help="Where a token of the role player may register players, such as 192.0.2.0/24, besides "
    "where its holder is. May be given again.",
)
@click.option("--private", is_flag=True, help="Looking needs a token, too.")
@click.pass_context
def manager_command(context: click.Context, /, **options: Any) -> None:  # noqa: ANN401
    """Hold events between players that register here, until Ctrl-C.

    The API is described at /api/openapi.json, and / is a page for people. Requests that change
    something need a token, except on this machine while nobody else is let in.
    """
    context.obj = options["database"]
    if context.invoked_subcommand is None:
        from ggp_player.cli.managing.manager import run_manager

        run_manager(**options)


@manager_command.group("token")
@click.pass_context
def token_group(context: click.Context) -> None:
    """Make, list and revoke tokens; also while the manager runs."""


@token_group.command("create")
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.managing.manager:run_create")
def create_command() -> None:
    """Make a token and print it; it is not shown again."""


@token_group.command("list")
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.managing.manager:run_list")
def list_command() -> None:
    """List all tokens, without their secrets."""


@token_group.command("revoke")
@click.argument("name")
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.managing.manager:run_revoke")
def revoke_command() -> None:
    """Revoke a token."""


@manager_command.group("name")
@click.pass_context
def name_group(context: click.Context) -> None:
    """List and release names of players, which belong to tokens; also while the manager runs."""


@name_group.command("list")
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.managing.manager:run_list_names")
def list_names_command() -> None:
    """List the names, and the tokens that they belong to."""


@name_group.command("release")
@click.argument("name")
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.managing.manager:run_release_name")
def release_name_command() -> None:
    """Release a name: it is free when its registration is over, for any token to take it."""
