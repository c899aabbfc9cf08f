"""The documentation site: it is built without a warning, is whole, and asks no other host."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.support.paths import ROOT

pytest.importorskip("material", reason="needs the extra docs")
pytest.importorskip("mkdocstrings", reason="needs the extra docs")

import click

from docs._hooks.docstrings import Translator
from docs._hooks.pages import files_outside, in_repository, in_site, links
from docs._hooks.reference import command_text

SETTINGS = ROOT / "mkdocs.yml"

needs_checkout = pytest.mark.skipif(not SETTINGS.exists(), reason="is not in the sdist")

TRANSLATOR = Translator({"Game": ["gdl.Game"], "Step": ["gdl.a.Step", "gdl.b.Step"]})


def translated(docstring: str, scope: str = "gdl.b.Thing") -> str:
    return TRANSLATOR.markdown(docstring, scope)


def link(identifier: str, text: str) -> str:
    return f'<autoref optional identifier="{identifier}"><code>{text}</code></autoref>'


@pytest.mark.parametrize(
    ("docstring", "identifier", "text"),
    [
        (":class:`.Game`", "gdl.Game", "Game"),
        (":class:`Game`", "gdl.Game", "Game"),
        (":class:`gdl.Game`", "gdl.Game", "gdl.Game"),
        (":meth:`Game.play`", "gdl.Game.play", "Game.play"),
        (":class:`.Step`", "gdl.b.Step", "Step"),
        (":meth:`turn`", "gdl.b.Thing.turn", "turn"),
        (":mod:`the language <gdl.language>`", "gdl.language", "the language"),
        (":class:`.Unknown`", "gdl.b.Thing.Unknown", "Unknown"),
        (":mod:`.Game`", "gdl.b.Thing.Game", "Game"),
    ],
)
def test_roles_become_references(docstring: str, identifier: str, text: str) -> None:
    assert translated(docstring) == link(identifier, text)


def test_code_may_span_lines() -> None:
    assert translated("Of ``(a\nb)``, and ``c``.") == "Of `(a\nb)`, and `c`."


def test_literal_blocks_and_sessions_are_fenced() -> None:
    text = translated("So::\n\n    >>> 1\n    1\n\nThen::\n\n    a\n      b\n\n>>> 2\n2\n\nEnd.")
    assert re.findall(r"```.*?```", text, re.DOTALL) == [
        "```pycon\n>>> 1\n1\n```",
        "```text\na\n  b\n```",
        "```pycon\n>>> 2\n2\n```",
    ]
    assert "So:\n" in text
    assert text.endswith("End.")


def test_simple_tables_become_tables() -> None:
    text = translated("=====  ===\n``a``  one\n       two\n|b|    x\n=====  ===")
    assert text.strip() == "|  |  |\n| --- | --- |\n| `a` | one two |\n| \\|b\\| | x |"
    text = translated("=  =\nA  B\n=  =\na  b\n=  =")
    assert text.strip() == "| A | B |\n| --- | --- |\n| a | b |"


def test_terms_and_their_definitions() -> None:
    text = translated("term\n    What it is,\n    in words.\nother\n    More.\n\n- item\n  goes on")
    first, second = "term\n:   What it is,\n    in words.\n", "other\n:   More.\n\n"
    assert text == f"{first}\n{second}\n- item\n  goes on"


def test_places_in_the_repository_and_in_the_site() -> None:
    for path in ("docs/search.md", "benchmarks/strength/README.md", "README.md"):
        assert in_repository(in_site(path)) == path
    assert list(links("[a](../b.md#c) [d](#e) [f](https://g)", "docs/h.md")) == [
        ("../b.md", "b.md")
    ]


@needs_checkout
def test_files_outside_are_found_through_others() -> None:
    found = files_outside(["docs/strength.md"])
    assert "benchmarks/strength/history.md" in found
    assert all((ROOT / path).is_file() for path in found)


def test_a_command_is_described_with_those_below_it() -> None:
    @click.group()
    def program() -> None:
        """Do it.

        \b
        Examples:
            program add *
        """

    @program.command()
    @click.option("--times", default=2, show_default=True, help="How often; a_b|c, or --all.")
    @click.argument("names", nargs=-1)
    def add(times: int, names: tuple[str, ...]) -> None:
        """Add <= --times."""

    text = "\n".join(command_text(program, click.Context(program, info_name="program"), 1))
    assert text.startswith("# The command program\n```text\nprogram [OPTIONS] COMMAND [ARGS]...")
    assert "```text\nExamples:\n    program add *\n```" in text
    assert "## program add\n" in text
    assert "Add &lt;= `--times`." in text
    assert r"| `--times INTEGER` | How often; a\_b&#124;c, or `--all`. \[default: 2] |" in text


@needs_checkout
def test_the_front_page_and_the_navigation_have_all_pages_in_the_same_order() -> None:
    navigation = re.findall(r"- (?:Home: )?([\w/.]+\.md)$", SETTINGS.read_text(), re.MULTILINE)
    pages = [page for page in navigation if not page.startswith("reference/")]
    docs = ROOT / "docs"
    assert sorted(pages) == sorted(str(path.relative_to(docs)) for path in docs.rglob("*.md"))
    records = re.compile(r"decisions/(?!README)")  # linked from the page of all decisions
    pages = [page for page in pages if not records.match(page)]
    front = (ROOT / "docs" / "index.md").read_text()
    found = [target for link, target in links(front, "docs/index.md") if "../" not in link]
    linked = [target for target in found if target.endswith(".md")]  # notebooks are no pages
    assert [f"docs/{page}" for page in pages[1:]] == linked


class _Page(HTMLParser):
    """What a page names: its anchors, where its links lead, and what the browser loads for it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.anchors.update(attributes[name] for name in ("id", "name") if name in attributes)
        if tag == "a" and "href" in attributes:
            self.targets.append(attributes["href"])
        elif address := attributes.get("href" if tag == "link" else "src"):
            self.loaded.append(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, _Page]:
    """The pages of the site, by their files."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {path: _Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}


@needs_checkout
@pytest.mark.thorough
def test_the_site_is_whole_and_asks_no_other_host(site: dict[Path, _Page]) -> None:
    assert len(site) > len(list((ROOT / "docs").glob("*.md")))
    broken = []
    for path, page in site.items():
        for address in [*page.targets, *page.loaded]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                assert address not in page.loaded or parts.scheme == "data", (path, address)
            elif path.name != "404.html":  # it has addresses from the root of a host
                target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                target = target / "index.html" if target.is_dir() else target
                anchors = {"", *(site[target].anchors if target in site else ())}
                if not target.exists() or unquote(parts.fragment) not in anchors:
                    broken.append((str(path), address))
    assert broken == []


@needs_checkout
@pytest.mark.thorough
def test_the_reference_has_all_public_names(site: dict[Path, _Page]) -> None:
    import gdl
    import gdl.engine
    import gdl.envs
    import ggp_player.strategies

    anchors = set().union(*(page.anchors for page in site.values()))
    for package in (gdl, gdl.envs, gdl.engine, ggp_player.strategies):
        names = {f"{package.__name__}.{name}" for name in package.__all__}
        assert names - anchors == set()
    assert {"gdl-check", "ggp-player-serve", "ggp-player-lab-duel"} <= anchors
