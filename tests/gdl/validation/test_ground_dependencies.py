"""Ground dependencies: the ground rules cover all that can hold in a match."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given, settings

import gdl
from gdl import ResourceLimitError, Ruleset, Term
from gdl.language.rules import RelationKey
from gdl.state_machine import joint_moves
from gdl.validation.ground_dependencies import MAX_ATOMS, GroundDependencies, StepBudget, clauses_of
from tests.support.generators import rulesets

LIMIT = 20_000
ANSWERS: tuple[RelationKey, ...] = (("true", 1), ("legal", 2), ("goal", 2), ("terminal", 0))


def heads(ruleset: Ruleset, *wanted: RelationKey) -> set[str]:
    dependencies = GroundDependencies(ruleset.rules, wanted, StepBudget(LIMIT))
    return {dependencies.text(rule.head) for rule in dependencies.ground_rules()}


def shown(term: Term, depth: int = 3) -> str:
    """The term as the ground rules show it, with dots for what is nested too deeply."""
    if not isinstance(term, gdl.Function):
        return str(term)
    if not depth:
        return "(...)"
    return f"({term.name} {' '.join(shown(part, depth - 1) for part in term.args)})"


def test_what_follows_step_by_step() -> None:
    rules = gdl.parse(
        "(role r) (init (at 0)) (s 0 1) (s 1 2) (<= (legal r (go ?y)) (true (at ?x)) (s ?x ?y))"
        "(<= (next (at ?x)) (does r (go ?x)))"
    )
    assert heads(rules, ("true", 1)) == {"(true (at 0))", "(true (at 1))", "(true (at 2))"}
    assert heads(rules, ("legal", 2)) == {"(legal r (go 1))", "(legal r (go 2))"}


def test_negation_never_fails_and_inequality_does() -> None:
    rules = gdl.parse(
        "(e a) (e b) (<= (p ?x) (e ?x) (not (e ?x))) (<= (q ?x) (e ?x) (distinct ?x a))"
    )
    assert heads(rules, ("p", 1)) == {"(p a)", "(p b)"}
    assert heads(rules, ("q", 1)) == {"(q b)"}


def test_equality_and_disjunction() -> None:
    rules = gdl.parse(
        "(e a) (f b) (<= (p ?x) (or (e ?x) (f ?x)) (not (and (g ?x) (distinct ?x a))))"
    )
    assert heads(rules, ("p", 1)) == {"(p a)", "(p b)"}
    assert len(clauses_of(rules.rules[-1])) == 4


def test_an_undefined_relation_holds_for_something_nameless() -> None:
    rules = gdl.parse("(e a) (<= (p ?x) (nobody ?x)) (<= (q ?x) (nobody (f ?x)) (e ?x))")
    assert heads(rules, ("p", 1)) == {"(p ?any)"}
    assert heads(rules, ("q", 1)) == {"(q a)"}


def test_terms_that_grow_for_ever_end_at_the_limit() -> None:
    rules = gdl.parse("(p a) (<= (p (f ?x ?x)) (p ?x))")
    with pytest.raises(ResourceLimitError):
        heads(rules, ("p", 1))


def test_too_many_instances_end_at_the_limit() -> None:
    facts = " ".join(f"(e {number})" for number in range(100))
    rules = gdl.parse(f"{facts} (<= (p ?x ?y ?z) (e ?x) (e ?y) (e ?z))")
    with pytest.raises(ResourceLimitError, match="too many"):
        heads(rules, ("p", 3))


def test_a_budget_is_shared() -> None:
    rules = gdl.parse("(e a) (e b) (<= (p ?x) (e ?x))").rules
    budget = StepBudget(20)
    assert len(list(GroundDependencies(rules, [("p", 1)], budget).ground_rules())) == 2
    assert 0 <= budget.steps < 20 - len(rules)
    budget.spend(budget.steps)
    with pytest.raises(ResourceLimitError):
        GroundDependencies(rules, [("p", 1)], budget)


@pytest.mark.parametrize("body", ["(or a b) " * 20, "(q ?x) " * (MAX_ATOMS + 1)])
def test_rules_too_large_to_expand(body: str) -> None:
    with pytest.raises(ResourceLimitError):
        clauses_of(gdl.parse(f"(<= (p a) {body})").rules[0])


@pytest.mark.thorough
@settings(deadline=None, max_examples=25)
@given(rulesets())
def test_whatever_holds_in_a_match_is_the_head_of_a_ground_rule(ruleset: Ruleset) -> None:
    try:
        possible = heads(ruleset, *ANSWERS)
    except ResourceLimitError:
        return
    machine = gdl.interpret(ruleset)
    state = machine.initial_state()
    for _ in range(3):
        assert {f"(true {shown(fact)})" for fact in state} <= possible
        for role in machine.roles:
            legal = {f"(legal {role} {shown(move)})" for move in machine.legal_moves(state, role)}
            goals = {f"(goal {role} {goal})" for goal in machine.goals(state, role)}
            assert legal | goals <= possible
        assert "terminal" in possible or not machine.is_terminal(state)
        joint_move = next(islice(joint_moves(machine, state), 1, None), None)
        if joint_move is None:
            return
        state = machine.next_state(state, joint_move)
