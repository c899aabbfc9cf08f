"""The exercises for students: each has a solution that passes, and mistakes that are named."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from tests.support import exercise_solutions
from tests.support.paths import ROOT
from tests.support.programs import printed_by

SCRIPT = ROOT / "docs" / "examples" / "exercises.py"
MODULE = runpy.run_path(str(SCRIPT))

LEGAL = "write a legal player"
WIN = "take a win in one move"
RANDOM = "beat random"
FORCED = "find what can be forced"
MINIMAX = "never lose tic-tac-toe to minimax"
ALPHA_BETA = "beat alpha_beta"


def handed_in(name: str) -> str:
    """How a strategy is called: a class of the solutions, or one of our own."""
    return f"{exercise_solutions.__file__}:{name}" if name[0].isupper() else name


def verdict(name: str, strategy: str) -> str:
    exercise: Callable[[str], str] = dict(MODULE["EXERCISES"])[name]
    return exercise(strategy)


def verdicts(strategy: str) -> dict[str, str]:
    return dict(MODULE["verdicts"](strategy))


@pytest.mark.parametrize(
    ("exercise", "solution"),
    [
        (LEGAL, "Last"),
        (WIN, "Greedy"),
        (FORCED, "Deepening"),
        pytest.param(RANDOM, "HandMadeUct", marks=pytest.mark.thorough),
        pytest.param(MINIMAX, "Deepening", marks=pytest.mark.thorough),
        pytest.param(ALPHA_BETA, "Lines", marks=pytest.mark.slow),
        pytest.param(ALPHA_BETA, "HandMadeUct", marks=pytest.mark.slow),
    ],
)
def test_a_solution_passes(exercise: str, solution: str) -> None:
    assert verdict(exercise, handed_in(solution)) == ""


@pytest.mark.parametrize(
    ("exercise", "mistake", "missing"),
    [
        (WIN, "legal", "(put c3) wins at once, and it chose (put b1)"),
        (FORCED, "Optimist", "a1 forces 3, other moves 2; it chose a3"),
        (FORCED, "Greedy", "a1 is right, and worth 3; its Choice has no value"),
        (RANDOM, "Last", "points a match against random in ticTacToe, in 20 matches; it takes 85"),
        (
            MINIMAX,
            "Greedy",
            "points a match against bounded_minimax in ticTacToe, in 6 matches; it takes 50",
        ),
    ],
)
def test_a_mistake_is_told_in_words(exercise: str, mistake: str, missing: str) -> None:
    assert verdict(exercise, handed_in(mistake)).endswith(missing)


def test_alpha_beta_gets_half_of_the_points_against_itself() -> None:
    assert MODULE["points"]("connectFour", "alpha_beta", "alpha_beta", 2, 2, 60) == 50
    assert dict(MODULE["EXERCISES"])[ALPHA_BETA].args[2] > 50


@pytest.mark.thorough
def test_alpha_beta_is_beaten_by_a_solution() -> None:
    game, least, _, *settings = dict(MODULE["EXERCISES"])[ALPHA_BETA].args[1:]
    assert MODULE["points"](game, handed_in("Lines"), "alpha_beta", 2, *settings) >= least


@pytest.mark.parametrize(
    ("search", "missing"),
    [
        ("yield position.legal_moves[-1]", "search yielded (put c3), expected Choice(move)"),
        ("return Choice(position.legal_moves[0])", "search returned a Choice; it must yield"),
        (
            "yield Choice('(put a1)')",
            "the str '(put a1)' is not legal for cross; expected one of position.legal_moves",
        ),
        ("yield position.moves", "handed_in.py, line 5, raised AttributeError: "),
        (
            "position.machine.next_state(position.state, [])",
            "handed_in.py, line 5, raised MoveError: expected 2 moves, one per role, found 0",
        ),
    ],
)
def test_a_mistake_in_code_is_told_with_its_line(tmp_path: Path, search: str, missing: str) -> None:
    (tmp_path / "handed_in.py").write_text(
        "from ggp_player.strategies import Choice, Strategy\n"
        "class Mine(Strategy):\n"
        "    name = 'mine'\n"
        "    def search(self, position):\n"
        f"        {search}\n"
    )
    said = dict(islice(MODULE["verdicts"](f"{tmp_path}/handed_in.py:Mine"), 1))
    assert said[LEGAL].startswith(missing)


def test_what_cannot_be_created_is_told_once() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "mcts"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("mcts cannot play: states are counted one by one")
    assert not done.stdout


@pytest.mark.parametrize(
    ("strategy", "missing"),
    [
        (handed_in("Illegal"), "resign is not legal for "),
        pytest.param(handed_in("Undecided"), "it made no choice in ", marks=pytest.mark.thorough),
        ("no_such_strategy", "there is no strategy 'no_such_strategy'"),
    ],
)
def test_what_cannot_play_is_told_so_in_each_exercise(strategy: str, missing: str) -> None:
    said = verdicts(strategy)
    assert len(said) == 6
    assert all(missing in each for each in said.values())


@pytest.mark.thorough
def test_a_verdict_is_the_same_in_each_process() -> None:
    code = (
        f"import runpy; points = runpy.run_path({str(SCRIPT)!r})['points']; "
        f"print(points('connectFour', {handed_in('HandMadeUct')!r}, 'alpha_beta', 2, 2, 60))"
    )
    assert len({printed_by(code, PYTHONHASHSEED=seed) for seed in "12"}) == 1
