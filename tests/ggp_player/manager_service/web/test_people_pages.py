"""People in events: who may see a page, and a match that is played on it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
import pytest_asyncio

from ggp_player.manager_service.scheduling import roster
from tests.support.browser import needs_chromium, opened_page
from tests.support.manager_service import CLOCKS, Asker, asker, stub

if TYPE_CHECKING:
    from playwright.async_api import Page

LIMIT = 60
"""Seconds for a test, on a machine that does much else."""

MOVES_TIMED = {**CLOCKS, "start_clock": LIMIT}
UNTIMED = {**MOVES_TIMED, "play_clock": LIMIT}


@pytest.fixture(autouse=True)
def _people_need_no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roster, "PERSON_PAUSE", 0.0)


class Visitor:
    """Does what the modules of a person's page do."""

    def __init__(self, asking: Asker, name: str) -> None:
        self._session = asking.session
        self._base = f"http://127.0.0.1:{asking.service.port}/people/{name}"
        self._token = ""
        self._number = "0"  # of the page that waits for the first match

    async def load(self) -> str:
        """Load the page."""
        async with self._session.get(f"{self._base}/") as answer:
            assert answer.status == 200
            text = await answer.text()
        self._token = re.findall('data-token="([^"]*)"', text)[0]
        self._number = re.findall('data-number="([^"]*)"', text)[0]
        return text

    async def follow(self, events: asyncio.Queue[tuple[str, dict[str, Any]]]) -> None:
        """Put what is pushed into a queue, until the stream ends."""
        async with self._session.get(f"{self._base}/events?page={self._number}") as answer:
            assert answer.content_type == "text/event-stream"
            kind = ""
            async for line in answer.content:
                word, _, rest = line.decode().strip().partition(": ")
                if word == "event":
                    kind = rest
                elif word == "data":
                    events.put_nowait((kind, json.loads(rest)))

    async def post(self, path: str, **headers: str) -> tuple[int, str]:
        """Send a change that cannot be made now."""
        headers = {"X-Page-Token": self._token, **headers}
        sent = {"role": "cross", "move": "(nothing)", "step": 0, "match": 1}
        async with self._session.post(f"{self._base}/{path}", json=sent, headers=headers) as answer:
            return answer.status, await answer.text()

    async def move(self, table: dict[str, Any]) -> None:
        """Make the first legal move."""
        [role] = table["choosing"]
        move = table["legal"][role][0]
        sent = {"role": role, "move": move, "step": table["step"], "match": table["match"]}
        headers = {"X-Page-Token": self._token}
        async with self._session.post(f"{self._base}/move", json=sent, headers=headers) as answer:
            assert answer.status == 200, await answer.text()


async def take_seat(asking: Asker, name: str, **headers: str) -> tuple[int, str]:
    """Take a seat; return the status, and the page."""
    status, found = await asking.ask("POST", "/api/people", {"name": name}, **headers)
    return status, found.get("page", "")


shared = pytest.mark.asyncio(loop_scope="module")
"""Of tests that are at one manager, where ann has a seat and her page a process."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def seated(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asker]:
    async with asker(tmp_path_factory.mktemp("manager")) as asking:
        assert (await take_seat(asking, "ann"))[0] == 201
        yield asking


async def play_on_page(visitor: Visitor) -> dict[str, Any]:
    """Play the match whose beginning the page waits for; return the last table."""
    assert "No match of yours has begun" in await visitor.load()
    events: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
    await visitor.follow(events)  # ends when the match begins
    await visitor.load()
    following = asyncio.create_task(visitor.follow(events))
    table: dict[str, Any] = {}
    moved = -1
    try:
        while not table.get("is_over"):
            _, message = await events.get()
            table = message.get("position") or table
            if table.get("choosing") and table["step"] != moved:
                moved = table["step"]
                await visitor.move(table)
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    return table


@pytest.mark.thorough
async def test_a_person_plays_a_match_of_an_event(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT), asker(tmp_path) as asking, stub("bob", asking):
        assert await take_seat(asking, "ann") == (201, "/people/ann/")
        shown = await asking.done("GET", "/api/players/ann")
        assert (shown["address"], shown["status"]) == ("human", "unreachable")
        assert "page /people/ann/ open" in shown["problem"]
        sent = {"name": "cup", "format": "single", "games": ["ticTacToe"], **UNTIMED}
        await asking.done("POST", "/api/events", {**sent, "players": ["ann", "bob"]})
        playing = asyncio.create_task(play_on_page(Visitor(asking, "ann")))
        ended = await asking.until("match_ended")
        table = await playing
        record = await asking.done("GET", f"/api/matches/{ended['match']}/record")
    assert record["isCompleted"]
    assert record["isPlayerHuman"] == [True, False]
    assert not any(error for step in record["errors"] for error in step)
    assert table["goals"] == dict(zip(table["roles"], record["goalValues"], strict=True))


@pytest.mark.thorough
async def test_who_closes_the_page_loses_moves_and_not_the_match(tmp_path: Path) -> None:
    async with asyncio.timeout(LIMIT), asker(tmp_path) as asking, stub("bob", asking):
        await take_seat(asking, "ann")
        sent = {"name": "cup", "format": "single", "games": ["ticTacToe"], **MOVES_TIMED}
        await asking.done("POST", "/api/events", {**sent, "players": ["ann", "bob"]})
        await Visitor(asking, "ann").follow(asyncio.Queue())
        ended = await asking.until("match_ended")
        record = await asking.done("GET", f"/api/matches/{ended['match']}/record")
    assert record["isCompleted"]
    assert {step[0] for step in record["errors"][1:]} <= {"TO", ""}
    assert any(step[0] == "TO" for step in record["errors"])


async def test_a_page_is_served_by_a_process_that_listens_and_again_after_it_was_killed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with asyncio.timeout(LIMIT), asker(tmp_path) as asking:
        await take_seat(asking, "ann")
        people = asking.service.scheduler.roster.clients.people
        pass_on, listened = people.on_change, []

        def note(name: str) -> None:
            listened.append(people.of(name).helper.is_alive)
            pass_on(name)

        people.on_change = note
        visitor = Visitor(asking, "ann")
        url = f"http://127.0.0.1:{asking.service.port}/people/ann/events"
        async with asking.session.get(url) as answer:
            await answer.content.readline()  # what keeps the connection alive
            assert listened == [True]  # nobody is here before a match could ask the process
            await people.of("ann").close()
            assert b"end" not in await answer.read()  # the browser connects again
        assert "No match of yours has begun" in await visitor.load()
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@shared
async def test_nobody_else_sees_or_makes_a_persons_moves(seated: Asker) -> None:
    asking = seated
    async with asyncio.timeout(LIMIT):
        assert (await take_seat(asking, "ann", Origin="http://evil.example"))[0] == 401
        assert (await take_seat(asking, "no name"))[0] == 422
        visitor = Visitor(asking, "ann")
        await visitor.load()
        assert (await visitor.post("move"))[0] == 404  # no match has begun
        assert (await visitor.post("move", Origin="http://evil.example"))[0] == 401
        assert (await Visitor(asking, "carl").post("move"))[0] == 404
        url = f"http://127.0.0.1:{asking.service.port}/people/ann/"
        async with aiohttp.ClientSession() as other:
            headers = {"Host": "manager.example"}
            async with other.get(url, headers=headers) as answer:
                assert answer.status == 403
            async with other.get(url, headers={"Authorization": "Bearer nonsense"}) as answer:
                assert answer.status == 401


@shared
async def test_a_wrong_path_below_a_page_is_a_page_for_browsers_and_a_sentence_for_others(
    seated: Asker,
) -> None:
    url = f"http://127.0.0.1:{seated.service.port}/people/ann/nowhere"
    async with asyncio.timeout(LIMIT):
        for accepted, kind in (("text/html", "text/html"), ("*/*", "text/plain")):
            async with seated.session.get(url, headers={"Accept": accepted}) as answer:
                assert (answer.status, answer.content_type) == (404, kind)
                assert "there is no such page here" in await answer.text()


@shared
async def test_another_site_may_open_a_page_and_have_nobody_be_here(
    seated: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = seated
    async with asyncio.timeout(LIMIT):
        people = asking.service.scheduler.roster.clients.people
        changes: list[str] = []
        monkeypatch.setattr(people, "on_change", changes.append)
        url = f"http://127.0.0.1:{asking.service.port}/people/ann/"
        image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
        frame = {**image, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        link = {**frame, "Sec-Fetch-Dest": "document"}
        stream = {"Origin": "http://evil.example"}
        for path, headers, status in (
            ("events", image, 403),
            ("events", stream, 403),
            ("events", link, 403),
            ("events", {"Sec-Fetch-Site": "same-site"}, 403),
            ("", image, 403),
            ("", frame, 403),
            ("", link, 200),
        ):
            async with asking.session.get(url + path, headers=headers) as answer:
                assert answer.status == status, (path, headers)
        assert changes == []
        own = {"Sec-Fetch-Site": "same-origin"}
        async with asking.session.get(f"{url}events", headers=own) as answer:
            await answer.content.readline()
            assert changes == ["ann"]


@shared
async def test_a_token_of_a_player_opens_its_own_pages_only(seated: Asker) -> None:
    asking = seated
    async with asyncio.timeout(LIMIT):
        dora, bob = (
            {"Authorization": f"Bearer {asking.service.tokens.create(name, 'player')}"}
            for name in ("dora", "bob")
        )
        assert (await take_seat(asking, "dora", **dora))[0] == 201
        assert (await take_seat(asking, "dora", **bob))[0] == 403
        url = f"http://127.0.0.1:{asking.service.port}/people/dora/"
        for headers, status in ((dora, 200), (bob, 403)):
            async with asking.session.get(url, headers=headers) as answer:
                assert answer.status == status


@shared
async def test_who_plays_on_a_page_sends_nothing_as_the_manager(seated: Asker) -> None:
    port = seated.service.port
    for path in ("/people/ann/../../", "/people/ann/x/../../../", "/people/ann/.."):
        async with asyncio.timeout(LIMIT):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
            writer.write(f"{head}Content-Length: 6\r\n\r\n(INFO)".encode())
            answer = await reader.read()
            writer.close()
        assert answer.startswith(b"HTTP/1.1 404 "), path
        assert b"available" not in answer


@pytest.mark.thorough
@needs_chromium
async def test_a_match_is_clicked_in_a_browser(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, stub("bob", asking), opened_page(500 * LIMIT) as page:
        await page.goto(f"http://127.0.0.1:{asking.service.port}/")
        await page.get_by_role("textbox").fill("ann")
        await page.get_by_role("button", name="Take a seat").click()
        await page.get_by_text("No match of yours has begun").wait_for()
        sent = {"name": "cup", "format": "single", "games": ["ticTacToe"], **UNTIMED}
        for players in (["ann", "bob"], ["bob", "ann"]):
            ending = asyncio.create_task(asking.until("match_ended"))
            await asking.done("POST", "/api/events", {**sent, "players": players})
            await _click_to_the_end(page, ("cross", "nought")[players.index("ann")])
            assert not (await ending)["failure"]


async def _click_to_the_end(page: Page, role: str) -> None:
    """Click the first legal move again and again, in a match in which the person has a role."""
    await page.locator("#seats div", has_text=role).filter(has_text="you").wait_for()
    while not await page.locator("#turn.over").count():
        await page.locator("#turn.over, #legal button").first.wait_for()
        if await page.locator("#legal button").count():
            step = await page.locator("#moves tbody tr").count()
            await page.locator("#legal button").first.click()
            await page.wait_for_function(
                "step => document.querySelectorAll('#moves tbody tr').length > step", arg=step
            )
