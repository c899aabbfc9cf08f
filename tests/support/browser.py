"""A browser for tests, and what axe-core finds in its pages that some people could not use.

It needs Chromium, Playwright, and axe-core, which comes with ``axe-playwright-python``.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import product
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.async_api import Page as AsyncPage
    from playwright.sync_api import Browser, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look with")

WIDTHS = (1280, 390)
"""Pixels of the pages that are looked at: of a desk, and of a phone."""

LIMIT = 60_000
"""Milliseconds that anything may take to be seen."""

BE_SEEN = """(isSeen) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => !isSeen });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
"""Tells a page that its tab has come to the front, or that another one is there now.

All tabs of a browser without windows take themselves to be seen.
"""

OPTIONS = {"resultTypes": ["violations"]}


@contextmanager
def launched() -> Iterator[Browser]:
    """Run a Chromium; the test is skipped where there is none, or no Playwright."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium to look with")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def heard(page: Page | AsyncPage) -> list[str]:
    """What a page's console will say, and its errors: a page that works says nothing."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


@contextmanager
def looking(browser: Browser, width: int = 390, height: int = 850) -> Iterator[Page]:
    """Open a page, in pixels; whatever its console says is an error."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(LIMIT)
    said = heard(page)
    yield page
    page.close()
    assert said == []


def fits(page: Page) -> bool:
    """Whether nothing is wider than the page."""
    found: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return found


@asynccontextmanager
async def opened_page(limit: float, ignored: str = "\n") -> AsyncIterator[AsyncPage]:
    """Open a page in a Chromium of its own; what its console says is an error, unless ``ignored``.

    ``limit`` is how many milliseconds anything may take to be seen.
    """
    playwright = pytest.importorskip("playwright.async_api", reason="pip install playwright")
    async with playwright.async_playwright() as started:
        browser = await started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page()
        page.set_default_timeout(limit)
        said = heard(page)
        yield page
        await browser.close()
        assert [text for text in said if ignored not in text] == []


def violations(page: Page) -> list[str]:
    """What axe-core objects to in a page, in light and dark and in all widths, each in a line."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = []
    for scheme, width in product(("light", "dark"), WIDTHS):
        page.set_viewport_size({"width": width, "height": 850})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        for broken in axe.run(page, options=OPTIONS).response["violations"]:
            nodes = "; ".join(node["html"][:200] for node in broken["nodes"])
            found.append(f"{page.url}, {scheme}, {width} px: {broken['help']}: {nodes}")
    return found
