"""Domains hold every value that an argument can take, and few others."""

from __future__ import annotations

import pytest
from hypothesis import given

import gdl
from gdl import Atom, Constant, Function, Ruleset
from gdl.datalog.domains import ArgumentPosition, Domain, domains_of, positions, variable_domains
from gdl.datalog.normal_form import normal_form
from tests.support.example_counts import one_in
from tests.support.generators import rulesets
from tests.support.oracle import Oracle, TooLargeError, of_role


def domain(text: str, name: str, arity: int, column: int, relation: bool = True) -> list[str]:
    rules = gdl.parse(text)
    found = domains_of(normal_form(rules.rules, rules.source))
    values = found.get(ArgumentPosition(relation, name, arity, column), Domain())
    return sorted([*values.constants, *(f"{f}/{n}" for f, n in values.functions)])


def test_facts_are_in_their_domains() -> None:
    text = "(p a 1) (p b (f x y)) (p (f) (g (f z w)))"
    assert domain(text, "p", 2, 0) == ["a", "b", "f"]
    assert domain(text, "p", 2, 1) == ["1", "f/2", "g/1"]
    assert domain(text, "f", 2, 0, relation=False) == ["x", "z"]
    assert domain(text, "g", 1, 0, relation=False) == ["f/2"]
    assert domain(text, "p", 1, 0) == []


def test_rules_pass_on_what_all_their_atoms_allow() -> None:
    text = "(p a) (p b) (p (f c)) (q b) (q c) (q (f d)) (<= (h ?x) (p ?x) (q ?x))"
    assert domain(text, "h", 1, 0) == ["b", "f/1"]


def test_rules_that_can_never_apply_pass_on_nothing() -> None:
    text = "(p a) (q b) (<= (h ?x z) (p ?x) (q ?x)) (<= (i y) (h ?x ?y)) (<= (j k) (p b))"
    assert domain(text, "h", 2, 1) == []
    assert domain(text, "i", 1, 0) == []
    assert domain(text, "j", 1, 0) == []


def test_negated_atoms_restrict_nothing() -> None:
    assert domain("(p a) (p b) (q a) (<= (h ?x) (p ?x) (not (q ?x)))", "h", 1, 0) == ["a", "b"]


def test_recursion_is_followed_to_its_end() -> None:
    text = "(n z) (<= (n (s ?x)) (n ?x)) (<= (m ?x) (n (s ?x)))"
    assert domain(text, "n", 1, 0) == ["s/1", "z"]
    assert domain(text, "m", 1, 0) == ["s/1", "z"]


def test_facts_and_moves_flow_through_a_match() -> None:
    text = "(role r) (init (at 1)) (succ 1 2) (<= (legal r (go ?y)) (true (at ?x)) (succ ?x ?y)) "
    text += "(<= (next (at ?y)) (does r (go ?y))) (<= (next done) (does ?r (go 2)))"
    assert domain(text, "true", 1, 0) == ["at/1", "done"]
    assert domain(text, "at", 1, 0, relation=False) == ["1", "2"]
    assert domain(text, "does", 2, 0) == ["r"]
    assert domain(text, "does", 2, 1) == ["go/1"]


def test_variables_of_a_rule() -> None:
    rules = gdl.parse(
        "(p (f a)) (p (g b)) (<= (h ?x ?y) (p ?x) (p (f ?y))) (<= i (p (k ?x)))"
    ).rules
    found = domains_of(rules)
    values = variable_domains(rules[2], found)
    assert values is not None
    assert values["x"].functions == {("f", 1), ("g", 1)}
    assert values["y"].constants == {"a"}
    assert variable_domains(rules[3], found) is None


def test_a_domain_admits_what_it_holds() -> None:
    values = Domain({"a"}, {("f", 2)})
    a, b = Constant("a"), Constant("b")
    assert values.admits(a)
    assert not values.admits(b)
    assert values.admits(Function("f", (b, b)))
    assert not values.admits(Function("f", (b,)))
    assert not values.admits(Constant("f"))
    assert values.admits(gdl.Variable("x"))


def test_positions_are_arguments_at_every_depth() -> None:
    atom = Atom("p", (gdl.parse_term("(f a ?x)"), Constant("b")))
    assert [(position.name, position.column, str(term)) for position, term in positions(atom)] == [
        ("p", 0, "(f a ?x)"),
        ("f", 0, "a"),
        ("f", 1, "?x"),
        ("p", 1, "b"),
    ]


@pytest.mark.thorough
@one_in(5)
@given(rulesets())
def test_whatever_holds_in_a_match_is_in_the_domains(rules: Ruleset) -> None:
    found = domains_of(normal_form(rules.rules, rules.source))
    oracle = Oracle(rules, 600)
    try:
        state = oracle.initial_state()
        for _ in range(3):
            moves = [of_role(oracle.model(state), "legal", role)[-1] for role in oracle.roles]
            model = oracle.model(state, moves)
            for (name, _), row in model:
                for position, term in positions(Atom(name, row)):
                    assert found[position].admits(term), f"{term} at {position}"
            state = frozenset(row[0] for row in model.rows(("next", 1)))
    except TooLargeError:
        return
