"""What is found of a rulesheet before a match of it."""

from __future__ import annotations

from ggp_player.pages.rulesheets import find_game
from tests.support.paths import GAMES

MINIMAL = """(role ann)
(legal ann wait)
(<= (next (over)) (does ann wait))
(<= terminal (true (over)))
(goal ann 100)"""


def test_a_game_has_its_roles_and_a_state() -> None:
    found, state = find_game((GAMES / "ticTacToe.kif").read_text())
    assert (found.roles, found.has_percepts, found.problems) == (("cross", "nought"), False, ())
    assert state == "( (turn cross) )"
    assert find_game((GAMES / "kuhnPoker.kif").read_text())[0].has_percepts


def test_problems_have_their_places() -> None:
    found, state = find_game(MINIMAL + "\n(<= (legal ann ?x) (missing ann))")
    assert (found.roles, state) == ((), "")
    first, *others = found.problems
    assert (first.severity, first.line, first.column) == ("error", 6, 16)
    assert first.excerpt == "  (<= (legal ann ?x) (missing ann))\n                 ^^"
    assert {problem.severity for problem in others} == {"warning"}


def test_warnings_forbid_nothing() -> None:
    found, _ = find_game(MINIMAL + "\n(<= (legal ann stay) (missing ann))")
    assert found.roles == ("ann",)
    assert {problem.severity for problem in found.problems} == {"warning"}


def test_a_game_without_a_first_move_is_none() -> None:
    found, _ = find_game(MINIMAL.replace("(legal ann wait)", "(<= (legal ann wait) (true (over)))"))
    assert found.roles == ()
    assert found.problems[0].sentence == "ann has no legal move in the initial state"
    found, _ = find_game(MINIMAL.replace("ann", "random"))
    assert found.problems[0].sentence == "there is no role that a player could take"
