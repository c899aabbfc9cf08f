"""Terms are values: equal by what they say, printed as KIF that reads back the same."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given

import gdl
from gdl import Constant, Function, Term, Variable
from gdl.language import as_term
from gdl.language.rules import is_ground, variables_of
from tests.support import syntax

A, N, X = Constant("a"), Constant("1"), Variable("x")


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (A, "a"),
        (X, "?x"),
        (Function("mark", (N, X)), "(mark 1 ?x)"),
        (Function("f", (Function("g", (A,)), X)), "(f (g a) ?x)"),
        (Constant("+2"), "+2"),
        (Variable("n++"), "?n++"),
        (Function("does", (X, Function("not", (A,)))), "(does ?x (not a))"),
    ],
)
def test_text_is_kif_with_single_blanks(term: Term, text: str) -> None:
    assert str(term) == text
    assert gdl.parse_term(text) == term


def test_numbers_are_names() -> None:
    assert Constant("1") != Constant("01")
    assert gdl.parse_term("01") == Constant("01")


def test_kinds_of_the_same_name_differ() -> None:
    assert len({Constant("x"), Variable("x"), Function("x", (A,)), Function("x", (A, A))}) == 4


def test_where_a_term_was_read_takes_no_part_in_comparisons() -> None:
    first, second = gdl.parse_term("(f a ?x)"), gdl.parse_term("   (f  a\t?x)")
    assert (first.span, second.span) == ((0, 8), (3, 12))
    assert first == second
    assert hash(first) == hash(second)
    assert repr(first) == repr(second)


@pytest.mark.parametrize("term", [A, X, Function("f", (A,))])
def test_terms_are_immutable(term: Term) -> None:
    with pytest.raises(FrozenInstanceError):
        term.name = "b"  # type: ignore[misc]


def test_variables_come_from_left_to_right_with_repetitions() -> None:
    term = gdl.parse_term("(f ?b (g ?a ?b) c ?a)")
    assert [v.name for v in variables_of(term)] == ["b", "a", "b", "a"]
    assert list(variables_of(A)) == []


def test_terms_are_as_deep_as_they_are_read() -> None:
    text = "(s " * 190 + "0" + ")" * 190
    assert str(gdl.parse_term(text)) == text


@given(syntax.terms())
def test_text_reads_back_as_the_term(term: Term) -> None:
    assert str(gdl.parse_term(str(term))).lower() == str(term).lower()


@given(syntax.terms())
def test_ground_means_without_variables(term: Term) -> None:
    assert is_ground(term) == ("?" not in [str(v)[0] for v in variables_of(term)])
    assert len(list(variables_of(term))) == sum(
        word.strip("()").startswith("?") for word in str(term).split()
    )


def test_what_is_shown_of_terms_and_rules_is_gdl() -> None:
    rule = gdl.parse(
        "(<= (legal ?r (drop 4)) (not (true (full 4))) (or (a) b) (distinct ?r x))"
    ).rules[0]
    assert repr(rule) == str(rule)
    assert repr([rule.head, *rule.body]) == f"[{', '.join(map(str, [rule.head, *rule.body]))}]"
    assert repr(Function("f", (Constant("a"), Variable("x")))) == "(f a ?x)"
    assert (
        repr(gdl.parse("(role a) (role b) (init x)")) == "<ruleset <rulesheet>: 3 rules for a, b>"
    )


@pytest.mark.parametrize("text", ["(drop 4)", "drop 4", "drop(4)", " ( drop 4 ) "])
def test_text_is_a_term_in_every_notation(text: str) -> None:
    assert as_term(text) == Function("drop", (Constant("4"),))
    assert as_term(as_term(text)) is as_term(text)


def test_functions_in_functions_are_read_as_text() -> None:
    assert str(as_term("move (at 1 2) up")) == "(move (at 1 2) up)"
    assert str(as_term("move(at(1, 2), up)")) == "(move (at 1 2) up)"
    assert as_term("noop") == Constant("noop")
