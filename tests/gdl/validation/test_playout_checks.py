"""Playout checks: problems that only show when the game is played."""

from __future__ import annotations

import pytest

import gdl
from gdl import Severity
from gdl.validation.playout_checks import PlayoutProblem, PlayoutReport, check_playouts
from gdl.validation.position_checks import Declared, declared_in
from tests.support.compiled_games import EVERY_GAME, reasoner_of, rules_of

LENGTH = 4
COUNTING = """
(role left) (role right)
(init (at 0)) (s 0 1) (s 1 2) (s 2 3) (s 3 4)
(<= (next (at ?y)) (true (at ?x)) (s ?x ?y) (does left up))
(<= (next (at ?x)) (true (at ?x)) (does left stay))
(<= (legal left up) (not (true (at 4)))) (legal left stay) (legal right noop)
(<= terminal (true (at 4)))
(<= (goal left 100) (true (at 4))) (<= (goal left 0) (not (true (at 4)))) (goal right 50)
"""
"""``left`` counts up or stays; the shortest match takes ``LENGTH`` steps."""


def check(text: str, playouts: int = 8, max_steps: int = 60, seed: int = 1) -> PlayoutReport:
    ruleset = gdl.parse(text)
    return check_playouts(gdl.interpret(ruleset), playouts, max_steps, seed, declared_in(ruleset))


def only(report: PlayoutReport) -> PlayoutProblem:
    (problem,) = report.problems
    return problem


def words(problem: PlayoutProblem) -> list[str]:
    """The moves of the first role."""
    return [str(joint_move[0]) for joint_move in problem.moves]


def test_a_game_without_problems() -> None:
    report = check(COUNTING)
    assert report.problems == ()
    assert len(report.lengths) == 8
    assert min(report.lengths) >= LENGTH
    assert report.unfinished == 0
    assert [str(role) for role in report.monotonic] == ["left", "right"]


def test_a_role_without_a_move() -> None:
    text = COUNTING.replace("(legal right noop)", "(<= (legal right noop) (not (true (at 2))))")
    problem = only(report := check(text))
    assert (problem.severity, problem.code) == (Severity.ERROR, "no-legal-move")
    assert problem.message == "right has no legal move though the match is not over"
    assert words(problem) == ["up", "up"]
    assert problem.is_shortest
    assert report.unfinished == 8


def test_a_match_that_need_not_end() -> None:
    text = COUNTING.replace("(<= terminal (true (at 4)))", "(<= terminal (true (at 5)))")
    text = text.replace("(legal left up) (not (true (at 4)))", "(legal left up) (true (at 0))")
    problem = only(report := check(text, playouts=3, max_steps=20))
    assert (problem.severity, problem.code) == (Severity.WARNING, "no-end")
    assert problem.message == (
        "a playout did not end within 20 steps; after these moves an earlier state comes back"
    )
    assert words(problem)[-1] == "stay"
    assert report.unfinished == 3
    assert report.lengths == ()


def test_no_goal_at_the_end() -> None:
    text = COUNTING.replace("(goal right 50)", "(<= (goal right 50) (not (true (at 4))))")
    problem = only(report := check(text))
    assert (problem.severity, problem.code) == (Severity.ERROR, "no-goal")
    assert words(problem) == ["up"] * LENGTH
    assert problem.is_shortest
    assert [str(role) for role in report.monotonic] == ["left"]


@pytest.mark.parametrize("value", ["win", "-5", "0.5"])
def test_a_goal_that_is_no_number(value: str) -> None:
    problem = only(check(COUNTING.replace("(goal right 50)", f"(goal right {value})")))
    assert (problem.severity, problem.code) == (Severity.ERROR, "no-goal")
    assert "integer from 0 to 100" in problem.message


def test_a_goal_out_of_range() -> None:
    problem = only(check(COUNTING.replace("(goal right 50)", "(goal right 101)")))
    assert (problem.severity, problem.code) == (Severity.ERROR, "goal-range")
    assert problem.message == "right has the goal value 101 at the end; the highest is 100"


def test_several_goals_at_the_end() -> None:
    problem = only(report := check(COUNTING + "(goal right 60)"))
    assert (problem.severity, problem.code) == (Severity.WARNING, "several-goals")
    assert "50, 60: the lowest counts" in problem.message
    assert [str(role) for role in report.monotonic] == ["left"]


def test_a_goal_that_falls_is_not_monotonic() -> None:
    text = COUNTING.replace("(goal left 0) (not (true (at 4)))", "(goal left 30) (true (at 0))")
    text += "(<= (goal left 10) (true (at ?n)) (distinct ?n 0) (distinct ?n 4))"
    report = check(text)
    assert report.problems == ()
    assert [str(role) for role in report.monotonic] == ["right"]


def test_facts_that_base_does_not_list() -> None:
    problem = only(check(COUNTING + "(<= (base (at ?x)) (s ?x ?y) (distinct ?x 2)) (base (at 4))"))
    assert (problem.severity, problem.code) == (Severity.WARNING, "undeclared-fact")
    assert problem.message == "the fact (at 2) is reached, which 'base' does not list"
    assert words(problem) == ["up", "up"]
    assert problem.is_shortest


def test_moves_that_input_does_not_list() -> None:
    problem = only(check(COUNTING + "(input left up) (input right noop)"))
    assert (problem.severity, problem.code) == (Severity.WARNING, "undeclared-move")
    assert problem.message == "the move stay of left is legal, which 'input' does not list"
    assert problem.moves == ()
    assert problem.is_shortest


def test_what_base_and_input_list() -> None:
    declared = declared_in(gdl.parse(COUNTING + "(base (at 0)) (<= (input left ?x) (s ?x ?y))"))
    assert declared.facts == frozenset({gdl.parse_term("(at 0)")})
    assert declared.moves is not None
    assert {str(move) for _, move in declared.moves} == {"0", "1", "2", "3"}
    assert declared_in(gdl.parse(COUNTING)) == Declared(None, None)


def test_reasoning_that_fails_on_the_way() -> None:
    paradox = "(<= (p ?x) (true (at ?x)) (distinct ?x 0) (not (p ?x))) (<= (legal left hop) (p 3))"
    problem = only(report := check(COUNTING + paradox))
    assert (problem.severity, problem.code) == (Severity.ERROR, "no-answer")
    assert problem.message.startswith("reasoning fails after these moves: ")
    assert words(problem)[-1] == "up"
    assert report.unfinished == 8


def test_the_search_finds_what_playouts_miss() -> None:
    # One playout hardly goes straight up; the search finds the problem on every path.
    problem = only(
        check(COUNTING.replace("(goal right 50)", "(goal right 200)"), playouts=1, max_steps=200)
    )
    assert words(problem) == ["up"] * LENGTH
    assert problem.is_shortest


def test_a_search_that_is_cut_short_claims_nothing() -> None:
    wide = "".join(f"(legal right r{number})" for number in range(400))
    problem = only(check(COUNTING.replace("(goal right 50)", wide), playouts=1, max_steps=200))
    assert problem.code == "no-goal"
    assert not problem.is_shortest
    assert words(problem).count("up") == LENGTH


def test_the_same_seed_gives_the_same_report() -> None:
    text = COUNTING.replace("(goal right 50)", "")
    assert check(text, seed=5) == check(text, seed=5)
    assert check(text, seed=5).lengths != check(text, seed=6).lengths


def test_a_game_that_is_over_at_once() -> None:
    report = check("(role you) (legal you go) (goal you 100) (<= terminal (role you))")
    assert report == PlayoutReport((), (0,) * 8, 0, gdl.parse("(role you)").roles)


@pytest.mark.parametrize("name", EVERY_GAME)
def test_our_games_have_no_problems(name: str) -> None:
    ruleset = rules_of(name)
    report = check_playouts(reasoner_of(name), 2, 1000, 7, declared_in(ruleset))
    assert report.problems == ()
