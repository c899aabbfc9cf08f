"""Sessions with real worker processes, and browsers that look at their pages."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import aiohttp
import pytest
from click.testing import CliRunner

import gdl
from gdl.analysis.move_names import MoveNames
from ggp_player.__main__ import main
from ggp_player.clock import Clock, monotonic
from ggp_player.pages.drawer import Drawer
from ggp_player.pages.drawing_messages import Drawing, DrawingRequest, DrawState
from ggp_player.pages.security import PAGE_HEADERS
from ggp_player.play.play_setup import Opponent, PlaySetup
from ggp_player.play.session import PlaySession
from ggp_player.server.config import load_config
from ggp_player.worker.pool import Pool
from tests.support.clocks import FakeClock
from tests.support.paths import GAMES

LIMIT = 30.0
"""Seconds that anything may take."""

FOREIGN: list[tuple[dict[str, str | None], int]] = [
    ({"Origin": "http://evil.example.org"}, 403),
    ({"Sec-Fetch-Site": "cross-site"}, 403),
    ({"X-Page-Token": "wrong"}, 403),
    ({"X-Page-Token": None}, 403),
    ({"Content-Type": "text/plain"}, 415),
    ({"Host": "evil.example.org"}, 403),
]
"""Headers that no page of the server sends, and the status of the answer."""


class Browser:
    """A browser without scripts, at the pages of an address."""

    def __init__(self, address: str, client: aiohttp.ClientSession) -> None:
        self.address = address.rstrip("/")
        self.client = client
        self.token = ""

    async def load(self) -> None:
        """Load the first page, and keep its token."""
        _, text = await self.get()
        self.token = text.partition('data-token="')[2].partition('"')[0]

    async def get(self, path: str = "/", **headers: str) -> tuple[int, str]:
        async with self.client.get(self.address + path, headers=headers) as response:
            assert PAGE_HEADERS.items() <= dict(response.headers).items()
            return response.status, await response.text()

    async def post(self, path: str, **values: object) -> tuple[int, str]:
        return await self.send(path, json.dumps(values), {})

    async def send(
        self, path: str, body: str | io.BytesIO, changed: dict[str, str | None]
    ) -> tuple[int, str]:
        """Send a body with the headers of a page, some of them changed, or None to leave out."""
        headers: dict[str, str | None] = {
            "Content-Type": "application/json",
            "Origin": self.address,
            "X-Page-Token": self.token,
            **changed,
        }
        given = {name: value for name, value in headers.items() if value is not None}
        async with self.client.post(self.address + path, data=body, headers=given) as response:
            assert PAGE_HEADERS.items() <= dict(response.headers).items()
            return response.status, await response.text()


class SlowDrawer(Drawer):
    """Draws a state, which the drawing has in words, when it is allowed to; it has no process."""

    def __init__(self) -> None:
        super().__init__()
        self.may_draw = asyncio.Event()
        self.requests: list[DrawState] = []

    async def warm_up(self) -> None:
        pass

    async def names(self, rules: str, layout_file: str = "", asker: str = "") -> MoveNames:
        return MoveNames()

    async def draw(self, request: DrawingRequest, asker: str = "") -> tuple[Drawing, ...]:
        assert isinstance(request, DrawState)
        self.requests.append(request)
        await self.may_draw.wait()
        return (Drawing(svg=request.state),)


Begin: TypeAlias = Callable[..., AbstractAsyncContextManager[PlaySession]]


def rules_of(game: str) -> gdl.Ruleset:
    """One of our games, or a rulesheet's text."""
    return gdl.parse(game) if "(" in game else gdl.load(GAMES / f"{game}.kif")


@asynccontextmanager
async def begun(
    game: str,
    *persons: str,
    opponents: tuple[Opponent, ...] = ("legal",),
    stopwatch: Clock = monotonic,
    warming: asyncio.Future[None] | None = None,
    **settings: object,
) -> AsyncIterator[PlaySession]:
    """A match, against the first legal move unless told otherwise."""
    rules = rules_of(game)
    clocks = {"start_clock": 5, "play_clock": 3, **settings}
    setup = PlaySetup(rules, "game", persons=persons, opponents=opponents, **clocks)  # type: ignore[arg-type]
    pool = Pool(0, load_config(flags={"strategy": "legal"}).memory_limits)
    try:
        machine = gdl.interpret(rules)
        async with PlaySession(
            setup, machine, pool, stopwatch=stopwatch, warming=warming
        ) as session:
            yield session
    finally:
        await pool.close()


@pytest.fixture
def begin() -> Begin:
    """What begins a match."""
    return begun


async def until(session: PlaySession, condition: Callable[[], object]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(LIMIT):
        while not condition():
            await session.news()


async def asked(session: PlaySession, step: int = 0) -> None:
    """Wait until the people are asked in a step, or one after it, or the match is over."""
    await until(
        session, lambda: session.is_over or (session.choosing and session.line.number >= step)
    )


async def move(session: PlaySession, text: str = "") -> None:
    """Make the first person's move, the first legal one if none is given, and wait."""
    step, role = session.line.number, session.choosing[0]
    legal = session.legal_moves(role)
    chosen = next(one for one in legal if str(one) == text or not text)
    session.choose(role, chosen, step)
    if not session.choosing:
        await asked(session, step + 1)


@pytest.fixture
def time() -> FakeClock:
    return FakeClock(1000.0)


def setup_of(flags: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> PlaySetup:
    """What the command ``play`` would play a match with, by its flags."""
    setups: list[PlaySetup] = []

    async def play(setup: PlaySetup, _options: object) -> None:
        setups.append(setup)

    monkeypatch.setattr("ggp_player.cli.play._play", play)
    result = CliRunner().invoke(main, ["play", "nim", "--no-archive", *flags])
    assert (result.exit_code, result.output) == (0, "")
    (setup,) = setups
    return setup
