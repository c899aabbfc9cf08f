"""Inlining keeps what follows from the rules, and replaces what it says that it replaces."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gdl
from gdl import Ruleset
from gdl.datalog import SymbolTable, flatten_rules
from gdl.language import Atom, RelationKey, body_atoms, names_in
from gdl.rewriting import inlining
from gdl.rewriting.inlining import inline_relations, instance
from gdl.rewriting.rule_analysis import RulePasses, analyse_rules
from tests.support.example_counts import examples

FACTS = "(e 1 2) (e 2 3) (e 3 1) (e 3 3) (f 2 2) (f 1 3)"


def inlined(text: str, relations: list[RelationKey], min_rows: float = 0) -> Ruleset:
    """Inline relations of more than so many rows."""
    flat = flatten_rules(gdl.parse(text), relations)
    analysis = analyse_rules(flat, SymbolTable(), RulePasses())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inlining, "MIN_INLINED_ROWS", min_rows)
        return Ruleset(tuple(inline_relations(analysis)))


def used(rules: Ruleset, head: str) -> set[str]:
    """The names of the relations in the bodies of a relation's rules."""
    own = [rule for rule in rules.rules if rule.head.name == head]
    return {atom.name for rule in own for atom, _ in body_atoms(rule)}


def relations_of(rules: Ruleset) -> set[str]:
    """The names of the relations that rules define, apart from those that can never hold."""
    return {
        name
        for name in {rule.head.name for rule in rules.rules if rule.body}
        if gdl.ask(rules, f"({name} ?x ?y)")
    }


def used_anywhere(rules: Ruleset) -> set[str]:
    """The names of the relations in any body."""
    return {atom.name for rule in rules.rules for atom, _ in body_atoms(rule)}


def test_a_use_becomes_the_body() -> None:
    text = f"{FACTS} (<= (p ?x) (e ?x ?y) (f ?y ?z)) (<= (q ?y) (e ?y ?x) (p ?x))"
    rules = inlined(text, [("q", 1)])
    assert used(rules, "q") == {"e", "f"}
    assert gdl.ask(rules, "(q ?x)") == gdl.ask(gdl.parse(text), "(q ?x)")


@pytest.mark.parametrize(
    "definition",
    [
        "(<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?y) (f ?x ?y))",
        "(<= (p ?x ?x) (e ?x ?y))",
        "(<= (p ?x 1) (e ?x ?y))",
        "(<= (p ?x ?y) (or (e ?x ?y) (p ?y ?x)))",
        "(<= (p ?x ?y) (e ?x ?y) (not (f ?x ?y))) (p 1 1)",
        "(p 1 2)",
    ],
)
def test_what_does_not_match_every_use_or_is_recursive_stays(definition: str) -> None:
    text = f"{FACTS} {definition} (<= (q ?x ?y) (p ?x ?y))"
    assert used(inlined(text, [("q", 2)]), "q") == {"p"}


def test_a_chain_is_inlined_and_left_out() -> None:
    text = f"{FACTS} (<= (p ?x) (e ?x ?y) (f ?y ?z)) (<= (r ?x) (p ?x)) (<= (q ?x) (r ?x))"
    rules = inlined(text, [("q", 1)])
    assert {rule.head.name for rule in rules.rules} == {"e", "f", "q"}
    assert used(rules, "q") == {"e", "f"}


def test_what_has_many_instances_is_inlined_only_where_it_is_used_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inlining, "MAX_COPIED_INSTANCES", 1.0)
    once = "(<= (p ?x ?y) (e ?x ?y) (true (on ?x))) (<= (next (on ?y)) (p ?x ?y))"
    twice = f"{once} (<= terminal (p 1 ?x))"
    for text, kept in ((once, False), (twice, True)):
        asked = [("init", 1), ("next", 1), ("terminal", 0)]
        rules = inlined(f"{FACTS} (init (on 1)) {text}", asked)
        assert ("p" in used_anywhere(rules)) == kept


def test_negated_uses_stay() -> None:
    text = f"{FACTS} (<= (p ?x) (e ?x ?y)) (<= (q ?x) (f ?x ?y) (not (p ?x)))"
    assert used(inlined(text, [("q", 1)]), "q") == {"f", "p"}


def test_only_relations_with_more_rows_are_inlined() -> None:
    text = f"{FACTS} (<= (p ?x ?y) (e ?x ?y)) (<= (q ?x ?y) (p ?x ?y))"
    assert used(inlined(text, [("q", 2)], min_rows=0), "q") == {"e"}
    assert used(inlined(text, [("q", 2)], min_rows=1_000), "q") == {"p"}


def test_calls_have_variables_of_their_own() -> None:
    definition, user = gdl.parse("(<= (p ?x ?y) (e ?x ?z) (e ?z ?y)) (<= (q ?z) (p ?z 1))").rules
    call = user.body[0]
    assert isinstance(call, Atom)
    first, second = (instance(definition, call, number) for number in (0, 1))
    assert names_in(first) & names_in(second) == names_in([call]) == {"z"}
    assert len(names_in(first)) == len(names_in(second)) == 2


names = st.sampled_from(["?x", "?y", "?z"])
constants_too = st.sampled_from(["?x", "?y", "?z", "?z", "1", "3"])


@st.composite
def rulesheets(draw: st.DrawFn) -> str:
    """Relations p0 to p3 of one or two rules, over facts, those before them, and themselves."""
    text = FACTS
    for layer in range(4):
        below = [f"p{number}" for number in range(layer)]
        for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
            usable = st.sampled_from(["e", "f", *below * 3, *[f"p{layer}"] * (layer > 2)])
            atoms = st.builds("({} {} {})".format, usable, constants_too, constants_too)
            body = ["(e ?x ?w)", *draw(st.lists(atoms, max_size=3)), "(e ?y ?z)"]
            guards = st.builds("({} {} {})".format, st.sampled_from(["e", *below]), names, names)
            filters = st.one_of(guards.map("(not {})".format), st.just("(distinct ?x ?z)"))
            body += draw(st.lists(filters, max_size=1))
            head = draw(st.sampled_from(["?x ?y", "?z ?x", "?y ?z", "?x ?x", "?w ?y", "1 ?z"]))
            text += f" (<= (p{layer} {head}) {' '.join(body)})"
    return text


@settings(max_examples=examples(3, 10), suppress_health_check=[HealthCheck.too_slow])
@given(rulesheets())
def test_the_same_follows_from_the_rules(text: str) -> None:
    """What is left out was used, and nothing uses it any more."""
    original = gdl.parse(text)
    rules = inlined(text, [(f"p{layer}", 2) for layer in range(4)])
    left_out = relations_of(original) - relations_of(rules)
    assert left_out <= used_anywhere(original) - used_anywhere(rules)
    for relation in relations_of(rules):
        query = f"({relation} ?x ?y)"
        assert gdl.ask(rules, query) == gdl.ask(original, query)
