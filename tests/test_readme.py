"""The sessions in the README and in the package docstrings are run as they stand."""

from __future__ import annotations

import doctest
import re

import gdl
from tests.support.paths import ROOT


def test_the_readme_session_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, attempted = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert attempted > 0
    assert failed == 0


def test_the_package_docstring_runs():
    failed, attempted = doctest.testmod(gdl)
    assert attempted > 0
    assert failed == 0


def test_the_readme_has_exactly_two_set_up_commands_on_its_first_screen():
    screen = (ROOT / "README.md").read_text().splitlines()[:30]
    commands = [line for line in screen if "pip install" in line]
    assert len(commands) == 2


def test_the_readme_names_files_that_exist():
    text = (ROOT / "README.md").read_text()
    named = set(re.findall(r"\b(?:games|docs|gdl|ggp_player)/[\w./]+\w", text))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
