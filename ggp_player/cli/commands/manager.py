"""The command line of ``ggp-player manager``."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any

import click

from gdl.cli.arguments import options, runs
from ggp_player.cli.commands.arguments import clock_option

ROLES = ("spectator", "player", "organiser", "admin")
"""What a token lets its holder do, from least to most."""

FORMATS = ("round_robin", "swiss", "knockout", "ladder", "single", "sequential_test")
"""Which matches an event consists of."""

ADDRESS_VARIABLE = "GGP_MANAGER"
"""The environment variable that has the address of a manager."""

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
@click.option("--host", default="127.0.0.1", help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9148,
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
@click.option(
    "--tls-cert",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Encrypt connections with this certificate, a file in PEM.",
)
@click.option(
    "--tls-key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The certificate's key, where the file of the certificate does not have it.",
)
@click.option("--private", is_flag=True, help="Looking needs a token, too.")
@click.pass_context
def manager_command(context: click.Context, /, **given: Any) -> None:  # noqa: ANN401
    """Hold events between players that register here, until Ctrl-C.

    The API is described at /api/openapi.json, and / is a page for people. Requests that change
    something need a token, except on this machine while nobody else is let in.
    """
    context.obj = given["database"]
    if context.invoked_subcommand is None:
        from ggp_player.cli.manager import run_manager

        run_manager(**given)


@manager_command.group("token")
@click.pass_context
def token_group(context: click.Context) -> None:
    """Make, list and revoke tokens; also while the manager runs."""


@token_group.command("create")
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.manager:run_create")
def create_command() -> None:
    """Make a token and print it; it is not shown again."""


@token_group.command("list")
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.manager:run_list")
def list_command() -> None:
    """List all tokens, without their secrets."""


@token_group.command("revoke")
@click.argument("name")
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.manager:run_revoke")
def revoke_command() -> None:
    """Revoke a token."""


@manager_command.group("name")
@click.pass_context
def name_group(context: click.Context) -> None:
    """List and release names of players, which belong to tokens; also while the manager runs."""


@name_group.command("list")
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.manager:run_list_names")
def list_names_command() -> None:
    """List the names, and the tokens that they belong to."""


@name_group.command("release")
@click.argument("name")
@_DATABASE
@click.pass_context
@runs("ggp_player.cli.manager:run_release_name")
def release_name_command() -> None:
    """Release a name: it is free when its registration is over, for any token to take it."""


_asks_a_manager = options(
    click.option(
        "--manager",
        "address",
        envvar=ADDRESS_VARIABLE,
        default="http://127.0.0.1:9148",
        metavar="URL",
        help="The manager to ask.",
    ),
    click.option(
        "--token-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A file with an organiser's token; or set GGP_MANAGER_TOKEN. On the manager's own "
        "machine none may be needed.",
    ),
)
"""Which manager is asked, and with which token."""


@manager_command.group("event")
def event_group() -> None:
    """Make, list, start, pause and cancel events of a manager that runs."""


@event_group.command("create")
@click.argument("name")
@click.option(
    "--format", "kind", type=click.Choice(FORMATS), default="round_robin", help="Who meets whom."
)
@click.option(
    "--game", "games", multiple=True, required=True, help="A game by its name; again for others."
)
@click.option("--player", "players", multiple=True, help="A registered player; again for others.")
@click.option(
    "--rounds", type=click.IntRange(0, 10_000), help="How many; 0 for a ladder without an end."
)
@clock_option("--start-clock", 30, "Whole seconds for thinking before the first move.")
@clock_option("--play-clock", 15, "Whole seconds for each move.")
@click.option("--seed", help="Of chance; random unless given.")
@click.option("--scramble", is_flag=True, help="Replace the words of the rules.")
@click.option("--max-steps", type=click.IntRange(1), default=1000, help="Break off longer matches.")
@click.option(
    "--spectator-delay",
    type=click.IntRange(0),
    default=0,
    help="Seconds after which spectators are shown a move.",
)
@click.option("--elo0", type=float, default=0.0, help="Of a sequential test: no advantage, in Elo.")
@click.option(
    "--elo1", type=float, default=20.0, help="Of a sequential test: an advantage, in Elo."
)
@click.option("--planned", is_flag=True, help="Do not begin yet: `event start` does.")
@_asks_a_manager
@runs("ggp_player.cli.events:run_create")
def create_event_command() -> None:
    """Make an event, and print its number."""


@event_group.command("list")
@_asks_a_manager
@runs("ggp_player.cli.events:run_list")
def list_events_command() -> None:
    """List events: number, status, matches that are over and in all, name."""


for _name, _help in (
    ("start", "Begin an event that is planned, or go on with one that is paused."),
    ("pause", "Begin no further match of an event; those under way are played to their ends."),
    ("cancel", "End an event; its matches under way are played to their ends."),
):

    @event_group.command(_name, help=_help)
    @click.argument("number", type=click.IntRange(1))
    @_asks_a_manager
    @click.pass_context
    @runs("ggp_player.cli.events:run_change")
    def change_event_command() -> None:
        """Change the status of an event."""


@event_group.command("withdraw")
@click.argument("number", type=click.IntRange(1))
@click.argument("player")
@_asks_a_manager
@runs("ggp_player.cli.events:run_withdraw")
def withdraw_command() -> None:
    """Have a player meet nobody any more in an event."""
