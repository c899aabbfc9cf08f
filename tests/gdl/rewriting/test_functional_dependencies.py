"""Joins of values that depend on their keys are divided; what is not proved is left alone."""

from __future__ import annotations

import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.datalog import SymbolTable, flatten_rules
from gdl.language import MACHINE_RELATIONS, body_atoms
from gdl.rewriting.functional_dependencies import (
    find_constant_fluents,
    functional_columns,
    make_constants_static,
)
from gdl.rewriting.rule_analysis import RulePasses, analyse_rules
from tests.support.lockstep import assert_as_reasoner
from tests.support.marks import thorough

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
    monkeypatch.setattr("gdl.grounding.pipeline._negates_huge_relation", lambda _: True)
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
@pytest.mark.parametrize("added", ["", *thorough(*NOT_PROVED)])
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


WALK = """
    (role you) (init (at 1)) (init (at 5)) (init (wall 3)) (init (wall 8)) (init open)
    (s 0 1) (s 1 2) (s 2 3) (s 3 4) (s 4 5) (s 5 6) (s 6 7) (s 7 8) (s 8 9)
    (<= (legal you (go ?x ?y)) (true (at ?x)) (s ?x ?y) (not (true (wall ?y))) (true open))
    (<= (legal you (break ?x)) (true (wall ?x)) (true (at ?y)) (s ?y ?x))
    (<= (legal you stay) (role you))
    (<= (next (at ?y)) (does you (go ?x ?y)))
    (<= (next (at ?z)) (true (at ?z)) (not (leaves ?z)))
    (<= (leaves ?x) (does you (go ?x ?y)))
    (<= (next open) (true open))
    (<= terminal (true (at 9)))
    (<= (goal you 100) (true (at ?x)) (not (true (wall ?x))))
"""

KEPT = "(<= (next (wall ?x)) (true (wall ?x)))"


def constants(text: str) -> set[str]:
    """The names of the relations of constant fluents, without the marks of flattening."""
    flat = flatten_rules(gdl.parse(text), MACHINE_RELATIONS)
    found = find_constant_fluents(analyse_rules(flat, SymbolTable(), RulePasses()))
    return {name.rpartition(".")[2] if "." in name else name for name, _ in found}


@pytest.mark.parametrize(
    "rules",
    [
        KEPT,
        f"{KEPT} (<= (next (wall ?y)) (true (wall ?y)) (does you stay))",
        "(<= (next (wall ?old)) (true (at ?x)) (true (wall ?old))) " + KEPT,
    ],
)
def test_what_is_always_kept_is_constant(rules: str) -> None:
    assert "wall" in constants(WALK + rules)


@pytest.mark.parametrize(
    "rules",
    [
        "",
        "(<= (next (wall ?x)) (true (wall ?x)) (not (does you (break ?x))))",
        f"{KEPT} (<= (next (wall ?y)) (does you (go ?x ?y)))",
        "(<= (next (wall 3)) (true (wall 3)))",
        "(<= (next (wall ?x)) (true (wall ?y)) (true (wall ?x)))",
        "(<= (next (wall ?y)) (true (wall ?x)) (s ?x ?y))",
    ],
)
def test_what_can_vanish_appear_or_move_is_not(rules: str) -> None:
    assert "wall" not in constants(WALK + rules)
    assert_as_reasoner(gdl.parse(WALK + rules), 15)


def test_no_rule_reads_a_constant_fluent_any_more() -> None:
    flat = flatten_rules(gdl.parse(WALK + KEPT), MACHINE_RELATIONS)
    analysis = analyse_rules(flat, SymbolTable(), RulePasses())
    found = find_constant_fluents(analysis)
    rules = list(make_constants_static(analysis))
    assert not {atom.relation for rule in rules for atom, _ in body_atoms(rule)} & set(found)


def test_answers_and_states_are_the_same_with_fewer_rules() -> None:
    game = gdl.parse(WALK + KEPT)
    machine = assert_as_reasoner(game, 20, matches=4)
    without = gdl.compile(game, CompileOptions(constant_fluents=False))
    assert machine.ground_rules < without.ground_rules
    assert {"(wall 3)", "(wall 8)"} <= set(map(str, machine.initial_state()))
