"""The command ``ggp-player info``: the name and the status of a player server."""

from __future__ import annotations

import asyncio

import click

from ggp_player.errors import ProtocolError, ServerError
from ggp_player.manager.players import SENT_DIALECTS, RemotePlayer
from ggp_player.protocol import SYNTAXES, Dialect, Info, InfoReply, Syntax

TIME_LIMIT = 5.0
"""Seconds in which a player server must reply."""

STATUS_WORDS = frozenset({"available", "busy", "ready"})
"""What the status of a player is, which may also come alone, without a list of keys and values."""

_SHOWN = 40
"""Characters shown of a reply that no player gives."""


def run_info(address: str) -> None:
    """Ask a player server for its name, and whether it is free."""
    player = RemotePlayer.named(address)
    if player is None:
        expected = "host:port, such as localhost:9147"
        if "#" in address:
            expected = f"host:port#DIALECT, with a dialect of {', '.join(SENT_DIALECTS)}"
        raise click.BadParameter(f"expected {expected}; found {address}")
    try:
        reply = asyncio.run(_ask_for_info(player))
    except ServerError as error:
        raise click.ClickException(f"no GGP player at {address}: {error}") from error
    for key in ("name", "status", "species"):
        click.echo(f"{key:<11}{getattr(reply, key) or '-'}")


async def _ask_for_info(player: RemotePlayer) -> InfoReply:
    syntax = _syntax_of_info(player.dialect)
    try:
        text = await asyncio.wait_for(player.send(syntax.format_request(Info())), TIME_LIMIT)
    except TimeoutError as error:
        raise ServerError(
            f"the connection is open, but no reply came in {TIME_LIMIT:g} s"
        ) from error
    try:
        reply = syntax.parse_info_reply(text)
    except ProtocolError:
        reply = InfoReply()
    if not _is_players(text, reply):
        raise ServerError(f"something else replied to INFO: {_beginning(text)}")
    return reply


def _syntax_of_info(dialect: Dialect) -> Syntax:
    """How a dialect asks for the status; A where it has no message for that."""
    own = SYNTAXES[dialect]
    return own if Info in own.messages else SYNTAXES[Dialect.GGP_BASE]


def _is_players(text: str, reply: InfoReply) -> bool:
    """Check that a text is what a player replies: a web page has words in it, too."""
    if not text.lstrip().startswith(("(", "info(")):
        return text.strip().lower() in STATUS_WORDS
    return bool(reply.name or reply.species or reply.status.lower() in STATUS_WORDS)


def _beginning(text: str) -> str:
    """The beginning of a stranger's text, in one line without control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _SHOWN]).split())
    return f"{line[:_SHOWN]}..." if len(line) > _SHOWN else line or "an empty text"
