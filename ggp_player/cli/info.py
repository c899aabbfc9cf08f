"""The command ``ggp-player info``: the name and the status of a player server."""

from __future__ import annotations

import asyncio

import click

from ggp_player.errors import ProtocolError, ServerError
from ggp_player.manager import RemotePlayer
from ggp_player.protocol import Info, InfoReply, format_request, parse_info_reply

TIME_LIMIT = 5.0
"""Seconds in which a player server must reply."""


@click.command("info")
@click.argument("address", metavar="HOST:PORT")
def info_command(address: str) -> None:
    """Ask a player server for its name, and whether it is free."""
    player = RemotePlayer.at(address)
    if player is None:
        raise click.BadParameter(f"expected host:port, such as localhost:9147; found {address}")
    try:
        reply = asyncio.run(_ask_for_info(player))
    except (ServerError, ProtocolError) as error:
        raise click.ClickException(f"no information from {address}: {error}") from error
    for key in ("name", "status", "species"):
        click.echo(f"{key:<11}{getattr(reply, key) or '-'}")


async def _ask_for_info(player: RemotePlayer) -> InfoReply:
    try:
        text = await asyncio.wait_for(player.send(format_request(Info())), TIME_LIMIT)
    except TimeoutError as error:
        raise ServerError(f"no reply in {TIME_LIMIT:g} s") from error
    return parse_info_reply(text)
