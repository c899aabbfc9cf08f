"""Disjunctions that tie variables become rules of their own."""

from __future__ import annotations

import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.datalog import SymbolTable, flatten_rules
from gdl.grounding.gringo import GroundingBudget
from gdl.language import MACHINE_RELATIONS, Or
from gdl.rewriting.alternatives import expand_disjunctions
from gdl.rewriting.rule_analysis import RulePasses, analyse_rules
from tests.support.lockstep import assert_as_reasoner, assert_lockstep


def market(most: int) -> str:
    """Write a game of three who buy and sell at once, at prices that all of them move."""
    counting = " ".join(f"(succ {i} {i + 1})" for i in range(most))
    return f"""
        (role ann) (role bob) (role cat) {counting} (good wool) (good salt) (init (day 0))
        (init (money ann 8)) (init (money bob 8)) (init (money cat 8))
        (init (price wool 2)) (init (price salt 5))
        (<= (number ?x) (succ ?x ?y)) (<= (number ?y) (succ ?x ?y))
        (<= (sum ?x 0 ?x) (number ?x))
        (<= (sum ?x ?y ?z) (succ ?x ?u) (succ ?v ?y) (sum ?u ?v ?z))
        (<= (least ?x ?y) (sum ?y ?d ?x))
        (<= (legal ?r (buy ?g)) (true (money ?r ?n)) (true (price ?g ?p)) (least ?n ?p)
            (not (true (has ?r ?g))))
        (<= (legal ?r (sell ?g)) (true (has ?r ?g)))
        (<= (legal ?r wait) (role ?r))
        (<= (next (has ?r ?g)) (does ?r (buy ?g)))
        (<= (next (has ?r ?g)) (true (has ?r ?g)) (not (does ?r (sell ?g))))
        (<= (next (money ?r ?n)) (does ?r (buy ?g)) (true (price ?g ?p)) (true (money ?r ?m))
            (sum ?n ?p ?m))
        (<= (next (money ?r ?n)) (does ?r (sell ?g)) (true (price ?g ?p)) (true (money ?r ?m))
            (sum ?m ?p ?n))
        (<= (next (money ?r ?n)) (true (money ?r ?n)) (does ?r wait))
        (<= (bought ?g) (does ?r (buy ?g))) (<= (sold ?g) (does ?r (sell ?g)))
        (<= (next (price ?g ?q)) (true (price ?g ?p)) (succ ?p ?q) (bought ?g) (not (sold ?g)))
        (<= (next (price ?g ?p)) (true (price ?g ?p)) (not (bought ?g)))
        (<= (next (price ?g ?p)) (true (price ?g ?p)) (sold ?g))
        (<= (next (day ?y)) (true (day ?x)) (succ ?x ?y))
        (<= terminal (true (day 7)))
        (<= (rivals ?r ?o ?u) (role ?r) (role ?o) (role ?u) (distinct ?r ?o) (distinct ?r ?u)
            (distinct ?o ?u))
        (<= (goal ?r 100) (true (money ?r ?n)) (true (money ?o ?m)) (true (money ?u ?k))
            (rivals ?r ?o ?u) (least ?n ?m) (least ?n ?k))
        (<= (goal ?r 0) (true (money ?r ?n)) (true (money ?o ?m)) (true (money ?u ?k))
            (rivals ?r ?o ?u) (or (not (least ?n ?m)) (not (least ?n ?k))))
    """


@pytest.mark.thorough
def test_a_market_of_three_compares_two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.rewriting.alternatives.MIN_DIVIDED_INSTANCES", 10_000.0)
    game = gdl.parse(market(most=40))
    budget = GroundingBudget(rules=100_000)
    machine = assert_as_reasoner(game, 30, matches=4, options=CompileOptions(budget=budget))
    assert machine.ground_rules < 50_000
    with pytest.raises(gdl.GroundingLimitError):
        gdl.compile(game, CompileOptions(budget=budget, expand_disjunctions=False))


@pytest.mark.parametrize(
    ("disjunction", "rules"),
    [
        ("(or (not (p ?x)) (not (p ?y)))", 2),
        ("(or (not (p ?x)) (and (not (p ?y)) (distinct ?y 3)))", 2),
        ("(or (not (p ?x)) (not (p ?y))) (or (p ?x) (p ?y) (distinct ?y 1))", 6),
        ("(or (distinct ?x ?y) (p ?y))", 1),  # One alternative holds all variables.
        ("(or (distinct ?x 1) (p ?x))", 1),
    ],
)
def test_each_alternative_that_leaves_variables_free_is_a_rule(
    disjunction: str, rules: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gdl.rewriting.alternatives.MIN_DIVIDED_INSTANCES", 0.0)
    game = gdl.parse(f"""
        (role you) {" ".join(f"(init (p {i}))" for i in range(4))} (n 1) (n 2) (n 3)
        (<= (p ?x) (true (p ?x)))
        (<= (legal you (put ?x)) (n ?x))
        (<= (next (p ?x)) (does you (put ?y)) (n ?x) {disjunction})
        (<= terminal (not (p 2)))
    """)
    flat = flatten_rules(game, MACHINE_RELATIONS)
    expanded = list(expand_disjunctions(analyse_rules(flat, SymbolTable(), RulePasses())))
    assert len(expanded) == len(flat.rules) + rules - 1
    assert any(isinstance(part, Or) for rule in expanded for part in rule.body) == (rules == 1)
    assert_lockstep(gdl.compile(game), gdl.interpret(game), 20, seed=1)
