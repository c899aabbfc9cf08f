"""Reports of analyses."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from gdl.analysis import analyse
from gdl.cli.commands.show import show_command
from gdl.reports.analysis_report import analysis_text
from tests.support.analysed_games import structure_of
from tests.support.compiled_games import reasoner_of
from tests.support.paths import GAMES


def test_a_report_of_parts() -> None:
    lines = analysis_text(structure_of("nim")).splitlines()
    assert lines[0].startswith("2 players; seen in 512 random playouts")
    assert "turns: no role has a choice in two successive states (observed)" in lines
    assert "goals: add up to 100 (proved)" in lines
    assert "length: at most 14 steps (proved)" in lines
    assert "size: 328 states (counted)" in lines
    assert "parts: 3 in parallel (proved)" in lines


def test_a_report() -> None:
    lines = analysis_text(structure_of("ticTacToe")).splitlines()
    assert "turns: one role at a time has a choice (proved)" in lines
    assert "goals: add up to 100 (proved)" in lines
    assert "length: at most 9 steps (proved)" in lines
    assert "size: 5478 states (counted)" in lines


def test_a_report_from_playouts_alone_says_so() -> None:
    text = analysis_text(analyse(reasoner_of("tron")))
    assert "(proved)" not in text.replace("several roles choose at once (proved)", "")
    assert "goals: add up to 100 (observed)" in text


def test_the_command(tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    arguments = [str(GAMES / "nim.kif"), "--analysis", "--output", str(target)]
    result = CliRunner().invoke(show_command, arguments)
    assert result.exit_code == 0, result.output
    assert "parts: 3 in parallel (proved)" in target.read_text().splitlines()


@pytest.mark.parametrize("others", [["--circuit"], ["--format", "dot"]])
def test_an_analysis_is_not_asked_for_with_anything_else(others: list[str]) -> None:
    result = CliRunner().invoke(show_command, [str(GAMES / "nim.kif"), "--analysis", *others])
    assert result.exit_code == 2
    assert "leave out --circuit and --format" in result.output
