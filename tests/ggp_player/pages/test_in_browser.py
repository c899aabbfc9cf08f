"""The pages in a browser, as a user sees them: a match that is watched, and one that is replayed.

Another process plays over a socket. It needs Chromium and Playwright, and is skipped without them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import hostile_names
from tests.support.browser import LIMIT, fits, looking, needs_chromium
from tests.support.killed_match import MATCH_ID, begin_and_kill, let_time_pass
from tests.support.paths import GAMES, ROOT
from tests.support.raw_manager import exchange
from tests.support.server_process import ServerProcess, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("server")
    flags = ("--strategy", "mcts", "--archive", str(folder / "matches.sqlite"))
    with serving(folder, *flags) as server:
        yield server


@pytest.fixture
def page(browser: Browser, server: ServerProcess) -> Iterator[Page]:
    """A page at the front of the server; whatever its console says is an error."""
    with looking(browser) as page:
        page.goto(server.url())
        yield page


def play(server: ServerProcess, game: Path, *flags: str) -> subprocess.Popen[bytes]:
    """Have a match played by another process, against random moves."""
    player = f"127.0.0.1:{server.address[1]}"
    command = [sys.executable, "-m", "ggp_player", "match", str(game), player, "random"]
    return subprocess.Popen([*command, "--no-archive", *flags], cwd=ROOT, stdout=subprocess.DEVNULL)


def wait_for_step(page: Page, text: str) -> None:
    """Wait until the replay says which step it shows; on failure, tell what it shows."""
    with suppress(_timeout_error()):
        page.locator("#told", has_text=text).wait_for()
    assert text in page.locator("#told").inner_text(), page.locator("main").inner_text()


def wait_for_row(page: Page, server: ServerProcess) -> None:
    """Wait until an analysis shows a move; on failure, tell what the page and the server say."""
    row = page.locator("#analysis tbody tr").first
    with suppress(_timeout_error()):
        row.wait_for()
    assert row.is_visible(), f"{page.locator('main').inner_text()}\n{server.text}"


def _timeout_error() -> type[Exception]:
    from playwright.sync_api import TimeoutError as BrowserTimeoutError

    return BrowserTimeoutError


@pytest.mark.thorough
def test_a_match_is_watched_while_it_is_played_and_replayed_then(
    page: Page, server: ServerProcess
) -> None:
    flags = ("--start-clock", "2", "--play-clock", "1")
    with play(server, GAMES / "connectFour.kif", *flags) as match:
        page.get_by_role("link", name=re.compile("connectFour")).click()
        page.locator("#play-clock .time", has_text=re.compile(r"[01]\.\d s")).wait_for()
        page.locator("#board svg [data-cell]").first.wait_for()
        page.locator("#thoughts tbody tr").first.wait_for()
        assert fits(page)
        page.locator("#plot .dot").first.wait_for()
        page.locator("#about", has_text="completed").wait_for()
        assert match.wait(60) == 0
    moves = page.locator("#moves tbody tr").count()
    assert 7 <= moves <= 42
    page.get_by_role("link", name="Replay it from the start").click()
    wait_for_step(page, f"Step 0 of {moves}")
    assert page.locator("#previous").is_disabled()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    wait_for_step(page, f"Step 2 of {moves}")
    assert page.evaluate("scrollY") == 0  # the board stays where it is
    assert page.url.endswith("#step=2")
    page.locator("#board .new").first.wait_for()
    assert page.locator('#moves [aria-current="true"]').count() == 1
    page.keyboard.press("End")
    wait_for_step(page, f"Step {moves} of {moves}")
    assert page.locator("#next").is_disabled()
    page.locator("#moves tbody tr button").first.click()
    wait_for_step(page, f"Step 1 of {moves}")
    page.locator("#plot svg").click(position={"x": 5, "y": 20})  # left of all turns
    wait_for_step(page, f"Step 0 of {moves}")
    page.locator("#pace").select_option("250")
    page.get_by_role("button", name="Play").click()
    wait_for_step(page, f"Step {moves} of {moves}")
    page.goto(page.url.partition("#")[0] + "#step=3")  # a link to a position
    wait_for_step(page, f"Step 3 of {moves}")
    assert fits(page)


HOLD_ANALYSES = """() => {
    const send = window.fetch, held = new Promise((resolve) => (window.letGo = resolve));
    window.fetch = async (...given) => {
        if (String(given[0]).endsWith("/analyses")) await held;
        return send(...given);
    };
}"""
"""Holds what begins an analysis back until ``letGo()`` is called."""


@pytest.mark.thorough
def test_a_match_is_analysed_and_a_variation_is_tried_and_linked(
    page: Page, server: ServerProcess, browser: Browser
) -> None:
    with play(server, GAMES / "ticTacToe.kif", "--start-clock", "2", "--play-clock", "1") as match:
        assert match.wait(60) == 0
    page.goto(server.url("/archive"))
    page.get_by_role("link", name=re.compile("ticTacToe")).first.click()
    wait_for_step(page, "Step 0 of")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    wait_for_step(page, "Step 2 of")
    page.evaluate(HOLD_ANALYSES)
    page.get_by_role("button", name="Analyse from here").click()
    page.keyboard.press("ArrowLeft")  # before the server has answered
    wait_for_step(page, "Step 1 of")
    page.evaluate("letGo()")
    wait_for_row(page, server)
    page.locator("#analysis .number", has_text=re.compile(r"\d")).first.wait_for()  # a value
    page.locator("#board .mark.chosen").first.wait_for()
    made = page.locator("#moves tbody tr").nth(1).inner_text()
    free = page.locator("#legal .of-role").last.locator("button")
    tried = next(name for name in free.all_inner_texts() if name not in made)
    cell = tried.strip("()").split()[-1]
    page.locator(f'#board [data-cell="{cell}"]').click()
    wait_for_step(page, "Step 2, in a variation after step 1")
    assert tried in page.locator("#told").inner_text()
    page.locator("#analysis-notice", has_text="The search is for").wait_for()
    wait_for_row(page, server)
    assert fits(page)
    assert_opens_on_the_same_board(page, browser)
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Analyse from here").wait_for()
    page.get_by_role("button", name="Back to the match").click()
    wait_for_step(page, "Step 1 of")


def assert_opens_on_the_same_board(page: Page, browser: Browser) -> None:
    """Open the link to the position in a new page, and compare what is drawn there."""
    link = page.locator("#link").input_value()
    assert "line=" in link
    other = browser.new_page()
    other.goto(link)
    wait_for_step(other, "in a variation after step 1")
    assert drawn(other) == drawn(page)
    other.goto(link.partition("#")[0] + "#step=1&line=99.99")
    other.locator("#failure", has_text="does not fit the match").wait_for(timeout=LIMIT)
    other.close()


def drawn(page: Page) -> str:
    """The drawing of a board, without what is marked on it."""
    script = """() => {
        const board = document.querySelector("#board svg").cloneNode(true);
        board.querySelectorAll(".mark-group").forEach((group) => group.remove());
        return board.innerHTML.replaceAll(/tabindex="-?\\d"/g, "");
    }"""
    found: str = page.evaluate(script)
    return found


@pytest.mark.thorough
def test_a_match_whose_server_was_killed_is_replayed(browser: Browser, tmp_path: Path) -> None:
    archive = tmp_path / "matches.sqlite"
    flags = ("--strategy", "legal", "--archive", str(archive))
    with ServerProcess(tmp_path, *flags) as server, ThreadPoolExecutor(1) as thread:
        # In a thread, as the browser's has an event loop of its own.
        def send(text: str) -> str:
            return exchange(server.address, text, 60)

        thread.submit(begin_and_kill, server, archive, send).result()
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(LIMIT)
        page.goto(server.url("/archive"))
        row = page.locator("tr", has_text=MATCH_ID)
        row.locator("td", has_text="running").wait_for()
        row.get_by_role("link").click()
        wait_for_step(page, "Step 0 of 3")
        page.keyboard.press("End")
        wait_for_step(page, "Step 3 of 3: b1")
        page.locator('#board svg [data-fact="(marked b1 cross)"]').wait_for()
        assert page.locator("#board svg [data-fact]").count() == 4
        page.evaluate("window.isTheSame = true")
        let_time_pass(archive)
        page.locator(".facts", has_text="interrupted").wait_for()  # the page has noticed by itself
        assert page.evaluate("window.isTheSame")  # a page loaded anew loses what was clicked then
        wait_for_step(page, "Step 3 of 3")
        page.goto(server.url("/archive?status=interrupted"))
        page.locator("tr", has_text=MATCH_ID).wait_for()
        page.close()


@pytest.mark.thorough
def test_names_that_are_markup_run_no_script(page: Page, server: ServerProcess) -> None:
    with ThreadPoolExecutor(1) as thread:

        def send(text: str) -> str:  # in a thread, as the browser's has an event loop of its own
            return thread.submit(exchange, server.address, text, 60).result()

        assert send(hostile_names.start(clock=2)) == "ready"
        page.get_by_role("link", name=hostile_names.MATCH_ID).click()
        page.locator("h1").get_by_text(hostile_names.MATCH_ID).wait_for()
        page.locator("#board svg [data-cell]").first.wait_for()
        send(f"( PLAY {hostile_names.MATCH_ID} NIL )")
        page.locator("#moves tbody tr").first.wait_for()
        assert "matches" not in page.title()
        assert hostile_names.MATCH_ID in page.title()
        move = hostile_names.ATTRIBUTE
        assert send(f"( STOP {hostile_names.MATCH_ID} ( {move} {move} ) )") == "done"
    page.locator("#about", has_text="completed").wait_for()
    page.goto(server.url("/archive"))
    page.get_by_role("link", name=hostile_names.MATCH_ID).click()
    wait_for_step(page, "Step 0 of 1")
    page.keyboard.press("ArrowRight")
    wait_for_step(page, "Step 1 of 1")
    page.locator("#board svg [data-cell]").first.wait_for()
    page.goto(page.url.partition("#")[0] + "#step=0")
    page.locator("#legal button[title*='onerror']").first.click()
    page.locator("#legal button[title*='onerror']").last.click()
    wait_for_step(page, "Step 1, in a variation after step 0")
    assert hostile_names.MATCH_ID in page.title()
