"""The command ``ggp-player manager``: a service that holds events, its tokens and names."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ggp_player.cli.archiving import archiving
from ggp_player.cli.reached import reached_at, reached_here
from ggp_player.errors import ManagerError
from ggp_player.logs import start_logging
from ggp_player.manager_service.service import ServiceConfig, players_of, run_service
from ggp_player.manager_service.storage.database import Database, default_database
from ggp_player.manager_service.storage.names import NameStore
from ggp_player.manager_service.storage.tokens import Role, TokenStore
from ggp_player.server.access import is_loopback


def run_manager(
    archive: Path | None,
    players: Path | None,
    database: str | None,
    **settings: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Hold events between players that register here, until Ctrl-C."""
    start_logging(20, "text")
    if settings["tls_key"] and not settings["tls_cert"]:
        raise click.UsageError("--tls-key needs --tls-cert")
    listed = players_of(players.read_text(encoding="utf-8")) if players else ()
    config = ServiceConfig(
        database=database or str(default_database()),
        players=listed,
        **settings,
    )
    with archiving(archive, archive is None) as events:
        asyncio.run(run_service(config, lambda port: _greet(config, port), events))


def _greet(config: ServiceConfig, port: int) -> None:
    scheme = "https" if config.tls_cert else "http"
    click.echo(f"listening  {config.host}:{port}")
    here = reached_here(config.host, port)
    local = f" (from this machine, {scheme}://{here}/)" if here else ""
    click.echo(f"page       {scheme}://{reached_at(config.host, port)}/{local}")
    if is_loopback(config.host):
        click.echo("access     this machine, without a token")
    else:
        click.echo("access     changes need a token: ggp-player manager token create NAME ROLE")


def run_create(context: click.Context, name: str, role: Role, database: str | None) -> None:
    """Make a token and print it; it is not shown again."""
    with closing(_database(context, database)) as found:
        click.echo(TokenStore(found.engine).create(name, role))


def run_list(context: click.Context, database: str | None) -> None:
    """List all tokens, without their secrets."""
    with closing(_database(context, database)) as found:
        for token in TokenStore(found.engine).list():
            click.echo(f"{token.name:<20} {token.role:<10} {'revoked' if token.revoked else ''}")


def run_revoke(context: click.Context, name: str, database: str | None) -> None:
    """Revoke a token."""
    with closing(_database(context, database)) as found:
        if not TokenStore(found.engine).revoke(name):
            raise ManagerError(f"there is no token {name} in use")


def run_list_names(context: click.Context, database: str | None) -> None:
    """List the names, and the tokens that they belong to."""
    with closing(_database(context, database)) as found:
        for one in NameStore(found.engine).list():
            click.echo(f"{one.name:<20} {one.owner}")


def run_release_name(context: click.Context, name: str, database: str | None) -> None:
    """Release a name: it is free when its registration is over, for any token to take it."""
    with closing(_database(context, database)) as found:
        if not NameStore(found.engine).release(name):
            raise ManagerError(f"the name {name} belongs to no token")


def _database(context: click.Context, given: str | None) -> Database:
    return Database(given or context.obj or str(default_database()), exclusive=False)
