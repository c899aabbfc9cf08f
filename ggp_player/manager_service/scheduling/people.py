"""People as players: each is asked on a page, which a process of its own serves.

The rules of a match reach that process only, so what they cost is bounded there. It listens at a
socket in a folder that is ours alone; :mod:`ggp_player.manager_service.web.people_pages` lets the
person through to it. Somebody is here as long as the page is open.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import aiohttp

from gdl.system.helper_process import helper_command
from ggp_player.async_helper import AsyncHelper
from ggp_player.errors import ServerError
from ggp_player.manager.players import MAX_REPLY
from ggp_player.play import person_server

READY_SECONDS = 20.0
"""How long the process of a person may take to start."""

MAX_PEOPLE = 50
"""People who have a process at a time."""


class Person:
    """One person, who is a player of the game manager's, too.

    ``viewers`` counts the open pages, ``socket`` is where the process listens.
    """

    is_human = True

    def __init__(self, name: str, socket: Path) -> None:
        self.name = name
        self.socket = socket
        self.viewers = 0
        command = helper_command(person_server.main, str(socket), name, base_of(name))
        self.helper = AsyncHelper(command, stdin=DEVNULL)
        self._starting = asyncio.Lock()

    @property
    def is_here(self) -> bool:
        """Whether the page is open."""
        return self.viewers > 0

    async def start(self) -> None:
        """Start the process where there is none. Raises :class:`ServerError` where it fails."""
        async with self._starting:
            if self.helper.is_alive:
                return
            self.socket.unlink(missing_ok=True)
            line = b""
            with suppress(TimeoutError, ConnectionError):
                line = await self.helper.ask(b"", READY_SECONDS)
            if line != person_server.READY_LINE:
                await self.helper.close()
                raise ServerError(f"the page of {self.name} cannot be served")

    async def show_rulesheet(self, text: str) -> None:
        """Have the page of the next match show its rulesheet as the author wrote it.

        Where that fails the page shows the rules of START.
        """
        with suppress(ServerError, aiohttp.ClientError, OSError):
            await self.start()
            async with asyncio.timeout(READY_SECONDS), self.session() as session:
                await session.post("/rulesheet", data=text.encode())

    async def send(self, text: str) -> str:
        """Return the reply to a request, which comes when the person has chosen."""
        await self.start()
        try:
            async with self.session() as session, session.post("/", data=text.encode()) as reply:
                body = await reply.content.readexactly(MAX_REPLY)
        except asyncio.IncompleteReadError as whole:
            body = whole.partial
        except (aiohttp.ClientError, OSError) as error:
            raise ServerError(f"the page of {self.name} has failed") from error
        return body.decode(errors="replace")

    async def close(self) -> None:
        """End the process, also one that is just being started."""
        async with self._starting:
            await self.helper.close()

    def session(self) -> aiohttp.ClientSession:
        """Return a client whose requests go to the process."""
        return aiohttp.ClientSession(
            base_url="http://person/",
            connector=aiohttp.UnixConnector(str(self.socket)),
            timeout=aiohttp.ClientTimeout(total=None),
            auto_decompress=False,
            skip_auto_headers=("User-Agent",),
        )


class People:
    """All people by name; they are told to ``on_change`` when one has come or gone."""

    def __init__(self) -> None:
        self.on_change: Callable[[str], object] = lambda name: None
        self._people: dict[str, Person] = {}
        self._folder: Path | None = None
        self._count = 0

    def of(self, name: str) -> Person:
        """Return the person of a name, who is not here yet where nobody had that name."""
        if name not in self._people:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="ggp-people-"))
            self._count += 1
            self._people[name] = Person(name, self._folder / f"{self._count}.sock")
        return self._people[name]

    def is_here(self, name: str) -> bool:
        """Whether the page of a person is open."""
        return name in self._people and self._people[name].is_here

    @contextmanager
    def viewing(self, name: str) -> Iterator[Person]:
        """Note that the page of a person is open."""
        person = self.of(name)
        person.viewers += 1
        self.on_change(name)
        try:
            yield person
        finally:
            person.viewers -= 1
            self.on_change(name)

    async def start(self, name: str) -> Person:
        """Return a person whose process has started. Raises :class:`ServerError`."""
        person = self.of(name)
        if not person.helper.is_alive and self._processes() >= MAX_PEOPLE:
            raise ServerError(f"there are {MAX_PEOPLE} people here already, which is the most")
        await person.start()
        return person

    async def forget(self, name: str) -> None:
        """End the process of somebody who is no player any more."""
        person = self._people.pop(name, None)
        if person is not None:
            await person.close()

    async def close(self) -> None:
        """End all processes."""
        for name in list(self._people):
            await self.forget(name)
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    def _processes(self) -> int:
        return sum(person.helper.is_alive for person in self._people.values())


def base_of(name: str) -> str:
    """Return the URL prefix of a person's page."""
    return f"/people/{name}"
