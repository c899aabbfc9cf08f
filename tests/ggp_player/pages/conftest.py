"""A player that is served with its pages, and what talks to it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from ggp_player.archive.writer import ArchiveWriter
from ggp_player.events import EventBus
from ggp_player.server.config import Config
from ggp_player.server.player import Player
from tests.support.paths import GAMES
from tests.support.serving import pushed
from tests.support.serving import served as serve_player

TIC_TAC_TOE = (GAMES / "ticTacToe.kif").read_text()

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


class Served:
    """A player at a port, with an archive; ``session`` is a browser without scripts."""

    def __init__(self, player: Player, port: int, session: aiohttp.ClientSession) -> None:
        self.player = player
        self.port = port
        self.session = session

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def get(
        self, path: str, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], str]:
        async with self.session.get(self.url(path), headers=headers or HTML) as response:
            return response.status, dict(response.headers), await response.text()

    async def json(self, path: str) -> Any:
        status, _, text = await self.get(path)
        assert status == 200, text
        return json.loads(text)

    async def send(self, message: str) -> str:
        async with self.session.post(self.url("/"), data=message.encode()) as response:
            return await response.text()

    async def matches(self) -> list[dict[str, Any]]:
        """The list of matches as the front page is told it."""
        async with self.events("/events") as messages:
            found: list[dict[str, Any]] = (await anext(messages))["matches"]
            return found

    @asynccontextmanager
    async def events(self, path: str) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
        """The messages of an event stream, while it is entered."""
        async with self.session.get(self.url(path)) as response:
            assert response.status == 200, await response.text()
            yield pushed(response)


@asynccontextmanager
async def serving_pages(folder: Path, **settings: object) -> AsyncIterator[Served]:
    """Serve a player of some settings, with its archive in the folder, at a free port."""
    archive = folder / "matches.sqlite"
    config = Config.model_validate({"strategy": "legal", "archive": archive, **settings})
    bus = EventBus()
    with ArchiveWriter(archive, bus):
        async with (
            Player(config, events=bus) as player,
            aiohttp.ClientSession() as session,
            serve_player(player) as port,
        ):
            yield Served(player, port, session)


@pytest.fixture
def serve(tmp_path: Path) -> Callable[..., Any]:
    """What serves a player of some settings."""
    return partial(serving_pages, tmp_path)


@pytest.fixture
async def served(serve: Callable[..., Any]) -> AsyncIterator[Served]:
    """A player that makes the first legal move."""
    async with serve() as found:
        yield found


async def wait_until(holds: Callable[[], Awaitable[object]], limit: float = 20) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(limit):
        while not await holds():
            pass


@pytest.fixture
def until() -> Callable[[Callable[[], Awaitable[object]]], Awaitable[None]]:
    """What waits until something holds."""
    return wait_until


async def played(served: Served, until: Any) -> str:
    """Play a match that goes into the archive; return the token of its page."""
    assert await served.send(f"( START m.1 cross ( {TIC_TAC_TOE} ) 5 5 )") == "ready"
    move = await served.send("( PLAY m.1 NIL )")
    assert await served.send(f"( STOP m.1 ( {move} noop ) )") == "done"

    async def is_archived() -> bool:
        status, _, text = await served.get("/archive/1")
        return status == 200 and "<dd>completed" in text

    await until(is_archived)
    _, _, page = await served.get("/archive/1")
    token = re.search('data-token="([^"]+)"', page)
    assert token is not None
    return token[1]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def archived(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[Served, str]]:
    """A player of a module, with a match in its archive, and the token of that one's page."""
    async with serving_pages(tmp_path_factory.mktemp("archive")) as served:
        yield served, await played(served, wait_until)
