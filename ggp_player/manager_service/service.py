"""The manager's service: it puts database, scheduler, API and page together, and listens."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from aiohttp import web

from gdl.system import available_cpus, raise_open_files_limit
from ggp_player.errors import ManagerError
from ggp_player.events import EventBus
from ggp_player.manager_service.admission import Access
from ggp_player.manager_service.api import Api
from ggp_player.manager_service.clients import check_address
from ggp_player.manager_service.database import Database
from ggp_player.manager_service.openapi import openapi_document
from ggp_player.manager_service.routes import ROUTES, new_application
from ggp_player.manager_service.rules_pool import RulesPool
from ggp_player.manager_service.scheduler import Scheduler
from ggp_player.manager_service.store import Store, StoredPlayer
from ggp_player.manager_service.tokens import TokenStore
from ggp_player.server import is_loopback

THREADS = 64
"""Threads that wait for the processes of rules."""

OPEN_FILES = 4096
"""Open files for connections to players and from viewers."""

STOPPING_SECONDS = 2.0
"""How long open requests get when the service stops."""


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """Where the service listens, and what it uses. ``private``: looking needs a token, too."""

    database: str
    host: str = "127.0.0.1"
    port: int = 9148
    concurrency: int = 64
    private: bool = False
    players: tuple[StoredPlayer, ...] = ()


async def run_service(
    config: ServiceConfig, on_listening: Callable[[int], None], archive: EventBus | None = None
) -> None:
    """Run the manager until SIGTERM or SIGINT.

    Raises :class:`ManagerError` where the database or the address cannot be used.
    """
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stopped.set))
    loop.set_default_executor(ThreadPoolExecutor(THREADS, "rules"))
    raise_open_files_limit(OPEN_FILES)
    database = Database(config.database)
    rules = RulesPool(max(1, available_cpus() // 2))
    try:
        scheduler = Scheduler(Store(database.engine), rules, config.concurrency, archive)
        for player in config.players:
            scheduler.store.put_player(player)
        access = Access(is_loopback(config.host), config.private)
        document = openapi_document(ROUTES)
        api = Api(scheduler, rules, TokenStore(database.engine), access, document)
        application = new_application(api)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=STOPPING_SECONDS)
        await runner.setup()
        try:
            site = web.TCPSite(runner, config.host, config.port)
            await _listen(site, config)
            await scheduler.start()
            on_listening(runner.addresses[0][1])
            await stopped.wait()
        finally:
            scheduler.news.close()
            await scheduler.close()
            await runner.cleanup()
    finally:
        rules.close()
        database.close()


async def _listen(site: web.TCPSite, config: ServiceConfig) -> None:
    try:
        await site.start()
    except OSError as error:
        reason = error.strerror or str(error)
        raise ManagerError(f"cannot listen at {config.host}:{config.port}: {reason}") from error


def players_of(text: str) -> tuple[StoredPlayer, ...]:
    """Read a file of players: a name and an address a line, and comments after ``#``.

    Raises :class:`ManagerError` for lines that are something else.
    """
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2:
            raise ManagerError(f"line {number}: expected a name and an address; found {line!r}")
        check_address(words[1])
        found.append(StoredPlayer(words[0], words[1]))
    return tuple(found)
