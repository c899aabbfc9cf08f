"""An organiser holds an event in a browser, from the login to the cross table.

It needs Chromium and Playwright, and is skipped without them.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import needs_chromium, opened_page
from tests.support.manager_service import Asker, asker

pytestmark = needs_chromium

LIMIT = 30_000
"""Milliseconds that anything may take to be seen."""

SIZES = ((1280, 900), (390, 800))


@asynccontextmanager
async def served(name: str, asking: Asker) -> AsyncIterator[None]:
    """Run a player server that registers itself with a token."""
    token = asking.service.tokens.create(name, "player")
    manager = f"http://127.0.0.1:{asking.service.port}"
    flags = ["--register", manager, "--register-token", token, "--name", name, "--no-archive"]
    command = [sys.executable, "-m", "ggp_player", "serve", "--port", "0", "--strategy", "legal"]
    process = await asyncio.create_subprocess_exec(*command, *flags)
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def pictured(page: Any, name: str) -> None:
    """Take pictures where a folder is named for them, wide and narrow, light and dark."""
    folder = os.environ.get("PICTURES")
    for width, height in SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            if folder:
                path = Path(folder) / f"{name}-{width}-{scheme}.png"
                await page.screenshot(path=path, full_page=True)
        fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert await page.evaluate(fits), (name, width)


@pytest.mark.thorough
async def test_an_event_from_login_to_cross_table(tmp_path: Path) -> None:
    async with (
        asker(tmp_path, host="0.0.0.0") as asking,
        opened_page(LIMIT, ignored="Failed to load resource") as page,
    ):
        token = asking.service.tokens.create("olga", "organiser")
        asking.token = token
        base = f"http://127.0.0.1:{asking.service.port}"
        await page.goto(f"{base}/events/new")
        await page.get_by_text("This is for organisers.").wait_for()
        await page.get_by_label("Token").fill("wrong")
        await page.get_by_role("button", name="Log in").click()
        await page.get_by_text("This token is not known").wait_for()
        await pictured(page, "login")
        await page.get_by_label("Token").fill(token)
        await page.get_by_role("button", name="Log in").click()
        await page.get_by_role("link", name="New event").wait_for()
        [cookie] = await page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert token not in cookie["value"]
        assert await page.evaluate("document.cookie") == ""
        await add_games(page, base, tmp_path)
        async with served("ann", asking), served("bob", asking):
            await page.goto(f"{base}/")
            for name in ("ann", "bob"):
                row = page.get_by_role("row").filter(has=page.get_by_role("cell", name=name))
                await row.get_by_text("available").wait_for()
            await hold_event(page, base)
        await invite(page, base)
        await page.get_by_role("button", name="Log out").click()
        await page.get_by_role("link", name="Log in").wait_for()
        await page.goto(f"{base}/invite")
        await page.get_by_text("This is for organisers.").wait_for()


async def add_games(page: Any, base: str, folder: Path) -> None:
    """Upload a game that is wrong, and see where; then one that is right."""
    wrong = folder / "halfGame.kif"
    wrong.write_text(
        "(role white)\n(<= (legal white ?m) (does white ?x))\n(<= terminal (true ?y)\n"
    )
    await page.goto(f"{base}/games")
    await page.get_by_label("Rulesheet, a file of GDL").set_input_files(wrong)
    await page.get_by_role("button", name="Check and add").click()
    await page.get_by_text("The game is not added").wait_for()
    assert "^" in await page.locator(".problems pre").first.inner_text()
    assert await page.get_by_label("Name").input_value() == "halfGame"
    await pictured(page, "game-wrong")
    right = folder / "myNim.kif"
    right.write_text((Path(__file__).parents[4] / "games" / "nim.kif").read_text())
    await page.goto(f"{base}/games")
    await page.get_by_label("Rulesheet, a file of GDL").set_input_files(right)
    await page.get_by_role("button", name="Check and add").click()
    await page.get_by_text("myNim is added").wait_for()
    await pictured(page, "game-added")


async def hold_event(page: Any, base: str) -> None:
    """Make an event with a mistake first, start it, and wait for its cross table."""
    await page.goto(f"{base}/")
    await page.get_by_role("link", name="New event").click()
    await page.get_by_label("Name").fill("First cup")
    await page.get_by_label("Games").select_option(["ticTacToe"])
    await page.get_by_label("Play clock, s").fill("none")
    await page.get_by_label("Start clock, s").fill("1")
    await page.get_by_label("Begin at once").uncheck()
    await page.get_by_role("button", name="Make the event").click()
    assert "integer" in await page.get_by_role("alert").inner_text()
    assert await page.get_by_label("Start clock, s").input_value() == "1"
    await pictured(page, "new-event")
    await page.get_by_label("Play clock, s").fill("1")
    await page.get_by_role("button", name="Make the event").click()
    await page.get_by_role("heading", name="First cup").wait_for()
    await page.get_by_text("planned").wait_for()
    await page.get_by_role("button", name="Start").click()
    await page.goto(f"{base}/live")
    await page.locator(".board svg").first.wait_for()
    await pictured(page, "live")
    await page.goto(f"{base}/events/1")
    await page.get_by_role("heading", name="Cross table").wait_for()
    await page.locator("#facts").get_by_text("completed").first.wait_for()
    await page.reload()
    await page.get_by_text("Decide a match").wait_for()
    await pictured(page, "event")
    await page.get_by_text("Decide a match").click()
    number = await page.locator("#ended tbody td.number").first.inner_text()
    await page.get_by_label("Its number").fill(number)
    await page.get_by_label("Goals, in the order of its players").fill("70 30")
    await page.get_by_label("Reason").fill("the network was down")
    await page.get_by_role("button", name="Decide", exact=True).click()
    await page.get_by_text("decided: the network was down").wait_for()
    async with page.expect_download() as download:
        await page.get_by_role("link", name="matches as CSV").click()
    text = read(Path(await (await download.value).path()))
    assert text.startswith("match,round,game,status,role,player,goal")
    assert "the network was down" in text


def read(path: Path) -> str:
    return path.read_text()


async def invite(page: Any, base: str) -> None:
    """Make a link, and join by it."""
    await page.goto(f"{base}/invite")
    await page.get_by_role("button", name="Make a link").click()
    await page.get_by_role("img", name="QR code of the link").wait_for()
    await pictured(page, "invite")
    link = await page.locator("section p.mono").inner_text()
    guest = await page.context.browser.new_page()
    await guest.goto(link)
    await guest.get_by_label("Name of your team").fill("team-red")
    await guest.get_by_role("button", name="Join").click()
    await guest.get_by_role("heading", name="Welcome, team-red").wait_for()
    await pictured(guest, "joined")
    await guest.goto(f"{base}/")
    await guest.get_by_text("team-red").first.wait_for()
    assert await guest.get_by_role("link", name="New event").count() == 0
    await guest.close()
