"""Rewriting keeps what rules mean, and leaves only what can be planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import And, Atom, Literal, Not, Or, ResourceLimitError, Rule, Ruleset, RulesetError, Term
from gdl.datalog.normal_form import binders, expand_all, normal_form, split_recursion, unify
from gdl.language.rules import substitute_rule, variables_in, variables_of
from tests.support import generators, syntax
from tests.support.example_counts import one_in
from tests.support.oracle import Oracle, TooLargeError


def normal(text: str) -> list[str]:
    rules = gdl.parse(text)
    return [str(rule) for rule in normal_form(rules.rules, rules.source)]


@pytest.mark.parametrize(
    ("body", "bodies"),
    [
        ("(p ?x) (and (q ?x) (and (r ?x) (s ?x)))", ["(p ?x) (q ?x) (r ?x) (s ?x)"]),
        ("(p ?x) (not (or (q ?x) (r ?x)))", ["(p ?x) (not (q ?x)) (not (r ?x))"]),
        ("(p ?x) (not (and (q ?x) (r ?x)))", ["(p ?x) (or (not (q ?x)) (not (r ?x)))"]),
        ("(not (not (p ?x)))", ["(p ?x)"]),
        ("(or (p ?x) (q ?x))", ["(p ?x)", "(q ?x)"]),
        ("(p ?x) (or (q ?x) (r a))", ["(p ?x) (or (q ?x) (r a))"]),
        ("(p ?x) (or (q ?x))", ["(p ?x) (q ?x)"]),
        ("(p ?x) (or (q ?y) (r ?x))", ["(p ?x) (q ?y)", "(p ?x) (r ?x)"]),
        ("(or (p ?x) (and (q ?x) (not (r ?x))))", ["(p ?x)", "(q ?x) (not (r ?x))"]),
        ("(p ?x) (p ?x) (distinct ?x a) (distinct ?x a)", ["(p ?x) (distinct ?x a)"]),
        ("(p ?x) (distinct a b)", ["(p ?x)"]),
        ("(p ?x) (distinct (f ?x) (g ?x))", ["(p ?x)"]),
        ("(p ?x) (distinct ?x (f ?x))", ["(p ?x)"]),
        ("(p ?x) (distinct (f ?x) (f ?x))", []),
        ("(p ?x) (not (distinct a b))", []),
        ("(p ?x) (not (distinct ?x (f ?x)))", []),
        ("(p ?x) (not (not (distinct ?x a)))", ["(p ?x) (distinct ?x a)"]),
        ("(p ?x) (and)", ["(p ?x)"]),
    ],
)
def test_normal_form(body: str, bodies: list[str]) -> None:
    assert normal(f"(<= (h ?x) {body})") == [f"(<= (h ?x) {body})" for body in bodies]


@pytest.mark.parametrize(
    ("rule", "solved"),
    [
        ("(<= (h ?x) (p ?x) (not (distinct ?x a)))", "(<= (h a) (p a))"),
        ("(<= (h ?x) (not (distinct ?x (f a))))", "(h (f a))"),
        ("(<= (h ?x ?y) (p ?x) (not (distinct ?y ?x)))", "(<= (h ?x ?x) (p ?x))"),
        (
            "(<= (h ?x) (p ?y ?z) (not (distinct (f ?y b) (f a ?z))) (q ?x ?z))",
            "(<= (h ?x) (p a b) (q ?x b))",
        ),
        (
            "(<= (h ?x) (p ?x ?y) (not (distinct ?x ?y)) (not (distinct ?y a)))",
            "(<= (h a) (p a a))",
        ),
    ],
)
def test_equalities_are_solved(rule: str, solved: str) -> None:
    assert normal(rule) == [solved]


def test_equality_in_a_test_stays_there() -> None:
    rule = "(<= (h ?x) (p ?x) (or (not (distinct ?x a)) (q ?x)))"
    assert normal(rule) == [rule]


def test_facts_stay_as_they_are_without_duplicates() -> None:
    assert normal("(p a) (q (f b)) (p a) (<= (p a))") == ["(p a)", "(q (f b))"]


@pytest.mark.parametrize(
    ("rule", "column", "variable"),
    [
        ("(p ?x)", 4, "?x"),
        ("(<= (p ?x) (q ?y))", 8, "?x"),
        ("(<= (p ?y) (q ?y) (not (r ?x)))", 27, "?x"),
        ("(<= (p ?y) (q ?y) (distinct ?y (f ?x)))", 35, "?x"),
        ("(<= (p ?x) (or (q ?x) (r a)))", 8, "?x"),
        ("(<= (p ?x) (or (q ?x) (not (r ?x))))", 8, "?x"),
    ],
)
def test_unsafe_rules_are_refused(rule: str, column: int, variable: str) -> None:
    rules = gdl.parse(f"(q a)\n {rule}", name="game.kif")
    with pytest.raises(RulesetError) as caught:
        normal_form(rules.rules, rules.source)
    assert str(caught.value).startswith(f"game.kif:2:{column + 1}: ")
    assert variable in str(caught.value)


def test_alternatives_are_bounded() -> None:
    binding = [f"(or (p ?x{i}) (q ?x{i}))" for i in range(13)]
    assert len(normal(f"(<= h {' '.join(binding[:11])})")) == 2048
    with pytest.raises(ResourceLimitError, match="'h'"):
        normal(f"(<= h {' '.join(binding)})")


def test_recursive_disjunctions_are_split() -> None:
    rules = gdl.parse(
        "(<= (reach ?y) (edge ?x ?y) (or (start ?x) (reach ?x)))"
        "(<= (far ?y) (edge ?x ?y) (or (start ?x) (reach ?x)))"
        "(<= (p ?x) (edge ?x ?y) (or (start ?x) (and (q ?x) (or (p ?y) (start ?y)))))"
        "(<= (q ?x) (p ?x))"
    )
    split = split_recursion(normal_form(rules.rules, rules.source))
    assert list(map(str, split)) == [
        "(<= (reach ?y) (edge ?x ?y) (start ?x))",
        "(<= (reach ?y) (edge ?x ?y) (reach ?x))",
        "(<= (far ?y) (edge ?x ?y) (or (start ?x) (reach ?x)))",
        "(<= (p ?x) (edge ?x ?y) (start ?x))",
        "(<= (p ?x) (edge ?x ?y) (q ?x) (p ?y))",
        "(<= (p ?x) (edge ?x ?y) (q ?x) (start ?y))",
        "(<= (q ?x) (p ?x))",
    ]


def test_recursive_disjunctions_are_bounded() -> None:
    body = "(or (p ?x) (q ?x)) " * 13
    rules = gdl.parse(f"(<= (p ?x) (q ?x) {body})")
    with pytest.raises(ResourceLimitError, match="'p'"):
        split_recursion(rules.rules)


def test_all_disjunctions_are_expanded_in_the_order_of_their_branches() -> None:
    (rule,) = gdl.parse("(<= h (or p (and q (or r s))) t (not (and u (not v))))").rules
    assert [" ".join(map(str, expanded.body)) for expanded in expand_all(rule)] == [
        "p t (not u)",
        "p t v",
        "q r t (not u)",
        "q r t v",
        "q s t (not u)",
        "q s t v",
    ]


@pytest.mark.parametrize(
    ("left", "right", "common"),
    [
        ("?x", "a", "a"),
        ("a", "a", "a"),
        ("a", "b", None),
        ("(f ?x b)", "(f a ?y)", "(f a b)"),
        ("(f ?x ?x)", "(f a b)", None),
        ("(f ?x ?x)", "(f ?y (g a))", "(f (g a) (g a))"),
        ("(f ?x)", "(g ?x)", None),
        ("(f ?x)", "(f ?x ?y)", None),
        ("(f ?x)", "f", None),
        ("?x", "(f ?x)", None),
        ("(f ?x ?y)", "(f ?y (g ?x))", None),
        ("(f ?x ?y ?z)", "(f ?y ?z a)", "(f a a a)"),
        ("(f ?x (h ?x ?y))", "(f (g ?z) ?w)", "(f (g ?z) (h (g ?z) ?y))"),
    ],
)
def test_unifiers(left: str, right: str, common: str | None) -> None:
    one, other = gdl.parse_term(left), gdl.parse_term(right)
    for pair in ((one, other), (other, one)):
        unifier = unify(*pair)
        assert (unifier is None) == (common is None)
        if unifier is not None:
            assert _applied(one, unifier) == _applied(other, unifier)
            assert str(_applied(one, unifier)).count("?") == str(common).count("?")


@given(syntax.terms(), st.dictionaries(st.sampled_from("aqxX_"), syntax.terms(), max_size=3))
def test_term_unifies_with_its_instances(term: Term, values: dict[str, Term]) -> None:
    renamed = {
        v.name: gdl.Variable(f"{v.name} 2") for t in values.values() for v in variables_of(t)
    }
    instance = _applied(term, {name: _applied(value, renamed) for name, value in values.items()})
    apart = {v.name: gdl.Variable(f"{v.name} 1") for v in variables_of(term)}
    unifier = unify(_applied(term, apart), instance)
    assert unifier is not None
    assert _applied(_applied(term, apart), unifier) == _applied(instance, unifier)


@given(syntax.terms(), syntax.terms())
def test_unifiers_make_terms_equal_at_once(one: Term, other: Term) -> None:
    unifier = unify(one, other)
    assert (unifier is None) == (unify(other, one) is None)
    if unifier is not None:
        assert _applied(one, unifier) == _applied(other, unifier)
        assert all(_applied(term, unifier) == term for term in unifier.values())


def _applied(term: Term, bindings: Mapping[str, Term]) -> Term:
    return substitute_rule(Rule(Atom("p", (term,))), bindings).head.args[0]


@pytest.mark.thorough
@one_in(5)
@given(generators.rulesets())
def test_normal_form_has_the_shape_that_is_promised(rules: Ruleset) -> None:
    for rule in normal_form(rules.rules, rules.source):
        bound = {v.name for atom in binders(rule) for v in variables_in(atom)}
        for literal in rule.body:
            assert not isinstance(literal, And)
            assert {v.name for v in variables_in(literal)} <= bound
            for part in _parts(literal):
                assert not isinstance(part, Not) or not isinstance(part.literal, Not | And | Or)
        assert len(set(rule.body)) == len(rule.body)


def _parts(literal: Literal) -> Iterator[Literal]:
    yield literal
    if isinstance(literal, Or | And):
        for part in literal.literals:
            yield from _parts(part)


@pytest.mark.thorough
@one_in(5)
@given(generators.rulesets())
def test_rewriting_keeps_the_meaning(rules: Ruleset) -> None:
    rewritten = split_recursion(normal_form(rules.rules, rules.source))
    original, normalised = Oracle(rules, 600), Oracle(Ruleset(tuple(rewritten)), 600)
    try:
        state = original.initial_state()
        moves = [gdl.Constant("noop"), gdl.parse_term("(f a)")]
        expected = set(original.model(state, moves))
    except TooLargeError:
        return
    assert set(normalised.model(state, moves)) == expected
