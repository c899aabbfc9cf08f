"""The command ``ggp-player manager``: a service that holds events, and its tokens."""

from __future__ import annotations

import asyncio
from contextlib import closing
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import click

from ggp_player.cli.archiving import archiving
from ggp_player.errors import ManagerError
from ggp_player.logs import start_logging
from ggp_player.manager_service.service import ServiceConfig, players_of, run_service
from ggp_player.manager_service.storage.database import Database, default_database
from ggp_player.manager_service.storage.tokens import ROLES, Role, TokenStore
from ggp_player.manager_service.web.admission import Network
from ggp_player.server import is_loopback

DATABASE_VARIABLE = "GGP_MANAGER_DATABASE"
"""The environment variable that names the database."""

_DATABASE = click.option(
    "--database",
    metavar="FILE|URL",
    envvar=DATABASE_VARIABLE,
    help="A SQLite file, or postgresql://...  [default: a file in the user's data folder]",
)


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
def manager_command(
    context: click.Context,
    /,
    archive: Path | None,
    players: Path | None,
    database: str | None,
    **settings: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Hold events between players that register here, until Ctrl-C.

    The API is described at /api/openapi.json, and / is a page for people. Requests that change
    something need a token, except on this machine while nobody else is let in.
    """
    context.obj = database
    if context.invoked_subcommand is not None:
        return
    start_logging(20, "text")
    listed = players_of(players.read_text(encoding="utf-8")) if players else ()
    config = ServiceConfig(
        database=database or str(default_database()),
        players=listed,
        **settings,
    )
    with archiving(archive, archive is None) as events:
        asyncio.run(run_service(config, lambda port: _greet(config, port), events))


def _networks(given: tuple[str, ...]) -> tuple[Network, ...]:
    try:
        return tuple(map(ip_network, given))
    except ValueError as error:
        raise click.BadParameter(f"expected a network, such as 192.0.2.0/24: {error}") from error


def _greet(config: ServiceConfig, port: int) -> None:
    click.echo(f"listening  {config.host}:{port}")
    click.echo(f"page       http://{config.host}:{port}/")
    if is_loopback(config.host):
        click.echo("access     this machine, without a token")
    else:
        click.echo("access     changes need a token: ggp-player manager token create NAME ROLE")


@manager_command.group("token")
@click.pass_context
def token_group(context: click.Context) -> None:
    """Make, list and revoke tokens; also while the manager runs."""


@token_group.command("create")
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@_DATABASE
@click.pass_context
def create_command(context: click.Context, name: str, role: Role, database: str | None) -> None:
    """Make a token and print it; it is not shown again."""
    with closing(_database(context, database)) as found:
        click.echo(TokenStore(found.engine).create(name, role))


@token_group.command("list")
@_DATABASE
@click.pass_context
def list_command(context: click.Context, database: str | None) -> None:
    """List all tokens, without their secrets."""
    with closing(_database(context, database)) as found:
        for token in TokenStore(found.engine).list():
            click.echo(f"{token.name:<20} {token.role:<10} {'revoked' if token.revoked else ''}")


@token_group.command("revoke")
@click.argument("name")
@_DATABASE
@click.pass_context
def revoke_command(context: click.Context, name: str, database: str | None) -> None:
    """Revoke a token."""
    with closing(_database(context, database)) as found:
        if not TokenStore(found.engine).revoke(name):
            raise ManagerError(f"there is no token {name} in use")


def _database(context: click.Context, given: str | None) -> Database:
    return Database(given or context.obj or str(default_database()), exclusive=False)
