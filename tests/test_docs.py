"""Sessions in the documents run as they stand, codes and pictures are those that the code makes."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from docs._hooks.flowcharts import draw_flowchart, drawings
from gdl.__main__ import main
from tests.support.documents import shell_commands
from tests.support.paths import ROOT

CODE = re.compile(r"[a-z]+(?:-[a-z]+)+")
FOLDERS = ("language", "validation")
"""The packages that report problems."""

MADE_UP = re.compile(r"missing-\w+|never-\w+|\w+-arities")
"""Codes of which the code has one half only; the other half is a name."""


def stated() -> set[str]:
    files = [path for name in FOLDERS for path in (ROOT / "gdl" / name).glob("*.py")]
    strings = re.findall(r'"([^"\n]+)"', "\n".join(path.read_text() for path in files))
    return {string for string in strings if CODE.fullmatch(string)} - {"one-term"}


def test_every_problem_code_is_documented():
    documented = set(re.findall(r"`([^`]+)`", (ROOT / "docs" / "problems.md").read_text()))
    codes = {code for code in documented if CODE.fullmatch(code)}
    assert stated() - codes == set()
    assert {code for code in codes - stated() if not MADE_UP.fullmatch(code)} == set()


SESSIONS = [path for path in sorted((ROOT / "docs").glob("*.md")) if ">>> " in path.read_text()]


@pytest.mark.thorough
@pytest.mark.parametrize("path", SESSIONS, ids=[path.name for path in SESSIONS])
def test_sessions_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, attempted = doctest.testfile(str(path), module_relative=False)
    assert attempted > 0
    assert failed == 0


def test_the_board_of_the_front_page_is_what_its_command_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (command,) = shell_commands(ROOT / "docs" / "index.md")
    *arguments, svg = shlex.split(command)[1:]
    result = CliRunner().invoke(main, [*arguments, str(tmp_path / "board.svg")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "board.svg").read_text() == (ROOT / svg).read_text()


FLOWCHARTS = list(drawings())


@pytest.mark.parametrize(
    ("path", "flowchart"), FLOWCHARTS, ids=[path.name for path, _ in FLOWCHARTS]
)
def test_drawn_flowcharts_are_those_of_the_page(path: Path, flowchart: str) -> None:
    """Where they are not, ``python docs/_hooks/flowcharts.py`` draws them anew."""
    svg = "{http://www.w3.org/2000/svg}"
    assert path.read_text(encoding="utf-8") == draw_flowchart(flowchart)
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.parse(path)
    titles = [title.text for title in root.iterfind(f"{svg}g/{svg}title")]
    arrows = re.findall(r"^ *(\w+).* (?:-->|\.-)(?:\|.*?\|)? (\w+)", flowchart, re.MULTILINE)
    assert len(arrows) == len(flowchart.splitlines())
    names = {name for arrow in arrows for name in arrow}
    assert sorted(map(str, titles)) == sorted([*names, *("->".join(arrow) for arrow in arrows)])
    drawn = {"".join(text.itertext()) for text in root.iter(f"{svg}text")}
    texts = re.findall(r'\["(.*?)"\]|\(\((.*?)\)\)|\|(.*?)\||-\. (.*?) \.-', flowchart)
    assert drawn >= {
        re.sub("</?b>", "", line) for found in texts for line in "".join(found).split("<br>")
    }
