"""Real rulesheets are read, printed and played as the traces of the collection say, line by line.

A trace has one seeded playout or more; the evaluator that wrote it puts names in lower case.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import gdl
from tests.support.traces import (
    GAMES,
    SHEETS,
    assert_lines_agree,
    trace_of,
)

pytestmark = pytest.mark.corpus


@pytest.mark.timeout(300)
@pytest.mark.parametrize("rulesheet", GAMES.values(), ids=GAMES)
def test_trace(rulesheet: Path) -> None:
    header, *lines = trace_of(rulesheet)
    assert header["game"] == rulesheet.stem
    machine = gdl.interpret(gdl.load(rulesheet))
    assert [str(role).lower() for role in machine.roles] == header["roles"]
    assert_lines_agree(machine, lines)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("rulesheet", SHEETS, ids=[path.stem for path in SHEETS])
def test_a_rulesheet_is_read_and_printed(rulesheet: Path) -> None:
    rules = gdl.load(rulesheet)
    assert rules.rules
    assert rules.roles
    again = gdl.parse(str(rules))
    assert again == rules
    assert str(again) == str(rules)
    assert rules.spellings.keys() >= again.spellings.keys()
