"""Every page can be used by everybody: axe-core finds nothing, and the keyboard is enough."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest

from gdl.drawing import SVG_STYLE, SvgOptions, draw_svg
from tests.support.browser import LIMIT, needs_chromium, violations
from tests.support.command_line import serving_pages
from tests.support.compiled_games import NAMES, reasoner_of
from tests.support.drawn_games import layout_of_game
from tests.support.paths import ROOT
from tests.support.server_process import ServerProcess, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = needs_chromium

STATIC = ROOT / "ggp_player" / "pages" / "static"

BOARD_PAGE = """<!doctype html><html lang="en"><title>boards</title>
<style>BOARD_STYLE</style><link rel="stylesheet" href="/style.css">
<main><div id="board"></div></main><script type="module">
import { Board } from "/board.js";

const board = new Board(document.getElementById("board"), { onCell() {} });
window.show = (svg) => board.show({ svg });
</script>"""

WALK = """() => {
  const first = document.querySelector('#board [tabindex="0"]');
  const seen = new Set([first]), open = [first];
  while (open.length) {
    const here = open.pop();
    for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
      here.focus();
      here.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      const there = document.activeElement;
      if (!seen.has(there)) { seen.add(there); open.push(there); }
    }
  }
  return [...document.querySelectorAll("#board [data-cell]")]
    .filter((cell) => !seen.has(cell)).map((cell) => cell.dataset.cell);
}"""
"""Walks over the board by arrow keys; returns the places that are not reached."""


TITLES = "all => all.map(one => one.title)"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.set_default_timeout(LIMIT)
    yield page
    page.close()


@pytest.mark.thorough
def test_people_can_use_the_gallery_and_play_by_keyboard(page: Page) -> None:
    with serving_pages("play", "--no-browser", "--opponent", "legal") as gallery:
        page.goto(gallery)
        page.locator(".picture svg").first.wait_for()
        assert violations(page) == []
        page.locator("#file").set_input_files(
            {"name": "bad.kif", "mimeType": "text/plain", "buffer": b"(role a"}
        )
        page.locator("#problems li").first.wait_for()
        assert violations(page) == []
        page.get_by_label("Opponents").select_option("adaptive")
        page.get_by_label("Clock").select_option("5m")
        assert violations(page) == []
        page.get_by_label("Opponents").select_option("0")
        page.get_by_role("button", name="Play Tic-tac-toe", exact=True).press("Enter")
        page.locator("#turn.yours").wait_for()
        assert page.get_by_role("timer", name="cross, you").inner_text() == "5:00"
        page.locator("#board svg").wait_for()
        assert violations(page) == []
        for step in range(3):  # of the first player, against the first free squares
            page.locator("#turn.yours").wait_for()
            page.locator("#board svg").wait_for()
            page.locator("#board [tabindex='0']").focus()
            for key in ("ArrowRight", *["ArrowDown"] * step):
                page.keyboard.press(key)
            page.keyboard.press("Enter")
            page.wait_for_function(
                "made => document.querySelectorAll('#moves tbody tr').length > made", arg=2 * step
            )
        page.locator("#turn.over").wait_for()
        assert violations(page) == []


@pytest.mark.thorough
def test_people_can_use_the_pages_of_a_match_and_its_replay(page: Page, tmp_path: Path) -> None:
    flags = ("--strategy", "mcts", "--archive", str(tmp_path / "matches.sqlite"))
    with serving(tmp_path, *flags) as server:
        page.goto(server.url())
        assert violations(page) == []
        player = f"127.0.0.1:{server.address[1]}"
        clocks = ("--start-clock", "5", "--play-clock", "3", "--no-archive")
        command = [sys.executable, "-m", "ggp_player", "match", "games/connectFour.kif"]
        with subprocess.Popen(
            [*command, player, "random", *clocks], cwd=ROOT, stdout=subprocess.DEVNULL
        ) as match:
            page.get_by_role("link", name=re.compile("connectFour")).click()
            page.locator("#thoughts tbody tr").first.wait_for()
            page.locator("#board svg").wait_for()
            assert violations(page) == []
            assert match.wait(120) == 0
        for path in ("/", "/archive", "/archive/77777"):
            page.goto(server.url(path))
            assert violations(page) == []
        page.goto(server.url("/archive"))
        page.get_by_role("link", name=re.compile("connectFour")).first.click()
        page.locator("#board svg").wait_for()
        page.keyboard.press("ArrowRight")
        page.get_by_role("button", name="Analyse from here").click()
        # On a busy machine a search of such low priority says for long only that it has begun.
        page.locator("#analysis:not([hidden]), #analysis-notice:not([hidden])").first.wait_for()
        assert violations(page) == []
        assert page.locator("#ending").inner_text() == ""
        page.keyboard.press("End")
        page.locator("#ending", has_text="Decided by").wait_for()
        page.locator("#board .decisive").first.wait_for()
        assert violations(page) == []
        page.keyboard.press("ArrowLeft")
        page.locator("#legal button").first.wait_for()  # the end, shown until now, has none
        made = page.locator("#moves tr:last-child .move").evaluate_all(TITLES)
        legal = page.locator("#legal button").evaluate_all(TITLES)
        page.locator(f'#legal button[title="{min({*legal} - {*made})}"]').click()
        page.locator("#variation:not([hidden])").wait_for()
        assert violations(page) == []
        page.goto(page.locator("#steps").evaluate("link => link.href"))
        page.locator("#tree .node").first.wait_for()
        assert violations(page) == []


def post(server: ServerProcess, path: str, sent: dict[str, Any], method: str = "POST") -> None:
    headers = {"Content-Type": "application/json"}
    asked = Request(server.url(path), json.dumps(sent).encode(), headers, method=method)
    with urlopen(asked) as answer:
        answer.read()


@pytest.mark.thorough
def test_people_can_use_the_pages_of_the_manager(
    page: Page, browser: Browser, tmp_path: Path
) -> None:
    flags = ("--database", str(tmp_path / "manager.sqlite"))
    with ServerProcess(tmp_path, *flags, command="manager") as server:
        other = browser.new_page()
        for name, seat in (("ann", page), ("bob", other)):
            seat.goto(server.url())
            if name == "ann":
                assert violations(seat) == []
            seat.get_by_role("textbox").fill(name)
            seat.get_by_role("button", name="Take a seat").click()
            seat.get_by_text("No match of yours has begun").wait_for()
        assert violations(page) == []
        match = {"format": "single", "games": ["ticTacToe"], "start_clock": 1, "play_clock": 60}
        post(server, "/api/events", {"name": "cup", "players": ["ann", "bob"], **match})
        page.locator("#turn.yours").wait_for()
        assert violations(page) == []
        for path in ("/", "/events/1"):
            other.goto(server.url(path))
            assert violations(other) == []
        for name in ("one", "two"):
            post(server, f"/api/players/{name}", {"address": "random"}, "PUT")
        quick = {"format": "round_robin", "games": ["nim"], "start_clock": 1, "play_clock": 1}
        post(server, "/api/events", {"name": "quick", "players": ["one", "two"], **quick})
        other.goto(server.url("/events/2"))
        other.locator("#facts", has_text="completed").wait_for()
        other.reload()
        other.get_by_role("heading", name="Cross table").wait_for()
        assert violations(other) == []
        other.goto(server.url("/live"))
        assert violations(other) == []
        other.close()


@pytest.mark.thorough
def test_every_place_of_every_game_is_reached_by_arrows(page: Page) -> None:
    def fulfil(route: Any) -> None:
        name = route.request.url.rpartition("/")[2]
        if name:
            route.fulfill(path=STATIC / name)
        else:
            body = BOARD_PAGE.replace("BOARD_STYLE", SVG_STYLE)
            route.fulfill(body=body, content_type="text/html")

    page.route("**/*", fulfil)
    page.goto("http://boards.test/")
    page.wait_for_function("typeof show === 'function'")
    missed = {}
    for name in NAMES:
        options = SvgOptions(with_style=False)
        layout = layout_of_game(name)
        if not layout.boards:
            continue
        page.evaluate("show", draw_svg(layout, reasoner_of(name).initial_state(), None, options))
        missed[name] = page.evaluate(WALK)
    assert len(missed) > len(NAMES) / 2
    assert {name: places for name, places in missed.items() if places} == {}
