"""Decomposing rules keeps what follows from them, with fewer instances."""

from __future__ import annotations

from typing import Any

import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.engine.machine import PropnetStateMachine
from gdl.rewriting import rule_decomposition
from gdl.rewriting.rule_decomposition import RuleDecomposer
from tests.support.lockstep import assert_as_reasoner, assert_lockstep
from tests.support.marks import thorough


def numbers(count: int) -> str:
    return " ".join(f"(n {i})" for i in range(count))


NUMBERS = numbers(40)


def both(text: str) -> tuple[PropnetStateMachine, PropnetStateMachine]:
    """Return a game's machines with rules decomposed, and as they are."""
    rules = gdl.parse(text)
    return (
        gdl.compile(rules, CompileOptions(decompose_rules=True)),
        gdl.compile(rules, CompileOptions(decompose_rules=False)),
    )


def assert_same_answers(text: str, states: int = 30) -> tuple[int, int]:
    """Compare both machines with the reasoner; return their numbers of ground rules."""
    reasoner = gdl.interpret(gdl.parse(text))
    decomposed, whole = both(text)
    for machine in (decomposed, whole):
        assert_lockstep(machine, reasoner, 2 * states, seed=1)
    return decomposed.ground_rules, whole.ground_rules


CHAIN = f"""
    (role you) {NUMBERS} (init (on 1 2)) (init (on 2 3)) (init (on 3 4))
    (<= (legal you (put ?x ?y)) (n ?x) (n ?y) (distinct ?x 7))
    (<= (next (on ?x ?y)) (does you (put ?x ?y)))
    (<= (next (on ?x ?y)) (true (on ?x ?y)) (distinct ?x 3))
    (<= terminal (true (on ?a ?b)) (true (on ?b ?c)) (true (on ?c ?d)) (true (on ?d 5)))
    (<= (goal you 100) (true (on ?a ?b)) (true (on ?b ?a)))
    (<= (goal you 0) (not (true (on 1 2))))
"""


def test_a_chain_of_joins_is_decomposed() -> None:
    """Four steps through 40 places: 40 ** 5 instances become a few times 40 ** 2, or 40 ** 3."""
    rules = gdl.parse(CHAIN)
    machine = gdl.compile(rules)
    assert machine.ground_rules < 150_000
    assert_lockstep(machine, gdl.interpret(rules), 60, seed=1)


SHORT_CHAIN = CHAIN.replace(NUMBERS, numbers(8))


def test_decomposition_makes_fewer_rules() -> None:
    decomposed, whole = assert_same_answers(SHORT_CHAIN)
    assert decomposed < whole / 3


def test_small_rules_are_left_alone() -> None:
    text = """
        (role you) (n 1) (n 2) (n 3) (init (on 1))
        (<= (legal you (go ?x)) (n ?x))
        (<= (next (on ?x)) (does you (go ?x)) (true (on ?y)) (n ?z) (distinct ?y ?z))
        (<= terminal (true (on 3)))
    """
    decomposed, whole = assert_same_answers(text)
    assert decomposed == whole


def test_moves_stay_with_what_they_select() -> None:
    """A frame axiom over every move becomes one gate a fluent, with decomposition or without."""
    text = f"""
        (role you) {NUMBERS} (init (on 1))
        (<= (legal you (go ?x ?y)) (n ?x) (n ?y))
        (<= (next (on ?x)) (does you (go ?x ?y)))
        (<= (next (on ?z)) (true (on ?z)) (does you (go ?x ?y)) (distinct ?x ?z) (n ?w)
            (distinct ?w ?y))
    """
    for machine in both(text):
        assert len(machine.engine.layout.transition.gates) < 4000


def with_inlined(count: int, rule: str) -> gdl.Ruleset:
    """Rules with a relation r, of one rule with many rows, over so many numbers."""
    return gdl.parse(f"""
        (role you) {numbers(count)} (init (on 1 2)) (init (on 3 4)) (init c)
        (<= (r ?a ?b ?c) (n ?a) (n ?b) (n ?c) (n ?x) (true (on ?x ?a)))
        (<= (legal you (put ?x ?y)) (n ?x) (n ?y) (true (on ?z ?x)))
        (<= (next (on ?x ?y)) (does you (put ?x ?y)))
        {rule}
        (<= terminal (true (on 0 0)))
    """)


STAYS = "(<= (next ?x) (r ?a ?b ?c) (true ?x) (does you (put ?a ?b)) (true (on ?c ?b)))"


@pytest.mark.parametrize(
    "rule",
    [
        STAYS,  # The local variable ?x of r, and the variables of a fact that is flattened.
        # Twice the same relation, once with its arguments exchanged.
        "(<= (next (won ?a)) (r ?a ?b ?c) (r ?b ?a ?c) (does you (put ?a ?b)) (n ?x))",
        "(<= (next (won ?x)) (r ?x ?x ?x) (n ?a) (does you (put ?a ?x)) (true (on ?b ?a)))",
        "(<= (next (won 1)) (r ?a 2 ?a) (n ?x) (true (on ?x ?a)) (not (true (on ?a ?x))))",
        "(<= (next (won 2)) (or (r ?a ?b ?c) (true (on ?a ?b))) (true (on ?b ?a)) (n ?c))",
    ],
)
def test_variables_of_inlined_relations_are_their_own(rule: str) -> None:
    """The relation is replaced by its body, under names of its own."""
    assert_as_reasoner(with_inlined(11, rule), 15, matches=3)


def test_inlining_makes_fewer_rules() -> None:
    """Only the body of r shows which of its variables the fact that stays depends on."""
    rules = with_inlined(20, STAYS)
    machine = gdl.compile(rules)
    without = gdl.compile(rules, CompileOptions(inline_relations=False))
    assert machine.ground_rules < without.ground_rules / 2
    assert_lockstep(machine, without, 15, seed=0)


def test_a_local_variable_is_not_taken_for_one_of_a_fact() -> None:
    """The ?x of r has nothing to do with the ?x of next, which stands for whole facts."""
    text = f"""
        (role you) {NUMBERS} (init (on 1 2)) (init (on 3 4)) (init c)
        (<= (r ?a ?b ?c) (n ?a) (n ?b) (n ?c) (n ?x) (true (on ?x ?a)))
        (<= (legal you (put ?x ?y)) (n ?x) (n ?y))
        {STAYS}
        (<= terminal (true (on 0 0)))
    """
    machine = gdl.compile(gdl.parse(text))
    state = machine.initial_state()
    after = machine.next_state(state, [gdl.parse_term("(put 2 4)")])
    assert after == state


def test_functions_inside_arguments() -> None:
    """A variable may occur only inside a function."""
    text = f"""
        (role you) {numbers(12)} (init (p 1)) (q c d)
        (<= (q (f ?x) ?y) (n ?x) (n ?y))
        (<= (legal you (m ?x)) (n ?x))
        (<= (next (p ?x)) (does you (m ?x)))
        (<= (next (r ?x)) (q (f ?a) ?x) (true (p ?a)) (n ?b) (q (f ?b) ?x))
        (<= terminal (q (f ?a) ?b) (q (f ?b) ?c) (true (p ?c)) (true (r ?a)) (true (p 3)))
    """
    assert_same_answers(text, states=10)


@pytest.mark.parametrize(
    "rule",
    [
        # Neither ?u nor ?v is bound by what holds ?k: their domains bind them.
        """(<= (legal you (move ?u ?v)) (n ?u) (n ?v) (on ?u ?v) (true (king ?k))
               (not (threatened ?k ?u ?v)))""",
        """(<= (legal you (move ?u ?v)) (n ?u) (n ?v) (on ?u ?v) (true (king ?k)) (true (king ?l))
               (distinct ?k ?l) (not (threatened ?k ?l ?v)) (distinct ?l ?u))""",
        """(<= (legal you (move ?u ?v)) (on ?u ?v) (true (king ?k))
               (or (threatened ?k ?u ?u) (not (threatened ?u ?k ?v))))""",
        """(<= (legal you (move ?u ?v)) (on ?u ?v) (true (king ?k)) (true (king ?l)) (n ?w)
               (not (threatened ?k ?w ?v)) (distinct ?w ?l))""",
    ],
)
def test_variables_that_only_filters_hold_are_bound_by_their_domains(rule: str) -> None:
    text = f"""
        (role you) {numbers(9)} (init (king 3)) (init (king 5))
        (<= (on ?u ?v) (n ?u) (n ?v) (distinct ?u ?v))
        (<= (threatened ?k ?u ?v) (n ?k) (true (king ?u)) (true (king ?v)) (distinct ?k ?v))
        (<= (threatened ?k ?u ?v) (true (king ?k)) (n ?u) (n ?v) (distinct ?u 7))
        {rule}
        (<= (legal you (stay ?u)) (n ?u))
        (<= (next (king ?u)) (does you (move ?u ?v)))
        (<= (next (king ?u)) (does you (stay ?u)))
        (<= (next (king ?u)) (true (king ?u)) (distinct ?u 3))
        (<= terminal (true (king 8)))
    """
    assert_same_answers(text, states=15)


def test_binding_by_domains_makes_fewer_rules() -> None:
    """A king's square times every move becomes a square times a square, and every move."""
    text = f"""
        (role you) {numbers(10)} (init (king 3)) (init (at 1 1 1)) (kind 1) (kind 2) (kind 3)
        (<= (legal you (move ?p ?u ?v ?w)) (kind ?p) (true (at ?p ?u ?v)) (n ?w) (true (king ?k))
            (not (threatened ?k ?u)))
        (<= (threatened ?k ?u) (n ?k) (n ?u) (not (true (at 1 ?k ?u))))
        (<= (next (at ?p ?v ?w)) (does you (move ?p ?u ?v ?w)))
        (<= (next (king ?u)) (does you (move ?p ?u ?v ?w)))
        (<= terminal (true (king 8)))
    """
    decomposed, whole = assert_same_answers(text, states=10)
    assert decomposed < whole / 3


def long_rule(pairs: int) -> str:
    """A rule with many variables that hardly anything connects."""
    body = " ".join(f"(e ?y{i} ?z{i}) (distinct ?x ?y{i})" for i in range(pairs))
    return f"""
        (role you) (e 1 2) (e 2 1) (e 3 3) (init a) (legal you go)
        (<= (legal you b) (e ?x ?y) {body})
        (<= (next a) (true a)) (<= terminal (not (true a))) (goal you 50)
    """


@pytest.mark.parametrize("effort", [*thorough(0), 2_000])
def test_the_effort_for_long_rules_is_bounded(effort: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    original = rule_decomposition.RuleDecomposer._cost

    def counted(decomposer: RuleDecomposer, candidate: Any, limit: float) -> float:
        compared.append((len(candidate.body) + len(candidate.rest)) ** 2)
        return original(decomposer, candidate, limit)

    monkeypatch.setattr(rule_decomposition.RuleDecomposer, "_cost", counted)
    gdl.compile(gdl.parse(long_rule(6)))
    assert sum(compared) > 2_000
    compared.clear()
    monkeypatch.setattr(rule_decomposition, "MAX_EFFORT", effort)
    gdl.compile(gdl.parse(long_rule(6)))
    assert sum(compared) <= effort
    assert_same_answers(long_rule(6), states=3)
