"""The commands ``ggp-player manager event``: they ask a manager that runs by its API."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import aiohttp
import click

from ggp_player.errors import ManagerError

TOKEN_VARIABLE = "GGP_MANAGER_TOKEN"
"""The environment variable with the token; no option has it, as others see command lines."""

ANSWER_SECONDS = 60.0
"""How long the manager may take: it reads the rules of new games."""


def run_create(
    kind: str,
    planned: bool,
    address: str,
    token_file: Path | None,
    **values: Any,  # noqa: ANN401
) -> None:
    """Make an event, and print its number."""
    sent = {key: value for key, value in values.items() if value is not None}
    event = _asked(address, token_file, "POST", "", {**sent, "format": kind, "start": not planned})
    click.echo(event["id"])


def run_list(address: str, token_file: Path | None) -> None:
    """List events."""
    for event in _asked(address, token_file, "GET"):
        counts = event["matches"]
        over, total = counts.get("completed", 0) + counts.get("failed", 0), sum(counts.values())
        click.echo(
            f"{event['id']:>4} {event['status']:<10} {over:>6} of {total:<6} {event['name']}"
        )


def run_change(context: click.Context, number: int, address: str, token_file: Path | None) -> None:
    """Start, pause or cancel an event: the API calls it as the command is called."""
    event = _asked(address, token_file, "POST", f"/{number}/{context.info_name}")
    click.echo(event["status"])


def run_withdraw(number: int, player: str, address: str, token_file: Path | None) -> None:
    """Withdraw a player from an event."""
    _asked(address, token_file, "POST", f"/{number}/withdraw", {"player": player})
    click.echo(f"{player} is withdrawn")


def _asked(
    address: str, token_file: Path | None, method: str, path: str = "", sent: object = None
) -> Any:  # noqa: ANN401 - JSON
    token = token_file.read_text("utf-8") if token_file else os.environ.get(TOKEN_VARIABLE, "")
    headers = {"Authorization": f"Bearer {token.strip()}"} if token.strip() else {}
    url = f"{address.rstrip('/')}/api/events{path}"
    return asyncio.run(_answer(method, url, sent, headers))


async def _answer(method: str, url: str, sent: object, headers: dict[str, str]) -> Any:  # noqa: ANN401
    """Return the JSON of an answer. Raises :class:`ManagerError` where it is an error."""
    timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
    try:
        async with (
            aiohttp.ClientSession(headers=headers, timeout=timeout) as session,
            session.request(method, url, json=sent) as answer,
        ):
            found = await answer.json()
    except TimeoutError as error:
        raise ManagerError(f"{url} has not answered for {ANSWER_SECONDS:g} s") from error
    except (aiohttp.ClientError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or error
        raise ManagerError(f"no manager answers at {url}: {reason}") from error
    if answer.status < 400:
        return found
    problem = found["error"]
    where = f"{problem['where']}: " if problem["where"] else ""
    expected = f"; expected {problem['expected']}" if problem["expected"] else ""
    raise ManagerError(f"{where}{problem['what']}{expected}")
