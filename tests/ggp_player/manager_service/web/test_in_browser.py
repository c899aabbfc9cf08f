"""The manager's page in a browser: it shows what happens without being loaded again.

It needs Chromium and Playwright, and is skipped without them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.browser import BE_SEEN, needs_chromium, opened_page
from tests.support.manager_service import CLOCKS, asker, stub

pytestmark = needs_chromium

LIMIT = 30_000
"""Milliseconds that anything may take to be seen."""


@pytest.mark.thorough
async def test_the_page_follows_what_happens(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, stub("ann", asking), opened_page(LIMIT) as page:
        await page.goto(f"http://127.0.0.1:{asking.service.port}/")
        assert await page.get_by_text("No event yet.").count() == 1
        async with stub("bob", asking):
            await page.get_by_role("cell", name="bob", exact=True).wait_for()
            sent = {"name": "cup", "format": "single", "games": ["ticTacToe"], **CLOCKS}
            await asking.done("POST", "/api/events", {**sent, "players": ["ann", "bob"]})
            await page.get_by_role("link", name="cup").wait_for()
            ended = page.locator("section", has=page.get_by_text("Latest results"))
            await ended.get_by_text("ann, bob").wait_for()


UNTIMED = {"start_clock": 60, "play_clock": 60}

TABS = 7
"""One more than the connections that a browser keeps to one server."""


@pytest.mark.thorough
async def test_of_many_tabs_those_that_are_seen_are_up_to_date(
    tmp_path: Path,
) -> None:
    async with asker(tmp_path) as asking, stub("ann", asking), opened_page(LIMIT) as page:
        assert page.context.browser is not None
        window = await page.context.browser.new_context()
        window.set_default_timeout(LIMIT)
        tabs = [await window.new_page() for _ in range(TABS)]
        for tab in tabs:
            await tab.goto(f"http://127.0.0.1:{asking.service.port}/")
            await tab.get_by_role("cell", name="ann", exact=True).wait_for()
            await tab.evaluate(BE_SEEN, False)
        async with stub("bob", asking):
            await tabs[-1].evaluate(BE_SEEN, True)
            await tabs[-1].get_by_role("cell", name="bob", exact=True).wait_for()
            assert await tabs[0].get_by_role("cell", name="bob", exact=True).count() == 0
            await tabs[0].evaluate(BE_SEEN, True)
            await tabs[0].get_by_role("cell", name="bob", exact=True).wait_for()


@pytest.mark.thorough
async def test_a_player_whose_tab_is_not_seen_is_here_all_the_same(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking, stub("bob", asking), opened_page(LIMIT) as page:
        await page.goto(f"http://127.0.0.1:{asking.service.port}/")
        await page.get_by_role("textbox").fill("ann")
        await page.get_by_role("button", name="Take a seat").click()
        await page.get_by_text("No match of yours has begun").wait_for()
        await page.evaluate(BE_SEEN, False)
        sent = {"name": "cup", "format": "single", "games": ["ticTacToe"], **UNTIMED}
        await asking.done("POST", "/api/events", {**sent, "players": ["ann", "bob"]})
        await page.locator("#legal button").first.wait_for()  # a page that was loaded by itself
        await page.evaluate(BE_SEEN, False)
        await page.locator("#legal button").first.click()
        await page.locator("#moves tbody tr").nth(1).wait_for()  # it is told of the answer
        assert asking.service.scheduler.roster.clients.people.is_here("ann")
