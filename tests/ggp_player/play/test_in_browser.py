"""Whole games clicked to their ends in a browser, against processes that a user would start.

It needs Chromium and Playwright, and is skipped without them.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser import LIMIT, fits, looking, needs_chromium
from tests.support.command_line import serving_pages
from tests.support.paths import GAMES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = needs_chromium


SLOW = """
import asyncio
from ggp_player.__main__ import main
from ggp_player.pages.drawer import Drawer
draw = Drawer.draw
async def slowly(self, request):
    await asyncio.sleep(0.4)
    return await draw(self, request)
Drawer.draw = slowly
main()
"""
"""The program, with drawings that take long."""

WATCH = """
window.mismatches = [];
new MutationObserver(() => {
  const drawn = document.querySelector("#board svg")?.getAttribute("aria-label");
  const made = document.querySelectorAll("#moves tbody tr").length;
  const step = document.querySelector("#play")?.dataset.step;
  if (drawn && drawn !== `The board at step ${made + 1}`) window.mismatches.push([drawn, made]);
  if (step && step !== String(made)) window.mismatches.push([step, made]);
}).observe(document, { subtree: true, childList: true, attributes: true });
"""
"""Notes whenever a page has the board of one step and the moves of another."""


@contextmanager
def playing(browser: Browser, *command: str, width: int = 1280, code: str = "") -> Iterator[Page]:
    """Run ``ggp-player`` and open its page; whatever the console says is an error."""
    with serving_pages(*command, code=code) as address, looking(browser, width) as page:
        page.add_init_script(WATCH)
        page.goto(address)
        yield page
        assert page.evaluate("window.mismatches") == []


def is_asked(page: Page, step: int) -> None:
    """Wait until the person is asked at a step, with the board of that step, or it is over."""
    page.locator("#turn.yours, #turn.over").first.wait_for()
    page.wait_for_function(
        "step => document.querySelectorAll('#moves tbody tr').length >= step"
        " && (document.querySelector('#turn.over')"
        " || document.querySelector('#turn.yours') && document.querySelector("
        "`#board svg[aria-label='The board at step ${1 +"
        " document.querySelectorAll('#moves tbody tr').length}']`))",
        arg=step,
    )


def steps(page: Page) -> int:
    return page.locator("#moves tbody tr").count()


def click(page: Page, cell: str) -> None:
    """Click a place, and wait for the answer."""
    step = steps(page)
    page.locator(f'#board [data-cell="{cell}"]').click()
    is_asked(page, step + 1)


@pytest.mark.thorough
def test_tic_tac_toe_is_clicked_to_the_end_on_a_phone(browser: Browser) -> None:
    flags = ("--no-browser", "--opponent", "legal", "--play-clock", "1")
    with playing(browser, "play", "ticTacToe", *flags, width=390) as page:
        is_asked(page, 0)
        assert fits(page)
        click(page, "b2")
        assert steps(page) == 2
        page.locator('#board [data-cell="b2"]').click()
        page.locator("#complaint", has_text="No legal move of yours is there").wait_for()
        page.get_by_role("button", name="Take back").click()
        page.locator("#turn", has_text="Taken back to step 1").wait_for()
        is_asked(page, 0)
        page.get_by_role("button", name="b2", exact=True).first.click()  # a button of the list
        is_asked(page, 2)
        page.locator('#board [data-cell="b1"]').focus()
        page.keyboard.press("Enter")  # and the keyboard
        is_asked(page, 4)
        click(page, "b3")
        page.locator("#turn.over", has_text="You win.").wait_for()
        page.locator("#ending", has_text="Decided by cross on b1, b2 and b3.").wait_for()
        seats = " ".join(page.locator("#seats").inner_text().split())
        assert seats == "cross you, 100 points nought program: legal, 0 points"
        assert fits(page)
        page.get_by_role("button", name="New match").click()
        page.locator("#turn", has_text="Your move, cross").wait_for()
        page.get_by_role("button", name="Change seats").click()
        page.locator("#turn", has_text="Your move, nought").wait_for()


DRAW = """
(role ann) (role random) (init (step 1))
(legal ann (draw a10)) (legal ann (draw a2)) (legal ann (draw b1)) (legal ann (draw a1))
(legal random (roll 1)) (legal random (roll 2))
(<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 2)))
(goal ann 100) (goal random 50)
"""
"""A game of one step, in which chance has a goal that says nothing."""


@pytest.mark.thorough
def test_moves_are_listed_by_number_and_chance_has_no_points(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "draw.kif"
    file.write_text(DRAW)
    with playing(browser, "play", str(file), "--no-browser") as page:
        is_asked(page, 0)
        told = page.locator("#legal button").all_inner_texts()
        assert [name.removeprefix("draw ") for name in told] == ["a1", "a2", "a10", "b1"]
        page.locator("#legal button").first.click()
        page.locator("#turn.over").wait_for()
        seats = " ".join(page.locator("#seats").inner_text().split())
        assert seats == "ann you, 100 points random chance"


@pytest.mark.thorough
def test_a_match_is_played_by_keyboard_and_told_in_words(browser: Browser) -> None:
    flags = ("--no-browser", "--opponent", "legal", "--play-clock", "1")
    with playing(browser, "play", "ticTacToe", *flags) as page:
        is_asked(page, 0)
        page.locator("#turn", has_text="Click a place on the board, or a move").wait_for()
        page.locator("#legal button", has_text="b2").focus()
        page.keyboard.press("Enter")
        page.locator("#told", has_text="cross: b2 and nought: ").wait_for()
        is_asked(page, 2)
        assert page.evaluate("!!document.activeElement.closest('#legal button')")
        assert page.locator('#board [data-cell="b2"]').get_attribute("aria-label") == "b2: cross"
        page.locator('#board [data-cell="a2"]').focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.locator("#told", has_text="cross: b1 and nought: ").wait_for()
        is_asked(page, 4)
        assert page.evaluate("document.activeElement.dataset.cell") == "b1"


@pytest.mark.thorough
def test_board_and_moves_are_never_of_two_steps_however_slow_the_drawer_is(
    browser: Browser,
) -> None:
    flags = ("--no-browser", "--opponent", "legal", "--play-clock", "1")
    with playing(browser, "play", "ticTacToe", *flags, code=SLOW) as page:
        is_asked(page, 0)
        page.get_by_role("button", name="b2", exact=True).first.click()
        is_asked(page, 2)
        page.get_by_role("button", name="Take back").click()
        page.locator("#turn", has_text="Taken back to step 1").wait_for()
        is_asked(page, 0)
        click(page, "b2")
        click(page, "b1")
        click(page, "b3")
        page.locator("#turn.over", has_text="You win.").wait_for()


@pytest.mark.thorough
def test_connect_four_is_clicked_to_the_end(browser: Browser) -> None:
    flags = ("--no-browser", "--opponent", "mcts", "--start-clock", "1", "--play-clock", "1")
    with playing(browser, "play", "connectFour", *flags) as page:
        is_asked(page, 0)
        page.get_by_role("button", name="Hint").click()
        page.locator("#turn", has_text="Hint: column").wait_for()
        page.get_by_role("button", name="What it thinks").click()
        page.locator("#thoughts tbody tr").first.wait_for()
        page.locator("#thoughts summary").click()
        page.locator(".branches li li", has_text="visits").first.wait_for()
        page.get_by_role("button", name="What it thinks").click()
        for turn in range(21):
            if page.locator("#turn.over").count():
                break
            legal = page.locator("#legal button").all_inner_texts()
            column = legal[turn % len(legal)].strip("()").split()[1]
            click(page, f"{column} 1")  # anywhere in the column
        page.locator("#turn.over").wait_for()
        assert 7 <= steps(page) <= 42
        assert page.locator("#seats", has_text="points").count() == 1


@pytest.mark.thorough
def test_from_and_to_are_clicked(browser: Browser) -> None:
    flags = ("--no-browser", "--opponent", "legal", "--play-clock", "1")
    with playing(browser, "play", "breakthrough", *flags) as page:
        is_asked(page, 0)
        page.locator('#board [data-cell="3 2"]').click()
        assert page.locator("#board .mark.selected").count() == 1
        assert page.locator("#board .mark.legal").count() == 3
        assert page.locator("#legal button").count() == 3
        page.keyboard.press("Escape")
        assert page.locator("#board .mark.selected").count() == 0
        page.locator('#board [data-cell="3 2"]').click()
        click(page, "4 3")
        assert page.locator("#moves tbody tr").first.inner_text().split("\t")[1] == "c2-d3"


@pytest.mark.thorough
def test_a_person_on_a_page_plays_in_a_match(browser: Browser) -> None:
    command = ("match", "games/ticTacToe.kif", "human:page", "legal", "--play-clock", "60")
    with playing(browser, *command) as page:
        is_asked(page, 0)
        assert page.get_by_role("button", name="Take back").count() == 0
        for cell in ("b2", "b1"):
            click(page, cell)
        page.locator('#board [data-cell="b3"]').click()
        page.locator("#turn.over", has_text="You win.").wait_for()
        page.locator("#connection", has_text="The program has ended").wait_for()


def drop(page: Page, name: str, held: str | bytes) -> None:
    """Drop a file of text, or of bytes, on the page."""
    page.wait_for_load_state()  # before its script has run nobody takes the file
    page.evaluate(
        """([name, bytes]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
          for (const kind of ["dragover", "drop"]) {
            const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer });
            document.querySelector("#games").dispatchEvent(event);
          }
        }""",
        [name, list(held.encode() if isinstance(held, str) else held)],
    )


def begin_from_gallery(page: Page, title: str) -> None:
    """Begin a match by keyboard, and wait until the person is asked."""
    page.get_by_role("button", name=f"Play {title}", exact=True).press("Enter")
    page.wait_for_url("**/match/")
    is_asked(page, 0)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [390, 1280])
def test_matches_are_begun_in_the_gallery(browser: Browser, width: int) -> None:
    flags = ("--no-browser", "--opponent", "legal", "--play-clock", "1")
    with playing(browser, "play", *flags, width=width) as page:
        assert fits(page)
        page.locator("#count", has_text="48 games").wait_for()
        page.get_by_label("Find").press_sequentially("tic-tac")
        page.locator("#count", has_text="4 of 48 games").wait_for()
        page.get_by_label("Kind").select_option("turns")
        page.locator("#count", has_text="3 of 48 games").wait_for()
        page.get_by_label("Length").select_option("30")
        page.locator("#count", has_text="1 of 48 games").wait_for()
        page.get_by_label("Length").select_option("10")
        page.locator("#count", has_text="1 of 48 games").wait_for()
        page.get_by_label("Players").select_option("2")
        page.locator("#ticTacToe").scroll_into_view_if_needed()
        page.locator("#ticTacToe .picture svg").wait_for()  # drawn as it is seen
        assert fits(page)
        begin_from_gallery(page, "Tic-tac-toe")
        assert fits(page)
        click(page, "b2")
        page.get_by_role("link", name="All games").click()
        page.get_by_text("Your match of Tic-tac-toe goes on").wait_for()
        page.wait_for_load_state()  # the page's script restores what was wanted
        assert page.get_by_label("Find").input_value() == "tic-tac"
        page.get_by_role("link", name="back to it").click()
        is_asked(page, 2)
        page.get_by_role("link", name="All games").click()
        page.get_by_label("Find").fill("")
        page.get_by_label("Your role in Nim").select_option("second")
        begin_from_gallery(page, "Nim")
        assert "second you" in " ".join(page.locator("#seats").inner_text().split())
        page.get_by_role("link", name="All games").click()
        page.locator(".picture svg").first.wait_for()  # the page listens
        rules = (GAMES / "ticTacToe.kif").read_text()
        drop(page, "mine.kif", rules.replace("(role nought)", "(role nought"))
        page.locator("#problems pre", has_text="^").first.wait_for()
        assert "line " in page.locator("#problems li").first.inner_text()
        assert fits(page)
        drop(page, "mine.kif", rules.replace("; Tic-tac-toe", "; My game"))
        page.locator("#added-2 h2", has_text="My game").wait_for()
        begin_from_gallery(page, "My game")
        click(page, "a1")


@pytest.mark.thorough
def test_a_browser_remembers_the_level_of_its_person_from_program_to_program(
    browser: Browser,
) -> None:
    page = browser.new_page()
    page.set_default_timeout(LIMIT)
    with playing(browser, "play", "--no-browser") as looking:
        page.goto(looking.url)
        page.get_by_label("Opponents").select_option("adaptive")
        begin_from_gallery(page, "Tic-tac-toe")
        looking.goto(page.url)
        page.locator("#level", has_text="It is 3 now: looks three steps ahead.").wait_for()
        page.get_by_role("button", name="Resign").press("Enter")
        looking.locator("#level", has_text="The next match is at level 2").wait_for()
        assert looking.context.cookies() == []  # it has not played
        page.locator("#level", has_text="The next match is at level 2").wait_for()
        page.get_by_role("button", name="New match").press("Enter")
        page.locator("#level", has_text="It is 2 now: looks one step ahead.").wait_for()
    with playing(browser, "play", "--no-browser") as other:
        page.goto(other.url)
        found = page.get_by_text("adapts to you, now 2: looks one step ahead")
        found.wait_for(state="attached")
    with playing(browser, "play", "ticTacToe", "--level", "adaptive", "--no-browser") as other:
        other.locator("#level", has_text="It is 3 now").wait_for()
        page.goto(other.url)
        page.locator("#level", has_text="It is 2 now").wait_for()
    page.close()


@pytest.mark.thorough
def test_a_clock_is_seen_to_run_down_and_ends_the_match(browser: Browser) -> None:
    flags = ("--no-browser", "--opponent", "legal", "--play-clock", "4", "--timed")
    with playing(browser, "play", *flags) as page:
        assert page.get_by_label("Clock").locator("option:checked").inner_text() == (
            "4 seconds a move"
        )
        page.get_by_text("Who has no time left has lost.").wait_for()
        begin_from_gallery(page, "Tic-tac-toe")
        clock = page.get_by_role("timer", name="cross, you")
        assert clock.inner_text() == "4.0 s"
        page.locator("#legal button", has_text="b2").press("Enter")
        is_asked(page, 2)
        page.wait_for_function(
            "() => parseFloat(document.querySelector('#clocks .time').textContent) < 3"
        )
        page.reload()
        clock.wait_for()
        assert float(clock.inner_text().split()[0]) < 3.1
        page.locator("#told-clock", has_text="The time of cross is nearly up.").wait_for(
            state="attached"
        )
        page.locator("#turn.over", has_text="Your time is up: you lose.").wait_for()
        assert clock.inner_text() == "0.0 s"
        assert page.locator("#told-clock").inner_text() == ""
        assert page.get_by_role("button", name="Take back").is_disabled()


@pytest.mark.thorough
def test_files_are_read_in_the_encodings_that_they_may_have(browser: Browser) -> None:
    with playing(browser, "play", "--no-browser", "--opponent", "legal") as page:
        rules = (GAMES / "ticTacToe.kif").read_text().replace("; Tic-", "; Für Tic-")
        for number, encoding in enumerate(("utf-16", "utf-8-sig", "windows-1252"), 1):
            drop(page, "mine.kif", rules.encode(encoding))
            page.locator(f"#added-{number} h2", has_text="Für Tic-tac-toe").wait_for()
        for held, complaint in ((b" ", "The file is empty."), (bytes(9), "The file is no text.")):
            drop(page, "mine.kif", held)
            page.locator("#complaint", has_text=complaint).wait_for()


@pytest.mark.thorough
def test_a_page_says_that_its_program_has_ended_and_that_it_runs_again(browser: Browser) -> None:
    page = browser.new_page()
    page.set_default_timeout(LIMIT)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    flags = ("play", "--no-browser", "--opponent", "legal", "--port", str(port))
    with playing(browser, *flags):
        page.goto(f"http://127.0.0.1:{port}/")
        begin_from_gallery(page, "Tic-tac-toe")
    page.locator("#connection", has_text="The program has ended").wait_for()
    page.locator("#board [data-cell]").first.click()
    page.locator("#complaint", has_text="The program does not answer.").wait_for()
    with playing(browser, *flags):
        page.locator("#connection", has_text="The program runs again").wait_for()
        page.get_by_role("link", name="Load the page again").click()
        page.locator("#games").wait_for()
        page.close()


@pytest.mark.thorough
def test_an_open_page_shows_the_match_that_took_its_place(browser: Browser) -> None:
    with playing(browser, "play", "--no-browser", "--opponent", "legal") as page:
        begin_from_gallery(page, "Tic-tac-toe")
        other = browser.new_page()
        other.goto(page.url.replace("match/", ""))
        other.get_by_role("button", name="Play Hex", exact=True).click()
        page.locator("h1", has_text="Hex").wait_for()
        is_asked(page, 0)
        other.close()


@pytest.mark.thorough
def test_a_language_is_chosen_and_kept(browser: Browser) -> None:
    with playing(browser, "play", "--no-browser", "--opponent", "legal", width=390) as page:
        page.get_by_label("Language").select_option("de")
        page.locator("h1", has_text="Ein Spiel spielen").wait_for()
        page.get_by_label("Suchen").fill("tic-tac")
        page.locator("#count", has_text="4 von 48 Spielen").wait_for()
        assert fits(page)
        page.get_by_role("button", name="Tic-tac-toe spielen", exact=True).click()
        page.locator("#turn", has_text="Sie sind am Zug, cross.").wait_for()
        for step, move in ((2, "b2"), (4, "b1"), (5, "b3")):
            page.locator("#legal").get_by_role("button", name=move, exact=True).click()
            page.wait_for_function(
                "step => document.querySelector('#play').dataset.step === `${step}`", arg=step
            )
        page.locator("#turn.over", has_text="Sie gewinnen.").wait_for()
        page.locator("#ending", has_text="Entschieden durch cross auf b1, b2 und b3.").wait_for()
        assert page.locator("html").get_attribute("lang") == "de"
        page.get_by_role("link", name="Alle Spiele").click()
        page.get_by_label("Suchen").fill("")
        page.get_by_role("button", name="Connect four spielen", exact=True).click()
        page.locator("#legal").get_by_role("button", name="Spalte 4", exact=True).click()
        page.locator("#moves td", has_text="Spalte 4").wait_for()
        assert fits(page)
        page.get_by_label("Sprache").select_option("en")
        page.locator("#moves td", has_text="column 4").wait_for()
