"""Recursion ends with the least model; negation may run through relations in a cycle."""

from __future__ import annotations

import pytest

from gdl import RulesetError
from tests.support.marks import thorough
from tests.support.tiny_games import NUMBERS, after, goals, is_terminal, legal, legal_unchecked

# Recursion


PATHS = "(e a b) (e b c) (e c a) (e d d) "


@pytest.mark.parametrize(
    "rules",
    [
        "(<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (e ?y ?z))",
        "(<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?z) (e ?x ?y) (reach ?y ?z))",
        "(<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))",
        "(<= (reach ?x ?z) (e ?x ?y) (or (e ?x ?z) (reach ?y ?z)))",
        "(<= (reach ?x ?z) (or (e ?x ?z) (and (e ?x ?y) (reach ?y ?z))))",
        "(<= (reach ?x ?y) (even ?x ?y)) (<= (reach ?x ?y) (odd ?x ?y)) (<= (odd ?x ?y) (e ?x ?y)) "
        "(<= (odd ?x ?z) (even ?x ?y) (e ?y ?z)) (<= (even ?x ?z) (odd ?x ?y) (e ?y ?z))",
    ],
    ids=["left", "right", "twice", "in an or", "all in an or", "mutual"],
)
@pytest.mark.parametrize("given", ["state", *thorough("static")])
def test_paths(rules: str, given: str) -> None:
    facts = PATHS
    if given == "state":
        facts = PATHS.replace("(e", "(init (e").replace(")", "))")
        facts += "(<= (e ?x ?y) (true (e ?x ?y)))"
    text = f"{facts} {rules} "
    assert legal(f"{text} (<= (legal r ?y) (reach a ?y))") == ["a", "b", "c"]
    assert legal(f"{text} (<= (legal r ?x) (reach ?x d))") == ["d"]
    assert legal(f"{text} (<= (legal r ok) (reach b a) (not (reach a d)))") == ["ok"]
    assert len(legal(f"{text} (<= (legal r (m ?x ?y)) (reach ?x ?y))")) == 10


def test_recursive_disjunction_whose_variables_have_values() -> None:
    text = "(start 1) (edge 1 2) (edge 2 3) (edge 3 4) "
    text += "(<= (reach ?y) (edge ?x ?y) (or (start ?x) (reach ?x)))"
    assert legal(f"{text} (<= (legal r ?x) (reach ?x))") == ["2", "3", "4"]


def test_cycle_without_a_base_is_empty() -> None:
    text = "(<= (p ?x) (q ?x)) (<= (q ?x) (p ?x)) (<= s s) "
    assert legal(f"{text} (<= (legal r ?x) (p ?x)) (<= (legal r no) s)") == []


def test_mutual_recursion_with_swapped_arguments() -> None:
    text = (
        "(e 1 2) (e 3 4) (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?y) (q ?y ?x)) (<= (q ?x ?y) (p ?x ?y))"
    )
    assert legal(f"{text} (<= (legal r (m ?x ?y)) (p ?x ?y))") == [
        "(m 1 2)",
        "(m 2 1)",
        "(m 3 4)",
        "(m 4 3)",
    ]


def test_terms_that_grow_to_a_bound() -> None:
    text = f"{NUMBERS} (list 0 nil) "
    text += "(<= (list ?m (cons ?m ?l)) (list ?n ?l) (succ ?n ?m) (small ?m)) (small 1) (small 2) "
    assert legal(f"{text} (<= (legal r ?l) (list ?n ?l))") == [
        "(cons 1 nil)",
        "(cons 2 (cons 1 nil))",
        "nil",
    ]


def test_terms_taken_apart_by_what_is_asked() -> None:
    many = " ".join(f"(num {i})" for i in range(120))
    text = f"{many} (<= (init (q ?x)) (num ?x)) (init (q (f (f 7)))) (<= (p ?x) (true (q ?x))) "
    text += "(<= (p ?x) (p (f ?x))) (<= terminal (p 7)) (<= (legal r ok) (p (f 7))) "
    assert is_terminal(text)
    assert legal(f"{text} (<= (legal r no) (p (f 8)))") == ["ok"]


def test_arithmetic_by_recursion() -> None:
    text = f"{NUMBERS} (<= (plus 0 ?x ?x) (num ?x)) (num 0) (<= (num ?y) (succ ?x ?y)) "
    text += "(<= (plus ?a ?y ?c) (succ ?b ?a) (plus ?b ?y ?d) (succ ?d ?c)) "
    text += "(init (first 20)) (init (second 22)) "
    text += "(<= (legal r ?z) (true (first ?x)) (true (second ?y)) (plus ?x ?y ?z))"
    assert legal_unchecked(text) == ["42"]


def test_recursion_above_negation() -> None:
    text = "(init (cell 1 x)) (init (cell 2 x)) (init (cell 3 o)) (init (cell 4 x)) "
    text += "(next-to 1 2) (next-to 2 3) (next-to 3 4) "
    text += "(<= (empty ?c) (next-to ?c ?d) (not (true (cell ?c o)))) "
    text += "(<= (linked ?c ?d) (next-to ?c ?d) (empty ?c)) "
    text += "(<= (linked ?c ?e) (linked ?c ?d) (linked ?d ?e)) "
    text += "(<= (alone ?c) (empty ?c) (not (linked ?c 3))) "
    assert legal(f"{text} (<= (legal r ?c) (linked 1 ?c))") == ["2", "3"]
    assert legal(f"{text} (<= (legal r ?c) (alone ?c)) (<= (legal r ok) (not (alone 2)))") == ["ok"]


def test_recursion_over_moves() -> None:
    text = "(role a) (role b) (legal a (push 1 2)) (legal b (push 2 3)) "
    text += "(<= (moved ?x ?y) (does ?r (push ?x ?y))) "
    text += "(<= (moved ?x ?z) (moved ?x ?y) (moved ?y ?z)) (<= (next (at ?x ?y)) (moved ?x ?y))"
    assert after(text, "(push 1 2)", "(push 2 3)") == ["(at 1 2)", "(at 1 3)", "(at 2 3)"]


# Negation in cycles of relations


def test_negation_in_a_cycle_of_relations_but_not_of_ground_atoms() -> None:
    assert goals(
        "(init won) (<= (goal r 0) (not (true won))) (<= (goal r 100) (not (goal r 0)))"
    ) == (100,)
    assert goals("(<= (goal r 0) (not (true won))) (<= (goal r 100) (not (goal r 0)))") == (0,)


@pytest.mark.parametrize("given", ["state", *thorough("static")])
def test_positions_won_and_lost(given: str) -> None:
    moves = "(move 1 2) (move 2 3) (move 3 4) (move 4 5) (move 1 4) (move 3 5) "
    if given == "state":
        moves = moves.replace("(move", "(init (move").replace(")", "))")
        moves += "(<= (move ?x ?y) (true (move ?x ?y))) "
    text = f"{moves} (<= (win ?x) (move ?x ?y) (not (win ?y))) "
    assert legal(f"{text} (<= (legal r ?x) (win ?x))") == ["1", "3", "4"]
    assert legal(f"{text} (<= (legal r ?x) (move ?x ?y) (not (win ?x)))") == ["2"]


def test_two_relations_negate_each_other_by_ranks() -> None:
    text = "(succ 0 1) (succ 1 2) (succ 2 3) (even 0) "
    text += "(<= (even ?y) (succ ?x ?y) (not (even ?x)) (not (odd ?y))) "
    text += "(<= (odd ?y) (succ ?x ?y) (even ?x))"
    assert legal(f"{text} (<= (legal r ?x) (even ?x))") == ["0", "2"]
    assert legal(f"{text} (<= (legal r ?x) (odd ?x))") == ["1", "3"]


@pytest.mark.parametrize(
    "rules",
    [
        "(<= p (not p))",
        "(<= p (not q)) (<= q (not p))",
        "(<= (p ?x) (n ?x) (not (q ?x))) (<= (q ?x) (n ?x) (not (p ?x))) (n 1) (<= p (p 1))",
        "(move 1 2) (move 2 1) (<= (win ?x) (move ?x ?y) (not (win ?y))) (<= p (win 1))",
        "(<= p (true a) (not p))",
    ],
)
def test_negation_in_a_cycle_of_ground_atoms_is_refused(rules: str) -> None:
    text = f"(role r) (init a) {rules} (<= terminal p)"
    with pytest.raises(RulesetError, match="cycle"):  # at once, or where the state matters
        legal_unchecked(f"{text} (<= (legal r x) terminal)")
