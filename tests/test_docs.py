"""Sessions in the documents run as they stand; the problem codes in them are those in the code."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

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
