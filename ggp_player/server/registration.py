"""Announces a player to a manager, renews that, and withdraws it at the end.

A manager that is away is tried again, and one that has forgotten the player is told anew: each
announcement has all there is to know. None of this touches the player, who plays for others too.
"""

from __future__ import annotations

import asyncio
import logging
import platform
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import aiohttp

from gdl.version import __version__
from ggp_player.protocol import SYNTAXES, Dialect
from ggp_player.server.config import Config

LIFETIME = 60
"""Seconds for which the manager keeps a registration that is not renewed."""

RENEWAL_SECONDS = 20.0
"""Seconds between two announcements."""

ANSWER_SECONDS = 10.0
"""How long the manager may take to answer, which it does when it has asked the player INFO."""

WITHDRAWAL_SECONDS = 1.0
"""How long withdrawing may take: the server is about to end."""

DIALECTS = tuple(str(one) for one in SYNTAXES if one is not Dialect.STANFORD_POLLING)
"""The dialects of the protocol that the server answers; in the last one players ask."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is sent to a manager: its address, the name, the headers, and the body."""

    url: str
    headers: Mapping[str, str]
    body: Mapping[str, object]

    @classmethod
    def of(cls, config: Config, port: int) -> Announcement:
        """Return what announces a player that listens at a port."""
        path = f"/{config.token}" if config.token else "/"
        address = config.register_address
        if not address and config.host not in {"0.0.0.0", "::", "127.0.0.1", "localhost"}:
            host = f"[{config.host}]" if ":" in config.host else config.host
            address = f"{host}:{port}{path if config.token else ''}"
        where: dict[str, object] = {"address": address} if address else {"port": port, "path": path}
        versions = {"ggp_player": __version__, "python": platform.python_version()}
        token = config.register_token
        name = re.sub("[^A-Za-z0-9_-]", "_", config.name)
        return cls(
            f"{config.register_at.rstrip('/')}/api/players/{name}",
            {"Authorization": f"Bearer {token}"} if token else {},
            {**where, "dialects": DIALECTS, "versions": versions, "lifetime": LIFETIME},
        )


@asynccontextmanager
async def registered(config: Config, port: int) -> AsyncIterator[None]:
    """Have a player registered while the context is open, if the settings name a manager."""
    if not config.register_at:
        yield
        return
    announcement = Announcement.of(config, port)
    timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
    async with aiohttp.ClientSession(headers=announcement.headers, timeout=timeout) as session:
        task = asyncio.create_task(_announce(session, announcement))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            await _withdraw(session, announcement)


async def _announce(session: aiohttp.ClientSession, announcement: Announcement) -> None:
    """Announce the player again and again; say when it begins to work, and when it ceases."""
    said: str | None = None
    while True:
        found = await _announce_once(session, announcement)
        if found != said:
            log = _log.warning if found else _log.info
            log("registration at %s: %s", announcement.url, found or "done")
            said = found
        await asyncio.sleep(RENEWAL_SECONDS)


async def _announce_once(session: aiohttp.ClientSession, announcement: Announcement) -> str:
    """Announce the player; return why that did not work, nothing where it did."""
    try:
        async with session.put(announcement.url, json=announcement.body) as answer:
            if answer.status < 400:
                return ""
            return f"status {answer.status}: {(await answer.text())[:500]}"
    except TimeoutError:
        return f"no answer in {ANSWER_SECONDS:g} s"
    except aiohttp.ClientError as error:
        return str(error)


async def _withdraw(session: aiohttp.ClientSession, announcement: Announcement) -> None:
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(WITHDRAWAL_SECONDS), session.delete(announcement.url):
            _log.info("withdrawn from %s", announcement.url)
