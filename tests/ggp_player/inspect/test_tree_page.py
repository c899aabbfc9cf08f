"""A tree in an HTML file: all in one file, and unfolded, moved and zoomed in a browser."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from ggp_player.inspect import (
    PAGE_LIMITS,
    FigureLimits,
    TreeFigure,
    make_tree_figure,
    tree_html,
)
from ggp_player.inspect.traced_strategies import TRACED_STRATEGIES, TracedStrategy
from ggp_player.strategies.selection import strategy_from
from tests.support.tree_games import Tree, position, turns

WIDE: Tree = tuple(tuple((n, n + 1, n + 2) for n in range(5)) for _ in range(12))


@pytest.fixture(scope="module")
def figure() -> TreeFigure:
    strategy = strategy_from("minimax", TRACED_STRATEGIES)
    assert isinstance(strategy, TracedStrategy)
    list(strategy.search(position(turns(WIDE))))
    assert strategy.trace is not None
    return make_tree_figure(strategy.trace, PAGE_LIMITS, opened=FigureLimits(nodes=20))


def test_all_nodes_are_in_the_file_and_some_are_open(figure: TreeFigure) -> None:
    text = tree_html(figure, "wide")
    data = re.search(r'id="tree-data">(.*?)</script>', text)
    assert data is not None
    waiting, count, is_open = [json.loads(data[1])], 0, 0
    while waiting:
        node = waiting.pop()
        count += 1
        is_open += node["open"] and bool(node["children"])
        waiting += node["children"]
    assert count == 1 + 12 + 60 + 180
    assert 1 < is_open < 10
    assert figure.remark == ""


def test_nothing_is_loaded_and_all_text_is_escaped(figure: TreeFigure) -> None:
    text = tree_html(figure, "</script><b>&")
    assert "</script><b>" not in text
    assert "&lt;/script&gt;&lt;b&gt;&amp;" in text
    assert not re.search(r'(src|href)="', text)
    assert "default-src 'none'" in html.unescape(text)
    assert text.count("</script>") == 3


@pytest.mark.thorough
def test_a_browser_folds_and_unfolds(figure: TreeFigure, tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra browser")
    chromium = Path("/usr/bin/chromium")
    if not chromium.exists():
        pytest.skip("needs /usr/bin/chromium")
    file = tmp_path / "tree.html"
    file.write_text(tree_html(figure, "wide"), encoding="utf-8")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(chromium), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(file.as_uri())
        before = page.locator(".node").count()
        assert page.locator(".node.folded").count() > 0
        page.click("#fit")
        page.locator(".node.folded.turns").first.click()
        unfolded = page.locator(".node").count()
        assert unfolded > before
        page.keyboard.press("Enter")
        assert page.locator(".node").count() == before
        page.click("#unfold")
        assert page.locator(".node").count() == 1 + 12 + 60 + 180
        placed = page.locator("#tree > g").get_attribute("transform")
        page.click("#larger")
        assert page.locator("#tree > g").get_attribute("transform") != placed
        browser.close()
    assert problems == []
