"""Sessions with real worker processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

import pytest

import gdl
from ggp_player.play.session import Opponent, PlaySession, PlaySetup
from ggp_player.server.config import load_config
from ggp_player.worker.health import Health
from ggp_player.worker.pool import Pool
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

Begin: TypeAlias = Callable[..., AbstractAsyncContextManager[PlaySession]]


WarmUp: TypeAlias = Callable[[Health], Awaitable[None]]


async def no_warm_up(_health: Health) -> None:
    """The strategies of these tests need no compiled code."""


def rules_of(game: str) -> gdl.Ruleset:
    """One of our games, or a rulesheet's text."""
    return gdl.parse(game) if "(" in game else gdl.load(GAMES / f"{game}.kif")


@pytest.fixture
def begin() -> Begin:
    """What begins a match, against the first legal move unless told otherwise."""

    @asynccontextmanager
    async def begun(
        game: str,
        *persons: str,
        opponents: tuple[Opponent, ...] = ("legal",),
        warm_up: WarmUp = no_warm_up,
        **settings: object,
    ) -> AsyncIterator[PlaySession]:
        rules = rules_of(game)
        clocks = {"start_clock": 5, "play_clock": 3, **settings}
        setup = PlaySetup(rules, "game", persons=persons, opponents=opponents, **clocks)  # type: ignore[arg-type]
        pool = Pool(0, load_config(flags={"strategy": "legal"}).memory_limits)
        try:
            async with PlaySession(setup, gdl.interpret(rules), pool, warm_up=warm_up) as session:
                yield session
        finally:
            await pool.close()

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
