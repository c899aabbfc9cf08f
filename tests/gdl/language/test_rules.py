"""Walking over rules: leaves and their signs, replacement of atoms and terms; the keyword table."""

from __future__ import annotations

from hypothesis import given

import gdl
from gdl import Atom, Constant, Distinct, Literal, Term, Variable
from gdl.language.keywords import GIVEN_LEVELS, HIGHEST_LEVELS, MACHINE_RELATIONS, moves_by_chance
from gdl.language.rules import (
    atoms_of,
    leaves_of,
    map_atoms,
    map_terms,
    substitute,
    terms_of,
    variables_in,
)
from tests.support import syntax

NESTED = gdl.parse("(<= p (not (or (q ?x) (not (r ?y)) (and (distinct ?x a) s))))").rules[0].body[0]


def test_a_leaf_is_negative_under_an_odd_number_of_negations() -> None:
    assert [(str(leaf), positive) for leaf, positive in leaves_of(NESTED)] == [
        ("(q ?x)", False),
        ("(r ?y)", True),
        ("(distinct ?x a)", False),
        ("s", False),
    ]
    assert [str(atom) for atom, _ in atoms_of(NESTED)] == ["(q ?x)", "(r ?y)", "s"]
    assert [variable.name for variable in variables_in(NESTED)] == ["x", "y", "x"]


def test_atoms_are_replaced_and_inequalities_stay() -> None:
    marked = map_atoms(NESTED, lambda atom: Atom(f"{atom.name}2", atom.args, atom.span))
    assert str(marked) == "(not (or (q2 ?x) (not (r2 ?y)) (and (distinct ?x a) s2)))"
    assert marked.span == NESTED.span


def test_substitution_reaches_every_term() -> None:
    bindings: dict[str, Term] = {"x": Constant("b"), "y": gdl.parse_term("(f ?x)")}
    found = substitute(NESTED, bindings)
    assert str(found) == "(not (or (q b) (not (r (f ?x))) (and (distinct b a) s)))"
    assert [leaf.span for leaf, _ in leaves_of(found)] == [
        leaf.span for leaf, _ in leaves_of(NESTED)
    ]


@given(syntax.literals())
def test_replacing_everything_by_itself_changes_nothing(literal: Literal) -> None:
    assert map_atoms(literal, lambda atom: atom) == literal
    assert map_terms(literal, lambda term: term) == literal
    assert substitute(literal, {}) == literal
    leaves: list[Atom | Distinct] = [leaf for leaf, _ in leaves_of(literal)]
    variables = [v for leaf in leaves for term in terms_of(leaf) for v in variables_in_term(term)]
    assert variables == list(variables_in(literal))


def variables_in_term(term: Term) -> list[Variable]:
    return list(variables_in(Atom("p", (term,))))


def test_every_keyword_relation_is_given_or_defined() -> None:
    assert sorted(GIVEN_LEVELS) == [("does", 2), ("true", 1)]
    assert GIVEN_LEVELS.keys().isdisjoint(HIGHEST_LEVELS)
    assert set(HIGHEST_LEVELS) - set(MACHINE_RELATIONS) == {("base", 1), ("input", 2)}


def test_only_the_role_random_moves_by_chance() -> None:
    assert moves_by_chance(Constant("random"))
    assert moves_by_chance(Constant("Random"))
    assert not moves_by_chance(Constant("randomness"))
