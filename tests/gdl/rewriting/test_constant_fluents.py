"""Facts that a match keeps from its beginning on are static; no other fact is."""

from __future__ import annotations

import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.datalog import SymbolTable, flatten_rules
from gdl.language import MACHINE_RELATIONS, body_atoms
from gdl.rewriting.constant_fluents import find_constant_fluents, make_constants_static
from gdl.rewriting.rule_analysis import RulePasses, analyse_rules
from tests.support.lockstep import assert_as_reasoner

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
