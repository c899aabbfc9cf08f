"""Documents that repeat a measured figure say what the measurement says."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import fmean, geometric_mean, median

import pytest

from tests.support.figures import REPEATING, SOURCE, measured, number, parts, rendered, summary
from tests.support.paths import ROOT

ROWS = measured()
EARLIER_PLAYERS = ROOT / "benchmarks" / "strength" / "earlier_players.md"
"""Not in a source distribution."""


@pytest.mark.parametrize("path", REPEATING, ids=[path.name for path in REPEATING])
def test_repeated_figures_are_those_of_the_table(path: Path) -> None:
    text = path.read_text()
    assert "speed summary" in parts(text)
    assert rendered(text) == text, "python -m tests.support.figures writes them anew"


def test_the_summary_follows_from_the_table() -> None:
    ratios = {game: number(row["ratio"]) for game, row in ROWS.items() if row["ratio"]}
    found = summary()
    assert int(found["count"]) == len(ratios)
    assert number(found["mean"]) == pytest.approx(geometric_mean(ratios.values()), rel=0.005)
    assert number(found["median"]) == pytest.approx(median(ratios.values()), rel=0.005)
    assert (number(found["least"]), found["game"]) == min((r, game) for game, r in ratios.items())


@pytest.mark.parametrize("game", [game for game, row in ROWS.items() if row["ratio"]])
def test_ratios_are_those_of_the_speeds_beside_them(game: str) -> None:
    row = ROWS[game]
    ratio = number(row["states/s"]) / number(row["its states/s"])
    # Each figure has three digits, the least ones of the provers only one or two.
    assert number(row["ratio"]) == pytest.approx(ratio, rel=0.06 if "prover" in str(row) else 0.01)


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/*.md")]
)
def test_no_ratio_is_typed_outside_the_marked_parts(path: Path) -> None:
    if path == SOURCE:
        return
    text = re.sub(
        r"<!-- (speed \w+): begin -->.*?<!-- \1: end -->", "", path.read_text(), flags=re.S
    )
    for figure in ("mean", "median"):
        assert not re.search(rf"\b{re.escape(summary()[figure])} times", text)
        assert not re.search(rf"{figure} (?:is )?{re.escape(summary()[figure])}\b", text)


@pytest.mark.skipif(not EARLIER_PLAYERS.exists(), reason="needs the checkout")
def test_the_totals_of_strength_follow_from_their_rows() -> None:
    text = EARLIER_PLAYERS.read_text()
    table = text.partition("| game | `random`")[2].partition("\n\n")[0]
    rows = [
        re.findall(r"\d+", line.partition("|")[2].partition("|")[2]) for line in table.split("\n")
    ]
    values = [[int(cell) for cell in row] for row in rows if len(row) == 3]
    *games, totals = values
    for column, total in enumerate(totals):
        assert total == pytest.approx(fmean(row[column] for row in games), abs=0.6)
