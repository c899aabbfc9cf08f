"""The drawings of the textbook trees are those that the commands beside them make."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from ggp_player.__main__ import main
from tests.support.documents import shell_commands
from tests.support.marks import thorough
from tests.support.paths import ROOT

SVG = "{http://www.w3.org/2000/svg}"

PAGES = (
    "minimax",
    "bounded_minimax",
    "alpha_beta",
    "iterative_deepening",
    "max_n",
    "deliberation",
)


def command_of(page: str) -> list[str]:
    """The command of a page that makes its drawing, as words."""
    commands = shell_commands(ROOT / "docs" / f"{page}.md")
    (command,) = (c for c in commands if f"--output docs/{page}.svg" in c)
    return shlex.split(command)


def structure(drawing: str) -> tuple[Counter[str], list[str]]:
    """The kinds of nodes and edges in a drawing, and its texts, but not where they are."""
    root = ElementTree.fromstring(drawing)
    kinds = Counter(group.get("class", "") for group in root.iter(f"{SVG}g"))
    return kinds, sorted(element.text or "" for element in root.iter(f"{SVG}text"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_its_drawing(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    assert re.search(rf"!\[[^\]]{{20,}}\]\({page}\.svg\)", text)
    drawing = (ROOT / "docs" / f"{page}.svg").read_text()
    assert " ".join(command_of(page)[3:5]).replace("--strategy ", "") in drawing
    root = ElementTree.fromstring(drawing)
    assert root.get("viewBox")


@pytest.mark.parametrize(
    "page",
    [*PAGES[:2], *thorough(*PAGES[2:])],
)
def test_its_command_makes_the_drawing_again(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    program, *arguments = command_of(page)
    assert program == "ggp-player"
    made = tmp_path / "tree.svg"
    arguments[arguments.index("--output") + 1] = str(made)
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert structure(made.read_text()) == structure((ROOT / "docs" / f"{page}.svg").read_text())
