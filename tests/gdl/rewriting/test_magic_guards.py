"""Wide relations are ground for what is demanded of them, and answer the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.datalog import SymbolTable, flatten_rules
from gdl.grounding.gringo import GroundingBudget
from gdl.grounding.passes import PASSES, Where, run_passes
from gdl.language import MACHINE_RELATIONS
from gdl.rewriting.magic_guards import relaxed_relation
from gdl.rewriting.rule_analysis import analyse_rules
from tests.support.lockstep import assert_as_reasoner

NUMBERS = " ".join(f"(n {i})" for i in range(8)) + " ".join(f"(s {i} {i + 1})" for i in range(7))

BLIND = """
    (<= (sight ?x ?y ?u ?y ?a ?b) (s ?x ?u) (n ?y) (n ?a) (n ?b))
    (<= (sight ?a ?b ?u ?b ?a ?b) (s ?a ?u) (n ?b))
    (<= (sight ?x ?y ?u ?y ?a ?b) (s ?x ?v) (not (true (at ?v ?y))) (sight ?v ?y ?u ?y ?a ?b))
    (<= (sight ?x ?y ?u ?y ?v ?y) (s ?x ?v) (sight ?v ?y ?u ?y ?v ?y))
"""
"""Whether (u, y) can be seen from (x, y), when what stands at (a, b) is not looked at."""

GAME = f"""
    (role you) {NUMBERS} (init (at 3 4)) (init (at 6 4)) (init (at 5 2)) {BLIND}
    (<= (legal you (go ?x ?y ?u)) (true (at ?x ?y)) (s ?x ?u))
    (<= (legal you (put ?x)) (n ?x))
    (<= (next (at ?u ?y)) (does you (go ?x ?y ?u)))
    (<= (next (at ?x 4)) (does you (put ?x)))
    (<= (next (at ?x ?y)) (true (at ?x ?y)) (not (left ?x ?y)))
    (<= (left ?x ?y) (does you (go ?x ?y ?u)))
    (<= terminal (true (at 7 4)) (true (at 0 4)))
"""

BITS = "(bit 0) (bit 1) (bit 2) (bit 3)"

SMALL_BUDGET = CompileOptions(budget=GroundingBudget(rules=100_000))

FIRST_ATTEMPT_ONLY: dict[str, Any] = {
    each.switch: False for each in PASSES if each.where == Where.HUGE_GAME
}


@pytest.mark.parametrize(
    "rule",
    [
        "(<= (next (seen ?u)) (true (at ?x ?y)) (true (at ?u ?y)) (sight ?x ?y ?u ?y ?x ?y))",
        # What one wide relation binds is demanded of another; negated, and in an alternative.
        """(<= (next (seen ?u)) (true (at ?x ?y)) (sight 3 ?y ?u ?y ?x ?y)
               (not (sight ?x ?y ?u ?y 6 4)) (true (at ?u 2)))""",
        """(<= (next (seen ?x)) (true (at ?x ?y)) (true (at ?u ?y))
               (or (sight ?x ?y ?u ?y 3 4) (not (sight ?u ?y ?x ?y ?x ?y))))""",
        # A relation in between, with constants and repeated variables.
        """(<= (blocked ?x ?y ?u ?a ?b) (n ?x) (n ?y) (n ?u) (n ?a) (n ?b)
               (not (sight ?x ?y ?u ?y ?a ?b)) (distinct ?a ?u))
           (<= (next (seen ?u)) (true (at ?x 4)) (true (at ?u ?y)) (blocked ?x 4 ?u ?x 4))
           (<= (next (seen ?x)) (true (at ?x ?y)) (blocked ?x ?y ?x ?x ?y))""",
        # Demanded by a rule whose body never holds.
        "(<= (next (seen ?x)) (true (never ?x)) (sight ?x 4 ?x 4 ?x 4))",
    ],
)
def test_guarded_relations_answer_the_same(rule: str) -> None:
    assert_as_reasoner(gdl.parse(GAME + rule), 12, options=SMALL_BUDGET)


def test_a_relation_with_more_rows_than_the_budget_has_rules() -> None:
    """Two values in each of thirty columns, of which one combination is demanded."""
    columns = " ".join(f"?{i}" for i in range(30))
    body = " ".join(f"(bit ?{i})" for i in range(30))
    game = gdl.parse(f"""
        (role you) (bit 0) (bit 1) (init (step 1)) (legal you go)
        (<= (p {columns}) {body} (true (step 1)))
        (<= (next (step 2)) (does you go) (p {"0 " * 30}))
        (<= terminal (true (step 2)))
    """)
    assert_as_reasoner(game, 5, options=SMALL_BUDGET)
    with pytest.raises(gdl.GroundingLimitError):
        gdl.compile(game, replace(SMALL_BUDGET, **FIRST_ATTEMPT_ONLY, magic_guards=False))


def test_a_chain_of_ever_wider_relations() -> None:
    """Each demands of the next one a row with one more argument: no column is missing in a key."""
    wide = 10
    chain = []
    for width in range(1, wide):
        columns = " ".join(f"?{i}" for i in range(width))
        bits = " ".join(f"(bit ?{i})" for i in range(width))
        chain.append(f"(<= (p {columns}) {bits} (p {columns} 0))")
        chain.append(f"(<= (p {columns}) {bits} (true (step {width})))")
    columns = " ".join(f"?{i}" for i in range(wide))
    bits = " ".join(f"(bit ?{i})" for i in range(wide))
    game = gdl.parse(f"""
        (role you) {BITS} (init (step 1)) {" ".join(f"(s {i} {i + 1})" for i in range(14))}
        {" ".join(chain)} (<= (p {columns}) {bits} (true (step {wide})))
        (<= (legal you go) (p 0)) (legal you wait)
        (<= (next (step ?y)) (true (step ?x)) (s ?x ?y) (does you ?any))
        (<= terminal (true (step 14)))
    """)
    assert_as_reasoner(game, 20, options=SMALL_BUDGET)


def test_columns_that_bindings_leave_free_are_not_in_the_key() -> None:
    """A key of all pairs of squares would have as many rows as the relation itself."""
    game = gdl.parse(f"""
        {GAME} (<= (next (seen ?u)) (true (at ?x ?y)) (n ?a) (n ?b) (n ?u)
                   (sight ?x ?y ?u ?y ?a ?b) (true (at ?a ?b)))
    """)
    assert_as_reasoner(game, 15, options=SMALL_BUDGET)


MANY_MOVES = """
    (<= (legal you (jump ?x ?y ?u ?y ?a ?b)) (true (at ?x ?y)) (n ?u) (n ?a) (n ?b)
        (sight ?x ?y ?u ?y ?a ?b))
    (<= (legal you (jump 3 4 ?u ?v ?u ?v)) (n ?u) (n ?v) (distinct ?u ?v) (not (true (at ?u ?v))))
"""
"""Moves of six arguments, in which some are repeated or constant."""


@pytest.mark.parametrize(
    ("rule", "is_listed"),
    [
        ("(<= (next (at ?u ?b)) (does you (jump ?x ?y ?u ?v ?a ?b)))", False),
        pytest.param(
            "(<= (next (seen ?a)) (does you (jump ?a 4 ?u ?u ?b ?b)) (distinct ?a ?u))",
            False,
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            "(<= (next (seen ?x)) (does you (jump ?x 9 ?u ?v ?a ?b)))",  # is never legal
            False,
            marks=pytest.mark.thorough,
        ),
        # The move itself tells what is demanded.
        (
            "(<= (next (seen ?u)) (does you (jump ?x ?y ?u ?y ?a ?b)) (sight ?x ?y ?u 4 ?a ?b))",
            True,
        ),
    ],
)
def test_moves_of_many_arguments_are_not_listed_in_the_relaxed_game(
    rule: str, is_listed: bool
) -> None:
    demand = "(<= (next (seen 0)) (true (at ?x ?y)) (true (at ?u ?y)) (sight ?x ?y ?u ?y ?x ?y))"
    game = gdl.parse(GAME + MANY_MOVES + demand + rule)
    flat = flatten_rules(game, MACHINE_RELATIONS)
    passed = run_passes(analyse_rules(flat, SymbolTable(), CompileOptions()), Where.GAME)
    defined = {rule.head.relation for rule in passed.rules}
    [legal] = [origin for origin, _ in flat.flows() if origin[1] == 7]
    assert legal in defined
    assert (relaxed_relation(legal) in defined) == is_listed
    assert any(name.startswith(" demanded") for name, _ in defined)
    assert_as_reasoner(game, 12, options=SMALL_BUDGET)
