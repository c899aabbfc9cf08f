"""The pages that go through a search: as a file in a browser, and of a match in the archive."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ggp_player.pages import drawer
from ggp_player.pages.step_pages import steps_html
from ggp_player.search_steps.recording import record_search
from ggp_player.strategies.selection.registry import create
from tests.ggp_player.pages.conftest import Served, played
from tests.support.browser import looking
from tests.support.compiled_games import reasoner_of
from tests.support.tree_games import TWO_PLY, position, turns

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_a_file_loads_nothing_and_its_text_is_escaped() -> None:
    text = steps_html(record_search(create("minimax"), position(turns(TWO_PLY))), "</script><b>&")
    assert "&lt;/script&gt;&lt;b&gt;&amp;" in text
    assert not re.search(r'(src|href)="', text)
    assert "default-src 'none'" in html.unescape(text)
    assert text.count("</script>") == 2
    assert not re.search(r"^(import|export) ", text, re.MULTILINE)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that draws may take its time: on a machine that is busy all others go first."""
    monkeypatch.setattr(drawer, "DRAWING_SECONDS", 120)


@pytest.mark.usefixtures("patient")
@pytest.mark.thorough
async def test_the_steps_of_a_position_of_the_archive(served: Served, until: Any) -> None:
    await played(served, until)
    status, _, page = await served.get("/archive/1/steps?step=1&strategy=minimax")
    assert status == 200
    source = re.search('data-source="([^"]+)"', page)
    assert source is not None
    found = await served.json(html.unescape(source[1]))
    assert (found["strategy"], found["role"]) == ("minimax", "nought")
    assert found["steps"]
    assert any(each and each["name"] == "minscore" for each in found["sources"])
    assert "selected>alpha_beta<" in (await served.get("/archive/1/steps?step=0"))[2]


@pytest.mark.usefixtures("patient")
async def test_steps_that_there_are_not(served: Served, until: Any) -> None:
    await played(served, until)
    for query, reason in (
        ("step=9&strategy=minimax", "no step 9"),
        ("step=0&strategy=mcts", "there are steps of the strategies alpha_beta"),
        ("step=0&strategy=./mine.py:Mine", "there are steps of the strategies alpha_beta"),
        ("step=0&strategy=alpha_beta:depth=2", "there are steps of the strategies alpha_beta"),
        ("step=0&strategy=deliberation", "is for games of one role"),
        ("step=x", "no position that can be read"),
        ("other=1", "no position that can be read"),
    ):
        status, headers, text = await served.get(f"/archive/1/steps/data?{query}")
        assert (status, reason in text, "<" in text) == (400, True, False), text
        assert headers["Content-Type"].startswith("text/plain")
    assert (await served.get("/archive/77/steps?step=0"))[0] == 404
    elsewhere = {"Sec-Fetch-Site": "cross-site"}
    address = "/archive/1/steps/data?step=0&strategy=minimax"
    assert (await served.get(address, elsewhere))[0] == 403


# ----------------------------------------------------------------------------- in a browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A small page; whatever its console says is an error."""
    with looking(browser) as page:
        yield page


def opened(page: Page, spec: str, folder: Path, game: str = "") -> list[str]:
    """Open a page with the steps of a search; return the sentence of each step."""
    machine = reasoner_of(game) if game else turns(TWO_PLY)
    recorded = record_search(create(spec), position(machine))
    file = folder / "steps.html"
    file.write_text(steps_html(recorded, "a search"), encoding="utf-8")
    page.goto(file.as_uri())
    return [step.says for step in recorded.log.steps]


def shown(page: Page) -> str:
    return page.locator("#says").inner_text().partition(": ")[2]


@pytest.mark.thorough
def test_keys_go_through_the_steps(page: Page, tmp_path: Path) -> None:
    says = opened(page, "minimax", tmp_path)
    assert shown(page) == says[0]
    assert page.locator("#tree .node").count() == 1
    for number in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        assert shown(page) == says[number]
    assert page.locator("#tree .node").count() == 3
    assert "minscore" in page.locator("#source .runs").inner_text()
    page.keyboard.press("ArrowLeft")
    assert shown(page) == says[2]
    page.keyboard.press("End")
    assert shown(page) == says[-1]
    assert page.locator("#tree .node").count() == 13
    assert page.locator("#tree .node.current .value").text_content() == "3"
    assert page.locator("#forward").is_disabled()
    page.keyboard.press("Home")
    assert shown(page) == says[0]
    assert page.locator("#tree .node").count() == 1
    assert page.url.endswith("#step=0")


@pytest.mark.thorough
def test_it_plays_by_a_key_and_is_led_by_buttons_and_the_slider(page: Page, tmp_path: Path) -> None:
    says = opened(page, "alpha_beta:ordering=false", tmp_path)
    page.locator("#pace").select_option("200")
    page.locator("h1").click()  # the focus is no control's any more
    page.keyboard.press(" ")
    assert page.locator("#play").get_attribute("aria-pressed") == "true"
    page.locator("#says", has_text=re.compile(r"^([2-9]|\d\d) of ")).wait_for()
    page.keyboard.press(" ")
    assert page.locator("#play").inner_text() == "Play"
    page.locator("#slider").focus()
    page.keyboard.press("End")
    assert shown(page) == says[-1]
    page.keyboard.press("ArrowLeft")
    assert shown(page) == says[-2]
    page.locator("#first").click()
    page.locator("#forward").click()
    assert shown(page) == says[1]
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


@pytest.mark.thorough
def test_a_tree_is_fitted_and_a_search_that_is_cut_says_so(page: Page, tmp_path: Path) -> None:
    opened(page, "minimax", tmp_path, "ticTacToe")
    page.keyboard.press("End")
    assert page.locator("#cut").inner_text().startswith("The search is cut here, after 2,000 steps")
    inside = """() => { const box = document.querySelector("#tree").getBoundingClientRect();
      return [...document.querySelectorAll("#tree .node")].every((node) => {
        const at = node.getBoundingClientRect();
        return at.left >= box.left && at.right <= box.right && at.top >= box.top
          && at.bottom <= box.bottom + 1; }); }"""
    assert page.locator("#way").is_checked()
    assert page.evaluate(inside)
    page.locator("#way").uncheck()
    assert page.locator("#tree .node").count() > 1000
    assert page.evaluate(inside)
