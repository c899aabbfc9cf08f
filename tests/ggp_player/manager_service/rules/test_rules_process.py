"""What a process of rules answers is bounded, and says so where the rules want more."""

from __future__ import annotations

import pytest

from ggp_player.manager_service.rules import rules_process
from ggp_player.manager_service.rules.rules_process import (
    ANSWERS,
    RulesAnswer,
    RulesEvaluator,
    answer_line,
)

RULES = """
(role a) (init (step 0)) (legal a go) (<= (legal a (put ?x ?y)) (true (step 1)) (d ?x) (d ?y))
(<= (next (step 1)) (true (step 0))) (<= terminal (true (step 2))) (goal a 50)
(<= (sees a (moved ?x ?y)) (does a go) (d ?x) (d ?y)) (d 1) (d 2) (d 3) (d 4)
"""

ADVANCE = {"kind": "advance", "session": "one", "moves": ["go"]}


@pytest.fixture
def evaluator() -> RulesEvaluator:
    found = RulesEvaluator()
    assert not found.answer({"kind": "load", "rules": RULES}).error
    assert not found.answer({"kind": "begin", "session": "one"}).error
    return found


def test_a_position_within_the_bounds_is_told(evaluator: RulesEvaluator) -> None:
    position = evaluator.answer(ADVANCE).position
    assert position is not None
    assert len(position.legal[0]) == 17
    assert len(position.percepts[0]) == 16


@pytest.mark.parametrize(
    ("bound", "most", "sentence"),
    [
        ("MAX_LEGAL_MOVES", 16, "the legal moves of a are 17; expected at most 16"),
        ("MAX_MOVE", 8, "the characters of a legal move of a are 9; expected at most 8"),
        ("MAX_LEGAL", 145, "the characters of all legal moves are 146; expected at most 145"),
        ("MAX_PERCEPTS", 9, "the characters of all percepts are 176; expected at most 9"),
    ],
)
def test_a_position_beyond_a_bound_is_an_error(
    evaluator: RulesEvaluator,
    monkeypatch: pytest.MonkeyPatch,
    bound: str,
    most: int,
    sentence: str,
) -> None:
    monkeypatch.setattr(rules_process, bound, most)
    assert evaluator.answer(ADVANCE) == RulesAnswer(error=sentence)
    assert not evaluator.answer({"kind": "begin", "session": "two"}).error


def test_an_answer_that_is_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_process, "MAX_ANSWER", 1000)
    found = ANSWERS.validate_json(answer_line(RulesAnswer(states=("x" * 1000,))))
    assert found.error.startswith("the rules need an answer of 1,0")


def test_too_little_memory_is_an_error_of_the_match(
    evaluator: RulesEvaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(RulesEvaluator, "_advance", fail)
    assert evaluator.answer(ADVANCE).error == "the rules take more memory than there is for them"
