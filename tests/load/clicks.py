"""How long is it from a click to the board? Matches of many games in a real browser.

The program is the one that a person starts, and the opponents move at random, at once. Meanwhile
as many processes as wanted keep the machine busy. Time is what the page measures: from the event of
the click that makes a move until the next board has been painted.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import TYPE_CHECKING

from tests.support.browser import launched
from tests.support.command_line import serving_pages

if TYPE_CHECKING:
    from playwright.sync_api import Page

LIMIT = 60_000
"""Milliseconds that a click may take."""

LOOKING = 500
"""Milliseconds that a person looks at a board before each click, at least."""

POLLING = 200
"""Milliseconds between two looks at what the page has measured: one in each frame costs it time."""

RANDOM_LEVEL = "1"

TIMING = """
window.clicked = 0;
window.seconds = null;
addEventListener("click", (event) => {
  [window.clicked, window.seconds] = [event.timeStamp, null];
}, true);
new MutationObserver(() => {
  if (window.seconds !== null || !window.clicked) return;
  const label = document.querySelector("#board svg, #board ul")?.getAttribute("aria-label");
  const step = document.querySelector("#play")?.dataset.step;
  if (!label || `${label} ${step}` === window.before) return;
  window.seconds = NaN;
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { window.seconds = (performance.now() - window.clicked) / 1000; };
    port2.postMessage(null); // which comes after the frame
  });
}).observe(document, { subtree: true, childList: true, attributes: true });
"""
"""Notes how long it was from the last click to the frame with another board, or step."""

BEFORE = """() => {
  const label = document.querySelector("#board svg, #board ul")?.getAttribute("aria-label");
  window.before = `${label} ${document.querySelector("#play")?.dataset.step}`;
}"""


@dataclass(frozen=True, slots=True)
class Clicks:
    """How many matches, each of another game, with how many clicks, beside how many processes."""

    games: int = 20
    clicks: int = 5
    busy: int = 0


@dataclass(slots=True)
class Delays:
    """Seconds from each click to its board, by game; and the load average, before and after."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    loads: list[float] = field(default_factory=list)

    def figures(self) -> tuple[float, float, float, float]:
        """The median, the 90th and 99th percentiles and the maximum."""
        found = [each for seconds in self.seconds.values() for each in seconds]
        hundredths = quantiles(found, n=100, method="inclusive")
        return median(found), hundredths[89], hundredths[98], max(found)


def measure(clicks: Clicks, settle: float) -> Delays:
    """Play the matches, after ``settle`` seconds in which the load average comes to its height."""
    found = Delays()
    with (
        _busy(clicks.busy),
        serving_pages("play", "--no-browser") as address,
        launched() as browser,
    ):
        time.sleep(settle)
        found.loads.append(os.getloadavg()[0])
        page = browser.new_page(viewport={"width": 1280, "height": 850})
        page.set_default_timeout(LIMIT)
        page.add_init_script(TIMING)
        page.goto(address)
        names: list[str] = page.locator("#games > *").evaluate_all("all => all.map(one => one.id)")
        for name in names[:: max(1, len(names) // clicks.games)][: clicks.games]:
            page.goto(address)
            page.locator("#level").select_option(RANDOM_LEVEL)
            page.locator(f"[id='{name}'] button").click()
            found.seconds[name] = list(_delays(page, clicks.clicks))
        found.loads.append(os.getloadavg()[0])
    return found


def _delays(page: Page, count: int) -> Iterator[float]:
    """Choose the first legal move so many times, or until the match is over."""
    for _ in range(count):
        page.locator("#turn.yours, #turn.over").first.wait_for()
        page.locator("#board svg, #board ul").first.wait_for()
        move = page.locator("#legal button").first
        if page.locator("#turn.over").count() or not move.count():
            return
        page.wait_for_timeout(LOOKING)
        page.evaluate(BEFORE)
        move.click()
        page.wait_for_function("() => window.seconds > 0", polling=POLLING)
        yield page.evaluate("window.seconds")


@contextmanager
def _busy(count: int) -> Iterator[None]:
    """Keep so many processes busy."""
    command = [sys.executable, "-c", "while True: pass"]
    started = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()
