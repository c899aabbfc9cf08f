"""The rows of moves as texts: the same columns on the pages and in the terminal."""

from __future__ import annotations

import doctest
import json
import re

from ggp_player.events import COLUMNS, MoveThought, move_table_lines
from ggp_player.events import move_table as module
from tests.support.paths import ROOT


def test_the_examples() -> None:
    failed, attempted = doctest.testmod(module)
    assert attempted > 0
    assert failed == 0


def test_the_pages_have_the_columns() -> None:
    source = (ROOT / "ggp_player/pages/static/thoughts.js").read_text()
    columns = re.search(r"^const COLUMNS = (\[.*?\]);", source, re.M)
    assert columns is not None
    assert tuple(json.loads(columns[1])) == COLUMNS


def test_bounds_say_what_is_proved() -> None:
    bounds = [(0, 100), (0, 50), (50, 100), (1, 99), (30, 30)]
    proofs = [MoveThought(move="m", low=low, high=high).cells[2] for low, high in bounds]
    assert proofs == ["", "≤ 50", "≥ 50", "1 to 99", "yes"]


def test_a_long_line_is_cut() -> None:
    line = (("(m)", "noop"), ("(n)", "(o)"), *[("noop", "noop")] * 7)
    assert MoveThought(move="(m)", line=line).cells[4].startswith("(m), (n) + (o), noop + noop")
    assert MoveThought(move="(m)", line=line).cells[4].endswith(", …")


def test_lines_for_a_terminal() -> None:
    rows = [MoveThought(move="(put a1)", value=50).cells]
    assert move_table_lines(rows) == [
        "move      value  proved  visits  expected",
        "(put a1)  50",
    ]
