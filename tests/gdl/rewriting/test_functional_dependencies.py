"""Joins of values that depend on their keys are divided; what is not proved is left alone."""

from __future__ import annotations

import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.datalog import SymbolTable, flatten_rules
from gdl.grounding.gringo import GroundingBudget
from gdl.language import MACHINE_RELATIONS
from gdl.rewriting.functional_dependencies import functional_columns
from gdl.rewriting.rule_analysis import RulePasses, analyse_rules
from tests.support.lockstep import assert_as_reasoner

ROW = """
    (role you) (n 1) (n 2) (n 3) (eq 1 1) (eq 2 2) (eq 3 3) (cell a) (cell b) (cell c)
    (<= (blank ?c) (cell ?c) (not (true (mark ?c 1))) (not (true (mark ?c 2)))
        (not (true (mark ?c 3))))
    (<= (legal you (put ?c ?m)) (n ?m) (blank ?c))
    (<= (next (mark ?c ?m)) (does you (put ?c ?m)))
    (<= (next (mark ?c ?m)) (true (mark ?c ?m)))
    (<= (first ?k ?x ?y ?z) (eq ?k ?x) (n ?y) (n ?z) (not (eq ?k ?y)) (not (eq ?k ?z)))
    (<= (once ?k ?x ?y ?z) (first ?k ?x ?y ?z))
    (<= (once ?k ?x ?y ?z) (first ?k ?y ?x ?z))
    (<= (once ?k ?x ?y ?z) (first ?k ?z ?x ?y))
    (<= good (true (mark a ?x)) (true (mark b ?y)) (true (mark c ?z))
        (once 1 ?x ?y ?z) (once 2 ?x ?y ?z) (once 3 ?x ?y ?z))
    (<= some_blank (blank ?c))
    (<= terminal (not some_blank))
    (<= (goal you 100) good) (<= (goal you 0) (not good))
"""
"""Three cells, each with one mark at most, and whether all marks are different."""

NOT_PROVED = {
    "(init (mark a 1)) (init (mark a 2))": "",
    "(<= (next (mark ?c 1)) (does you (put ?c ?m)))": "",
    "(<= (legal you (put ?c ?m)) (n ?m) (true (mark ?c 1)))": "",
    "(role you) (role me) (<= (legal me (put ?c ?m)) (legal you (put ?c ?m)))"
    "(<= (next (mark ?c ?m)) (does ?r (put ?c ?m)))": (
        "(<= (next (mark ?c ?m)) (does you (put ?c ?m)))"
    ),
    "(<= (blank ?c) (cell ?c))": "",
    "(n 4)": "",
}
"""Rules that are added, after which a cell can have several marks, and what they replace."""


@pytest.fixture
def _everything_is_huge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.grounding.pipeline.FIRST_ATTEMPT", GroundingBudget(rules=0))
    monkeypatch.setattr("gdl.rewriting.rule_analysis.MIN_RESTATED_SIZE", 0.0)


def found_in(text: str) -> list[tuple[str, int]]:
    """Return the fluents of a game with a column that depends on the others."""
    flat = flatten_rules(gdl.parse(text), MACHINE_RELATIONS)
    analysis = analyse_rules(flat, SymbolTable(), RulePasses())
    return [(name, column) for (name, _), column in functional_columns(analysis)]


def test_one_mark_for_each_cell_is_proved() -> None:
    assert found_in(ROW) == [("true 1.0.mark", 1)]


@pytest.mark.parametrize("added", NOT_PROVED)
def test_several_marks_for_a_cell_are_not_ruled_out(added: str) -> None:
    assert found_in(ROW.replace(NOT_PROVED[added] or "\0", "") + added) == []


@pytest.mark.usefixtures("_everything_is_huge")
@pytest.mark.parametrize("added", ["", *NOT_PROVED])
def test_the_answers_are_the_same(added: str) -> None:
    game = gdl.parse(ROW.replace(NOT_PROVED.get(added) or "\0", "") + added)
    assert_as_reasoner(game, 12, matches=10)


@pytest.mark.usefixtures("_everything_is_huge")
def test_what_is_divided_has_fewer_rules() -> None:
    values = range(4, 10)
    more = "".join(f"(n {i}) (eq {i} {i})" for i in values)
    absent = "".join(f"(not (true (mark ?c {i})))" for i in values)
    blank = "(not (true (mark ?c 3)))"
    differ = "(<= (differ ?x ?y) (n ?x) (n ?y) (distinct ?x ?y))"
    good = "(once 1 ?x ?y ?z) (once 2 ?x ?y ?z) (once 3 ?x ?y ?z)"
    text = ROW.replace(blank, blank + absent).replace(good, "(differ ?x ?y) (differ ?y ?z)")
    game = gdl.parse(text + more + differ)
    whole = CompileOptions(functional_dependencies=False, decompose_rules=False)
    divided = CompileOptions(decompose_rules=False)
    assert gdl.compile(game, divided).ground_rules < gdl.compile(game, whole).ground_rules / 2
