"""The manager's service: it puts database, scheduler, API and page together, and listens."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from gdl.system import available_cpus, return_large_blocks
from ggp_player.clock import WallClock, wall_clock
from ggp_player.errors import ManagerError
from ggp_player.events import EventBus
from ggp_player.front.front import FrontSite
from ggp_player.manager_service.rules.rules_pool import RulesPool
from ggp_player.manager_service.scheduling.clients import check_address
from ggp_player.manager_service.scheduling.scheduler import Scheduler
from ggp_player.manager_service.storage.database import Database
from ggp_player.manager_service.storage.invitations import InvitationStore
from ggp_player.manager_service.storage.names import NameStore
from ggp_player.manager_service.storage.store import NAME, NAME_RULE, Store, StoredPlayer
from ggp_player.manager_service.storage.tokens import TokenStore
from ggp_player.manager_service.web.admission import AccessPolicy, Network
from ggp_player.manager_service.web.api import Api
from ggp_player.manager_service.web.listening import new_runner, new_site, tls_context
from ggp_player.manager_service.web.openapi import openapi_document
from ggp_player.manager_service.web.routes import ROUTES, new_application
from ggp_player.server.access import is_loopback

THREADS = 64
"""Threads that wait for the processes of rules."""

SWITCH_SECONDS = 0.001
"""How soon a thread that works gives way to the one that takes the time of replies."""


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """Where the service listens, and what it uses. ``private``: looking needs a token, too.

    ``networks``: where those who have a token of the role player may register players, besides
    where they are. With ``tls_cert`` connections are encrypted; its key may be in another file.
    """

    database: str
    host: str = "127.0.0.1"
    port: int = 9148
    concurrency: int = 64
    private: bool = False
    networks: tuple[Network, ...] = ()
    players: tuple[StoredPlayer, ...] = ()
    tls_cert: Path | None = None
    tls_key: Path | None = None


@dataclass(frozen=True, slots=True)
class OpenService:
    """A service that listens at a port."""

    port: int
    scheduler: Scheduler
    tokens: TokenStore


@asynccontextmanager
async def open_service(
    config: ServiceConfig, archive: EventBus | None = None, now: WallClock = wall_clock
) -> AsyncIterator[OpenService]:
    """Run the manager while the context is open; then matches under way are aborted.

    Raises :class:`ManagerError` where the database or the address cannot be used.
    """
    asyncio.get_running_loop().set_default_executor(started_threads(THREADS))
    return_large_blocks()
    async with AsyncExitStack() as stack:
        database = stack.enter_context(closing(Database(config.database)))
        rules = stack.enter_context(closing(RulesPool(max(1, available_cpus() // 2))))
        store = Store(database.engine, now)
        scheduler = Scheduler(store, rules, config.concurrency, archive, now)
        for player in config.players:
            store.put_player(player)
        tokens = TokenStore(database.engine)
        access = AccessPolicy(is_loopback(config.host), config.private, config.networks)
        names = NameStore(database.engine)
        invitations = InvitationStore(database.engine)
        document = openapi_document(ROUTES)
        api = Api(scheduler, rules, tokens, names, invitations, access, document)
        runner = new_runner(new_application(api))
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        tls = tls_context(config.tls_cert, config.tls_key) if config.tls_cert else None
        site = new_site(runner, (config.host, config.port), config.concurrency, tls)
        await _listen(site, config)
        stack.push_async_callback(scheduler.close)
        await scheduler.start()
        yield OpenService(site.port, scheduler, tokens)


async def run_service(
    config: ServiceConfig, on_listening: Callable[[int], None], archive: EventBus | None = None
) -> None:
    """Run the manager until SIGTERM or SIGINT."""
    sys.setswitchinterval(SWITCH_SECONDS)
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stopped.set))
    async with open_service(config, archive) as service:
        on_listening(service.port)
        await stopped.wait()


def started_threads(number: int) -> ThreadPoolExecutor:
    """Return an executor whose threads all run already.

    The event loop would wait for ever for one that is started when there is no memory for it.
    """
    executor = ThreadPoolExecutor(number, "rules")
    all_run = threading.Barrier(number)
    for running in [executor.submit(all_run.wait) for _ in range(number)]:
        running.result()
    return executor


async def _listen(site: FrontSite, config: ServiceConfig) -> None:
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
        if not NAME.fullmatch(words[0]):
            raise ManagerError(f"line {number}: expected a name of {NAME_RULE}; found {words[0]!r}")
        check_address(words[1])
        found.append(StoredPlayer(words[0], words[1]))
    return tuple(found)
