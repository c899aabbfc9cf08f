"""A person as a player server, over a real socket: requests of the manager, and the page."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from gdl.system.helper_process import helper_command
from ggp_player.async_helper import AsyncHelper
from ggp_player.play import person_server
from tests.support.paths import GAMES
from tests.support.serving import pushed

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMIT = 60
"""Seconds for a test, on a machine that does much else."""


def rules_of(game: str) -> str:
    """Return the rules of a game of ours in a line."""
    lines = (GAMES / f"{game}.kif").read_text().splitlines()
    return " ".join(line.partition(";")[0] for line in lines)


RULES = rules_of("ticTacToe")
BASE = "/people/ann"


@asynccontextmanager
async def serving() -> AsyncIterator[aiohttp.ClientSession]:
    """Run the process; the session's requests go there."""
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "person.sock"
        helper = AsyncHelper(helper_command(person_server.main, str(socket), "ann", BASE))
        try:
            assert await helper.ask(b"", LIMIT) == person_server.READY_LINE
            connector = aiohttp.UnixConnector(str(socket))
            async with aiohttp.ClientSession("http://person/", connector=connector) as session:
                yield session
        finally:
            await helper.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """Requests to a process in which every test ends its matches."""
    async with serving() as found:
        yield found


async def ask(session: aiohttp.ClientSession, text: str) -> str:
    """Send a request of the manager."""
    async with session.post("/", data=text) as answer:
        assert answer.status == 200
        return await answer.text()


async def table_of(session: aiohttp.ClientSession) -> dict[str, Any]:
    """Return the first table that is pushed."""
    async with session.get(f"{BASE}/events") as answer:
        async for message in pushed(answer):
            if "position" in message:
                table: dict[str, Any] = message["position"]
                return table
    raise AssertionError("the stream has ended")


async def test_a_match_given_up_by_the_manager_goes_on_with_its_next_request(
    session: aiohttp.ClientSession,
) -> None:
    async with asyncio.timeout(LIMIT):
        assert await ask(session, f"(START m cross ({RULES}) 10 10)") == "ready"
        asked = asyncio.create_task(ask(session, "(PLAY m NIL)"))
        while not (table := await table_of(session))["choosing"]:
            pass
        assert table["step"] == 0
        (clock,) = table["clocks"]
        assert (clock["role"], clock["total"], clock["runs"]) == ("cross", 10.0, True)
        asked.cancel()  # the move is late: the manager makes another one
        await asyncio.gather(asked, return_exceptions=True)
        assert await ask(session, "(PLAY m ((put b2) noop))") == "noop"
        assert (await table_of(session))["step"] == 1
        assert await ask(session, "(ABORT m)") == "aborted"
        ended = await table_of(session)
        assert (ended["is_over"], ended["result"]) == (True, "The match was broken off.")


async def test_the_page_has_the_words_of_the_rulesheet_whose_rules_are_played(
    session: aiohttp.ClientSession,
) -> None:
    words = "Cross and nought take turns to put a mark on a free square"
    async with asyncio.timeout(LIMIT):
        await session.post("/rulesheet", data=(GAMES / "ticTacToe.kif").read_bytes())
        for rules, is_told in ((RULES, True), (rules_of("nim"), False)):
            role = "cross" if is_told else "first"
            assert await ask(session, f"(START m {role} ({rules}) 10 10)") == "ready"
            async with session.get(f"{BASE}/") as answer:
                assert (words in await answer.text()) is is_told
            async with session.get(f"{BASE}/rules") as answer:
                assert (";" in await answer.text()) is is_told
            assert await ask(session, "(ABORT m)") == "aborted"


@pytest.mark.thorough
async def test_the_page_of_a_role_is_the_same_whatever_is_hidden_from_it(
    session: aiohttp.ClientSession,
) -> None:
    async with asyncio.timeout(LIMIT):
        seen = [[text async for text in all_pushed(session, move)] for move in ("a1", "b2")]
    assert seen[0] == seen[1]
    assert [json.loads(text)["table"]["is_over"] for text in seen[0]] == [False, True]
    assert "turn of nought" in seen[0][0]


async def all_pushed(session: aiohttp.ClientSession, move: str) -> AsyncIterator[str]:
    """Yield what is pushed when another role has made a hidden move, and after ABORT."""
    rules = rules_of("phantomTicTacToe")
    assert await ask(session, f"(START m nought ({rules}) 10 10)") == "ready"
    assert await ask(session, "(PLAY m NIL)") == "noop"
    asked = asyncio.create_task(ask(session, f"(PLAY m ((try {move}) noop))"))
    while not (await table_of(session))["choosing"]:
        pass
    yield await shown_of(session)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    assert await ask(session, "(ABORT m)") == "aborted"
    yield await shown_of(session)


async def shown_of(session: aiohttp.ClientSession) -> str:
    """Return the table without the time of day, with its board, drawn, where the match goes on."""
    async with session.get(f"{BASE}/events") as answer:
        async for line in answer.content:
            kind, _, rest = line.decode().partition(": ")
            table = json.loads(rest).get("position", {}) if kind == "data" else {}
            board = table.pop("board", {})
            if table and (table["is_over"] or board.get("svg")):
                break
    del table["clocks"]
    return json.dumps({"table": table, "board": None if table["is_over"] else board})


@pytest.mark.thorough
async def test_the_page_of_the_match_before_ends_when_the_next_begins() -> None:
    async with asyncio.timeout(LIMIT), serving() as session:
        waiting = asyncio.create_task(session.get(f"{BASE}/events"))
        async with await waiting as answer:
            assert await ask(session, f"(START m1 cross ({RULES}) 10 10)") == "ready"
            assert "event: end" in await answer.text()
        async with session.get(f"{BASE}/events") as answer:
            assert await ask(session, "(ABORT m1)") == "aborted"
            assert await ask(session, f"(START m2 nought ({RULES}) 10 10)") == "ready"
            assert "event: end" in await answer.text()
        table = await table_of(session)
        assert table["persons"] == ["nought"]
        assert table["notice"] == "The match before: The match was broken off."


async def test_a_page_asks_for_its_events_after_the_next_match_has_begun(
    session: aiohttp.ClientSession,
) -> None:
    async def end_of(page: int) -> bytes:
        async with session.get(f"{BASE}/events?page={page}") as answer:
            assert answer.status == 200
            return await answer.read()

    async def number() -> int:
        async with session.get(f"{BASE}/") as answer:
            return int((await answer.text()).partition('data-number="')[2].partition('"')[0])

    async with asyncio.timeout(LIMIT):
        before = await number()
        assert b"event: end" in await end_of(before + 1)  # of a process that this one has replaced
        for page in (before + 1, before + 2):
            assert await ask(session, f"(START m{page} cross ({RULES}) 10 10)") == "ready"
            assert b"event: end" in await end_of(page - 1)
            assert await number() == page
            async with session.get(f"{BASE}/events?page={page}") as answer:
                assert b"event: message" in await answer.content.readline()
            assert await ask(session, f"(ABORT m{page})") == "aborted"


@pytest.mark.thorough
async def test_what_is_no_request_gets_a_sentence() -> None:
    async with asyncio.timeout(LIMIT), serving() as session:
        for method, path, status in (
            ("GET", f"{BASE}/nowhere", 404),
            ("POST", f"{BASE}/move", 404),
            ("GET", "/", 405),
        ):
            async with session.request(method, path) as answer:
                assert answer.status == status
                assert "<" not in await answer.text()
        assert (await ask(session, "(PLAY m NIL)")).startswith("error: ")
        assert (await ask(session, "(START m cross")).startswith("error: ")
        assert (await ask(session, f"(START m nobody ({RULES}) 10 10)")).startswith("error: ")
        assert await ask(session, f"(START m cross ({RULES}) 10 10)") == "ready"
