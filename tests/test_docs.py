"""The list of problem codes in the documents is the one in the code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = re.compile(r"[a-z]+(?:-[a-z]+)+")
MADE_UP = re.compile(r"missing-\w+|never-\w+|\w+-arities")
"""Codes of which the code has one half only; the other half is a name."""


def stated() -> set[str]:
    folders = [ROOT / "gdl" / name for name in ("checks", "notation")]
    files = [*folders[0].glob("*.py"), *folders[1].glob("*.py")]
    files += [ROOT / "gdl" / f"{name}.py" for name in ("parser", "simulation", "validator")]
    strings = re.findall(r'"([^"\n]+)"', "\n".join(path.read_text() for path in files))
    return {string for string in strings if CODE.fullmatch(string)} - {"one-term"}


def test_every_problem_code_is_documented():
    documented = set(re.findall(r"`([^`]+)`", (ROOT / "docs" / "problems.md").read_text()))
    codes = {code for code in documented if CODE.fullmatch(code)}
    assert stated() - codes == set()
    assert {code for code in codes - stated() if not MADE_UP.fullmatch(code)} == set()
