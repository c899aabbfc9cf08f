"""A manager's service in this process, and what asks it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from ggp_player.manager_service.service import OpenService, ServiceConfig, open_service
from tests.support.stub_players import StubPlayer, listen, port_of

CLOCKS = {"start_clock": 1, "play_clock": 1}


@dataclass
class Asker:
    """Makes requests of the API; ``token`` goes with them."""

    service: OpenService
    session: aiohttp.ClientSession
    token: str = ""

    async def ask(
        self, method: str, path: str, sent: object = None, **headers: str
    ) -> tuple[int, Any]:
        """Return the status and the JSON of the answer."""
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        url = f"http://127.0.0.1:{self.service.port}{path}"
        async with self.session.request(method, url, json=sent, headers=headers) as answer:
            return answer.status, await answer.json()

    async def done(self, method: str, path: str, sent: object = None) -> Any:
        """Return the JSON of an answer that is no error."""
        status, found = await self.ask(method, path, sent)
        assert status < 400, found
        return found

    async def until(self, kind: str, **values: object) -> Mapping[str, Any]:
        """Follow the live events until there is one of a kind, with these values."""
        with self.service.scheduler.news.follow() as queue:
            while True:
                item = await queue.get()
                assert item is not None
                found: Mapping[str, Any] = json.loads(item)
                if found["kind"] == kind and values.items() <= found.items():
                    return found


@asynccontextmanager
async def asker(folder: Path, **settings: Any) -> AsyncIterator[Asker]:
    """Run a manager with a database in the folder."""
    config = ServiceConfig(str(folder / "manager.sqlite"), **{"port": 0, **settings})
    async with open_service(config) as service, aiohttp.ClientSession() as session:
        yield Asker(service, session)


@asynccontextmanager
async def stub(name: str, asking: Asker) -> AsyncIterator[StubPlayer]:
    """Run a player of tic-tac-toe, and add it to the manager."""
    player = StubPlayer()
    async with await listen(player) as server:
        address = f"127.0.0.1:{port_of(server)}"
        await asking.done("PUT", f"/api/players/{name}", {"address": address})
        yield player
