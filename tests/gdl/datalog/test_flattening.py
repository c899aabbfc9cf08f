"""Flattening makes functions part of relations, and changes nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given

import gdl
from gdl import Atom, ResourceLimitError, Ruleset, Term
from gdl.datalog.domains import domains_of
from gdl.datalog.flattening import Flattening
from gdl.datalog.normal_form import normal_form, split_recursion
from gdl.language.rules import RelationKey, Rule
from tests.support.example_counts import one_in
from tests.support.generators import rulesets
from tests.support.oracle import Facts, Oracle, TooLargeError


def flattened(text: str, *kept: RelationKey) -> tuple[Flattening, list[Rule]]:
    source = gdl.parse(text)
    rules = normal_form(source.rules, source.source)
    flattening = Flattening(domains_of(rules), frozenset(kept))
    return flattening, flattening.rules(rules)


def relations(text: str, *kept: RelationKey) -> set[str]:
    """Return the relations of the heads, without what flattening adds for uniqueness alone."""
    _, rules = flattened(text, *kept)
    return {rule.head.name.split(" ")[0] + "/" + str(len(rule.head.args)) for rule in rules}


def test_facts_become_rows() -> None:
    _, rules = flattened("(init (cell 1 b)) (init done) (<= (p ?x) (true (cell ?x ?y)))")
    cell, done, rule = rules
    assert (list(map(str, cell.head.args)), list(map(str, done.head.args))) == (
        ["1", "b"],
        ["done"],
    )
    assert cell.head.name != done.head.name == "init"
    (atom,) = rule.body
    assert isinstance(atom, Atom)
    assert atom.name == cell.head.name.replace("init", "true")
    assert list(map(str, atom.args)) == ["?x", "?y"]


def test_specialized_relations_of_a_core_relation() -> None:
    flattening, _ = flattened("(init a) (init (f 1)) (init (f 1 2)) (init (b 3)) (true x)")
    specialized = list(flattening.specializations(("true", 1)))
    assert [(arity, function) for (_, arity), function in specialized] == [
        (1, None),
        (1, ("b", 1)),
        (1, ("f", 1)),
        (2, ("f", 2)),
    ]
    assert len({relation for relation, _ in specialized}) == 4


def test_moves_keep_their_role() -> None:
    flattening, rules = flattened("(legal r (go 1 2)) (legal r stay)")
    assert [len(rule.head.args) for rule in rules] == [3, 2]
    assert [arity for (_, arity), _ in flattening.specializations(("does", 2))] == [2, 3]


def test_arguments_that_are_always_one_function() -> None:
    assert relations("(p (f 1 2) a) (p (f 3 4) b)") == {"p/3"}
    assert relations("(p (f 1 2) a) (p c b)") == {"p/2"}
    assert relations("(p (f 1 2) a) (p (f 1) b)") == {"p/2"}
    assert relations("(p (f 1 2) a) (p (f 3 4) b)", ("p", 2)) == {"p/2"}


def test_functions_inside_functions_stay() -> None:
    _, (rule,) = flattened("(init (at (pos 1 2)))")
    assert list(map(str, rule.head.args)) == ["(pos 1 2)"]


def test_variables_become_what_they_can_stand_for() -> None:
    text = "(init a) (init (f 1)) (init (g 1 2)) (<= (next ?x) (true ?x) (keep ?x)) "
    text += "(keep (f 1)) (keep (g 1 2)) (keep a) (keep (h 1))"
    _, rules = flattened(text)
    following = [rule for rule in rules if rule.head.name.startswith("next")]
    assert sorted(len(rule.head.args) for rule in following) == [1, 1, 2]


def test_rules_that_can_never_apply_are_left_out() -> None:
    _, rules = flattened("(init (f 1)) (<= (next a) (true (g ?x))) (<= (next b) (true b))")
    assert [str(rule.head.args[0]) for rule in rules] == ["1"]


def test_names_never_meet_those_of_the_rulesheet() -> None:
    _, rules = flattened("(p (f 1 2) 3) (p 4 (f 5) 6) (p-f 7) (init (f 8)) (init-f 9) (f 10)")
    assert len({rule.head.relation for rule in rules}) == len(rules)


def test_specializations_are_bounded() -> None:
    facts = " ".join(f"(init (f{i} 1))" for i in range(20))
    assert len(flattened(f"{facts} (<= (p ?x) (true ?x) (true ?y))")[1]) == 420
    with pytest.raises(ResourceLimitError, match="'p'"):
        flattened(f"{facts} (<= (p ?x) (true ?x) (true ?y) (true ?z))")


def flat_facts(flattening: Flattening, facts: Facts) -> set[tuple[RelationKey, tuple[Term, ...]]]:
    atoms = (flattening.atom(Atom(name, row)) for (name, _), row in facts)
    return {(atom.relation, atom.args) for atom in atoms}


@pytest.mark.thorough
@one_in(5)
@given(rulesets())
def test_flat_rules_say_the_same(rules: Ruleset) -> None:
    """What follows from flat rules and flat facts is what follows from the rules, flattened."""
    normal = split_recursion(normal_form(rules.rules, rules.source))
    flattening = Flattening(domains_of(normal))
    flat = Oracle(Ruleset(tuple(flattening.rules(normal))), 600)
    oracle = Oracle(rules, 600)
    state = oracle.initial_state()
    try:
        given_facts = Facts([*((("true", 1), (fact,)) for fact in state)])
        for role in oracle.roles:
            given_facts.add(("does", 2), (role, gdl.Constant("noop")))
        expected = flat_facts(flattening, oracle.complete(given_facts))
        assert set(flat.complete(Facts(flat_facts(flattening, given_facts)))) == expected
    except TooLargeError:
        return
