"""``gdl coverage``: what compiling takes, in a table with a summary, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gdl.__main__ import main
from gdl.benchmark.coverage import (
    Coverage,
    CoverageLimits,
    coverage_page,
    measure_compilation,
    measure_coverage,
)
from gdl.errors import Source
from tests.support.paths import ROOT

GAMES = ROOT / "games"

ENDLESS = "(role you) (init a) (legal you go) (p a) (<= (p (f ?x)) (p ?x)) (<= terminal (p b))"
"""Rules whose terms grow without end."""

FACTS = {"processor": "a processor", "cores": 2, "load": 0.5}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_a_folder_is_searched_at_any_depth(tmp_path: Path) -> None:
    folder = tmp_path / "nim" / "v0"
    folder.mkdir(parents=True)
    (folder / "nim.kif").write_text((GAMES / "nim.kif").read_text())
    (tmp_path / "endless.kif").write_text(ENDLESS)
    page = tmp_path / "coverage.md"
    result = run("coverage", tmp_path, "--output", page, "--jobs", 2)
    assert result.exit_code == 0, result.output
    lines = page.read_text().splitlines()
    games = [line.split("|")[1].strip() for line in lines if line.startswith("|")]
    assert games == ["game", "---", "endless", "nim"]
    assert "- 2 rulesheets: 1 compiled, 1 refused" in lines
    assert "levels deep" in next(line for line in lines if line.startswith("| endless"))
    assert "2 rulesheets: 1 compiled" in result.stdout


def test_figures_of_a_game() -> None:
    found = measure_compilation("nim", (GAMES / "nim.kif").read_text())
    assert found.refusal is None
    assert found.seconds is not None
    assert 0 < found.seconds < 60
    assert found.ground_rules == 224
    assert (found.gates or 0) > 100
    assert 20e6 < (found.memory or 0) < 4e9


def test_what_takes_too_long_is_given_up() -> None:
    source = Source((GAMES / "nim.kif").read_text())
    (found,) = measure_coverage([("nim", source)], CoverageLimits(seconds=0.01), jobs=1)
    assert found == Coverage("nim", refusal="not done after 0.01 seconds")


def test_what_takes_too_much_memory_is_reported() -> None:
    source = Source((GAMES / "nim.kif").read_text())
    (found,) = measure_coverage([("nim", source)], CoverageLimits(memory=2**28), jobs=1)
    assert found.game == "nim"
    assert found.refusal is not None


def test_a_folder_without_rulesheets_is_a_mistake(tmp_path: Path) -> None:
    result = run("coverage", tmp_path)
    assert result.exit_code == 2
    assert "expected a folder with files *.kif" in result.stderr


def test_the_page_has_quantiles_and_the_largest() -> None:
    found = [Coverage(f"g{n}", float(n), 100 * n, 10 * n, n * 10**6) for n in range(1, 11)]
    page = coverage_page([*found, Coverage("bad", refusal="a | b\n c")], FACTS)
    assert "- CPU seconds: half up to 5.00, nine in ten up to 9.00, the most 10.00 (g10)" in page
    assert "- gates: half up to 50, nine in ten up to 90, the most 100 (g10)" in page
    assert "- a processor, 2 cores, load 0.5" in page
    assert r"| bad |  |  |  |  | a \| b c |" in page


@pytest.mark.parametrize("found", [[], [Coverage("bad", refusal="no")]])
def test_a_page_without_compiled_games(found: list[Coverage]) -> None:
    assert f"- {len(found)} rulesheets: 0 compiled, {len(found)} refused" in coverage_page(
        found, FACTS
    )
