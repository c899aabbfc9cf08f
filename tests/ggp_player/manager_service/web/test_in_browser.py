"""The manager's page in a browser: it shows what happens without being loaded again.

It needs Chromium and Playwright, and is skipped without them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.browser import needs_chromium, opened_page
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
