"""The rule index: rules and facts by relation, in an order in which they can be evaluated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl import Atom, Constant, Not, Rule
from gdl.datalog.dependencies import reachable
from gdl.datalog.rule_index import RuleIndex, occurrences
from gdl.datalog.symbol_table import SymbolTable
from gdl.language import GIVEN_LEVELS, Level, RelationKey, body_atoms

TEXT = """
(edge 1 2) (edge 2 (f 3)) (edge 1 2) (start 1) (open) (unused a b c)
(path 1 1)
(<= (path ?x ?y) (edge ?x ?y))
(<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))
(<= (odd ?x) (true ?x) (not (even ?x)))
(<= (even ?x) (odd ?x))
(<= (number (s ?x)) (number ?x))
(<= (less ?x) (less (s ?x)))
(<= (fixed ?x) (fixed (s 1)) (start ?x))
(<= (moved ?x) (does ?r ?x) (path ?x ?x) (not (path ?x 1)) (path 1 ?x))
(<= (called ?x) (path (s ?x) ?x) (not (edge ?x ?x)))
"""


def index_of(text: str) -> tuple[RuleIndex, SymbolTable]:
    symbols = SymbolTable()
    return RuleIndex(gdl.parse(text).rules, GIVEN_LEVELS, symbols), symbols


INDEX, SYMBOLS = index_of(TEXT)


def test_rules_keep_their_order_and_facts_are_no_rules() -> None:
    assert [str(rule) for rule in INDEX.rules_of(("path", 2))] == [
        "(<= (path ?x ?y) (edge ?x ?y))",
        "(<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))",
    ]
    assert not INDEX.rules_of(("edge", 2))


def test_facts_are_rows_of_ids_without_repetitions() -> None:
    one, two, three = (SYMBOLS.encode(gdl.parse_term(text)) for text in ("1", "2", "(f 3)"))
    assert INDEX.facts_of(("edge", 2)) == {(one, two), (two, three)}
    assert INDEX.facts_of(("path", 2)) == {(one, one)}
    assert INDEX.facts_of(("start", 1)) == {one}
    assert INDEX.facts_of(("open", 0)) == {()}


@pytest.mark.parametrize("relation", [("unknown", 1), ("path", 3), ("start", 0)])
def test_nothing_is_known_of_other_relations(relation: RelationKey) -> None:
    assert not INDEX.rules_of(relation)
    assert INDEX.facts_of(relation) == set()
    assert INDEX.level_of(relation) is Level.STATIC
    assert INDEX.component_of(relation) == ()
    assert relation not in INDEX.order


def test_the_order_has_facts_that_no_rule_asks_for() -> None:
    assert {("unused", 3), ("open", 0), ("edge", 2)} <= {*INDEX.order}


def test_components_are_empty_without_recursion() -> None:
    assert INDEX.component_of(("path", 2)) == (("path", 2),)
    assert {*INDEX.component_of(("odd", 1))} == {("odd", 1), ("even", 1)}
    assert INDEX.component_of(("moved", 1)) == INDEX.component_of(("edge", 2)) == ()


def test_a_component_negates_itself_through_its_own_relations_alone() -> None:
    assert INDEX.negates_itself(INDEX.component_of(("even", 1)))
    assert not INDEX.negates_itself([("path", 2)])
    assert not INDEX.negates_itself([("moved", 1)])
    assert not INDEX.negates_itself([])


def test_terms_are_built_by_calls_and_not_by_heads() -> None:
    assert INDEX.builds_terms([("less", 1)])
    assert not INDEX.builds_terms([("number", 1)])
    assert not INDEX.builds_terms([("fixed", 1)])  # a ground term does not grow
    assert not INDEX.builds_terms([("called", 1)])  # a call of another component


def test_what_is_replaced_is_replaced_for_one_relation_alone() -> None:
    index, _ = index_of("(<= (p ?x) (q ?x)) (<= (r ?x) (q ?x)) (q 1)")
    before = index.order[:]
    index.replace_rules(("p", 1), iter(index.rules_of(("r", 1))))
    index.replace_facts(("q", 1), {7})
    assert [*index.rules_of(("p", 1))] == [*index.rules_of(("r", 1))] != []
    assert index.facts_of(("q", 1)) == {7}
    index.replace_rules(("p", 1), ())
    assert not index.rules_of(("p", 1))
    assert index.rules_of(("r", 1))
    assert index.order == before


def test_occurrences_are_the_atoms_outside_filters() -> None:
    (rule,) = INDEX.rules_of(("moved", 1))
    assert [str(atom) for atom in occurrences(rule, ("path", 2))] == ["(path ?x ?x)", "(path 1 ?x)"]
    assert occurrences(rule, ("path", 1)) == occurrences(rule, ("moved", 1)) == []


@st.composite
def rules(draw: st.DrawFn) -> list[Rule]:
    """Rules of no arguments between a few relations, and ``true`` and ``does`` in bodies."""
    names = st.sampled_from("pqrstu")
    atoms = st.one_of(names.map(Atom), names.map(Atom), st.sampled_from((TRUE, DOES)))
    literals = st.one_of(atoms, atoms.map(Not))
    bodies = st.lists(literals, max_size=2).map(tuple)
    return draw(st.lists(st.builds(Rule, names.map(Atom), bodies), max_size=8))


TRUE = Atom("true", (Constant("a"),))
DOES = Atom("does", (Constant("a"), Constant("a")))


@given(rules())
def test_order_levels_and_components_follow_from_what_reaches_what(ruleset: list[Rule]) -> None:
    index = RuleIndex(ruleset, GIVEN_LEVELS, SymbolTable())
    edges: dict[RelationKey, dict[RelationKey, bool]] = {}
    for rule in ruleset:
        edges.setdefault(rule.head.relation, {}).update(
            (atom.relation, not positive) for atom, positive in body_atoms(rule)
        )
    below = {relation: reachable(edges, edges.get(relation, ())) for relation in index.order}
    assert {*index.order} == {*edges, *(target for own in edges.values() for target in own)}
    assert len({*index.order}) == len(index.order)
    for position, relation in enumerate(index.order):
        mutual = {other for other in below[relation] if relation in below[other]}
        assert {*index.component_of(relation)} == mutual
        assert below[relation] <= {*index.order[:position], *mutual}
        levels = [GIVEN_LEVELS.get(other, Level.STATIC) for other in (relation, *below[relation])]
        assert index.level_of(relation) is max(levels)
        negated = any(
            atom.relation in mutual and not positive
            for rule in ruleset
            if rule.head.relation in mutual
            for atom, positive in body_atoms(rule)
        )
        assert index.negates_itself(index.component_of(relation)) == negated
