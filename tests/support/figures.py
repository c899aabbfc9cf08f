"""The measured figures that documents repeat, all taken from one table.

``docs/engine_speed.md`` holds what ``gdl bench`` has written. Other documents repeat some of it
between markers such as ``<!-- speed summary: begin -->`` and ``<!-- speed summary: end -->``. After
a new measurement, ``python -m tests.support.figures`` writes these parts anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tests.support.paths import ROOT

SOURCE = ROOT / "docs" / "engine_speed.md"

REPEATING = (ROOT / "README.md", ROOT / "docs" / "engine.md")
"""The documents that repeat figures."""

_SUMMARY = re.compile(
    r"geometric mean (?P<mean>\S+), median (?P<median>\S+), "
    r"least (?P<least>\S+) \((?P<game>\w+)\), over (?P<count>\d+) game"
)

_PART = re.compile(
    r"(<!-- (speed [a-z]+): begin -->\n)(.*?)(<!-- \2: end -->)", re.MULTILINE | re.DOTALL
)


def measured() -> dict[str, dict[str, str]]:
    """The rows of the table of published games, by game; each has its cells by column."""
    lines = [line for line in SOURCE.read_text(encoding="utf-8").splitlines() if line]
    begin = next(number for number, line in enumerate(lines) if line.startswith("| game |"))
    names, _, *rows = [_cells(line) for line in _table(lines[begin:])]
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def summary() -> Mapping[str, str]:
    """What ``gdl bench`` says of all games together, by ``mean``, ``median``, ``least`` ..."""
    found = _SUMMARY.search(SOURCE.read_text(encoding="utf-8"))
    assert found is not None
    return found.groupdict()


def number(text: str) -> float:
    """The value of a short figure: ``1.85 k`` is 1850."""
    value, _, unit = text.partition(" ")
    return float(value) * {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}[unit]


def rendered(text: str) -> str:
    """A document with every part between markers as the figures are now."""
    return _PART.sub(lambda part: part[1] + _content(part[2]) + part[4], text)


def parts(text: str) -> list[str]:
    """The names of the parts of a document that repeat figures."""
    return [part[1] for part in _PART.findall(text)]


def _content(name: str) -> str:
    assert name == "speed summary"
    rows, all_games = measured(), summary()
    return (
        f"All {len(rows)} games run compiled. Over the {all_games['count']} that another GDL "
        f"engine plays too, the geometric mean is\n{all_games['mean']} times the fastest of five, "
        f"the median {all_games['median']}, the least {all_games['least']} "
        f"({all_games['game']}).\n"
    )


def _table(lines: list[str]) -> list[str]:
    end = next((n for n, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return lines[:end]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def write(documents: tuple[Path, ...] = REPEATING) -> None:
    """Write the figures into the documents that repeat them."""
    for path in documents:
        path.write_text(rendered(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
