"""The exercises for students: what is missing is said, and whoever can do it passes."""

from __future__ import annotations

import runpy
from collections.abc import Callable

import pytest

from tests.support.paths import ROOT

MODULE = runpy.run_path(str(ROOT / "docs" / "examples" / "exercises.py"))


def verdict(name: str, strategy: str) -> str:
    exercise: Callable[[str], str] = dict(MODULE["EXERCISES"])[name]
    return exercise(strategy)


@pytest.mark.parametrize(
    ("name", "strategy", "missing"),
    [
        ("take a win in one move", "alpha_beta", ""),
        ("take a win in one move", "legal", "(put c3) wins at once, and it chose (put b1)"),
        ("find what can be forced", "minimax", ""),
        ("find what can be forced", "legal", "the value of a1 is 3, and it says None"),
    ],
)
def test_a_verdict_in_words(name: str, strategy: str, missing: str) -> None:
    assert verdict(name, strategy) == missing


@pytest.mark.thorough
def test_a_first_player_passes_the_first_only() -> None:
    assert verdict("write a legal player", "legal") == ""
    missing = verdict("never lose tic-tac-toe to minimax", "legal")
    assert missing.endswith("against bounded_minimax in ticTacToe, in 4 matches; it takes 50")


def test_a_strategy_that_fails_is_told_so_in_each_exercise() -> None:
    said = [missing for _, missing in MODULE["verdicts"]("no_such_strategy")]
    assert len(said) == 6
    assert all("there is no strategy 'no_such_strategy'" in missing for missing in said)
