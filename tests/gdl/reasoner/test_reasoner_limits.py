"""The reasoner copes with large rules, and refuses those without a meaning or without an end."""

from __future__ import annotations

from itertools import pairwise

import pytest

import gdl
from gdl import ResourceLimitError, RulesetError
from tests.support.tiny_games import interpret, legal_unchecked

# Size


@pytest.mark.thorough
def test_many_facts() -> None:
    facts = " ".join(f"(p {i} {i * 7 % 25570})" for i in range(25_570))
    assert legal_unchecked(f"{facts} (<= (legal r (m ?x ?y)) (p 12 ?x) (p ?x ?y))") == [
        "(m 84 588)"
    ]


def test_long_bodies() -> None:
    facts = " ".join(f"(p{i} a) (p{i} b)" for i in range(102))
    body = " ".join(f"(p{i} ?x)" for i in range(102))
    assert legal_unchecked(f"{facts} (<= (legal r ?x) {body} (distinct ?x b))") == ["a"]
    init = facts.replace("(p", "(init (p").replace(")", "))")
    body = body.replace("(p", "(true (p").replace(")", "))")
    assert legal_unchecked(f"{init} (<= (legal r ?x) {body} (distinct ?x b))") == ["a"]


@pytest.mark.parametrize("given", ["static", "state"])
@pytest.mark.parametrize("variables", [2, 13, 25, 45])
def test_more_loops_than_python_nests(variables: int, given: str) -> None:
    """Paths without a choice but at the first step, with a variable for each node."""
    edges = "(e 0 1) " + " ".join(f"(e {i} {i + 1})" for i in range(1, variables + 1)) + " (e x 1) "
    if given == "state":
        edges = edges.replace("(e", "(init (e").replace(")", "))")
        edges += "(<= (e ?x ?y) (true (e ?x ?y))) "
    names = [f"?v{i}" for i in range(variables)]
    body = " ".join(f"(e {a} {b})" for a, b in pairwise(names))
    whole = f"(path {' '.join(names)})"
    path = " ".join(map(str, range(1, variables)))
    rules = f"{edges} (<= {whole} {body} (e ?v0 1)) (<= (legal r {whole}) {whole})"
    assert legal_unchecked(rules) == [f"(path 0 {path})", f"(path x {path})"]


def test_recursive_rule_with_many_loops() -> None:
    names = [f"?v{i}" for i in range(21)]
    body = " ".join(f"(e {a} {b})" for a, b in pairwise(names))
    text = f"(e 1 2) (e 2 1) (p zz) (<= (p (all {' '.join(names)})) {body} (p ?q))"
    one, two = " ".join(["1 2"] * 10 + ["1"]), " ".join(["2 1"] * 10 + ["2"])
    assert legal_unchecked(f"{text} (<= (legal r ?x) (p ?x))") == [
        f"(all {one})",
        f"(all {two})",
        "zz",
    ]


@pytest.mark.parametrize("start", ["(p0 a)", "(init a) (<= (p0 ?x) (true ?x))"])
def test_long_chains_of_rules(start: str) -> None:
    chain = " ".join(f"(<= (p{i + 1} ?x) (p{i} ?x) (not (q{i} ?x)))" for i in range(60))
    assert legal_unchecked(f"{start} {chain} (<= (legal r ?x) (p60 ?x))") == ["a"]


@pytest.mark.thorough
def test_chains_of_rules_are_bounded() -> None:
    chain = [f"(<= p{i + 1} p{i})" for i in range(3000)]
    start = "(init a) (<= p0 (true a))"
    assert legal_unchecked(f"{start} {' '.join(chain[:1500])} (<= (legal r a) p1500)") == ["a"]
    with pytest.raises(ResourceLimitError, match="in a row"):
        legal_unchecked(f"{start} {' '.join(chain)} (<= (legal r a) p3000)")


@pytest.mark.parametrize("start", ["(p0 a)", "(init a) (<= (p0 ?x) (true ?x))"])
def test_rules_with_exponentially_many_proofs(start: str) -> None:
    rules = " ".join(
        f"(<= (p{i + 1} ?x) (p{i} ?x) (p{i} ?x)) (<= (p{i + 1} ?x) (p{i} ?x))" for i in range(50)
    )
    assert legal_unchecked(f"{start} {rules} (<= (legal r ?x) (p50 ?x))") == ["a"]


# No step limit


def test_games_need_not_end() -> None:
    machine = interpret("(role r) (init on) (legal r go) (<= (next on) (not (true on)))")
    state, seen = machine.initial_state(), set()
    for _ in range(1000):
        seen.add(state)
        state = machine.next_state(state, [gdl.Constant("go")])
    assert len(seen) == 2


# ---------------------------------------------------------------------- refusals and bounds


@pytest.mark.parametrize(
    ("rules", "line", "variable"),
    [
        ("(legal r ?x)", 2, "?x"),
        ("(<= (legal r ?x) (p ?y))", 2, "?x"),
        ("(<= (legal r a)\n (not (p ?x)))", 3, "?x"),
        ("(<= (legal r a)\n (p ?y)\n (distinct ?x ?y))", 4, "?x"),
        ("(<= (legal r ?x) (or (p ?x) (q ?y)))", 2, "?x"),
        ("(<= (legal r ?x) (p ?x)\n (not (and (p ?x) (q ?z))))", 3, "?z"),
        ("(<= (legal r (f (g ?x))) (p ?y))", 2, "?x"),
    ],
)
def test_variable_without_a_value_is_refused_at_its_place(
    rules: str, line: int, variable: str
) -> None:
    with pytest.raises(RulesetError, match=rf"^game\.kif:{line}:\d+: .*\{variable}"):
        gdl.interpret(gdl.parse(f"(role r) (p 1) (q 2)\n{rules}", name="game.kif"))


@pytest.mark.parametrize(
    "rule",
    [
        "(<= (role s) (true a))",
        "(<= (init b) (true a))",
        "(<= (init b) (does r go))",
        "(<= (legal r b) (does r go))",
        "(<= (goal r 1) (p ?x)) (<= (p ?x) (does r ?x))",
        "(<= terminal (does r go))",
        "(true b)",
        "(does r go)",
        "(<= (true b) (true a))",
    ],
)
def test_what_depends_on_too_much_is_refused_at_its_place(rule: str) -> None:
    with pytest.raises(RulesetError, match=r"^game\.kif:2:1: "):
        gdl.interpret(gdl.parse(f"(role r) (init a) (legal r go)\n{rule}", name="game.kif"))


def test_no_role_is_refused() -> None:
    with pytest.raises(RulesetError, match="role"):
        gdl.interpret(gdl.parse("(init a)"))


@pytest.mark.parametrize(
    "rules",
    [
        "(p a) (<= (p (s ?x)) (p ?x))",
        "(init a) (<= (p ?x) (true ?x)) (<= (p (s ?x)) (p ?x))",
        "(p a) (<= (p (s ?x)) (q ?x)) (<= (q (s ?x)) (p ?x))",
    ],
)
def test_terms_that_grow_for_ever_are_refused(rules: str) -> None:
    text = f"(role r) {rules} (<= (legal r ?x) (p ?x))"
    with pytest.raises(ResourceLimitError, match="deep"):
        _moves_twice(text)


def _moves_twice(text: str) -> None:
    machine = gdl.interpret(gdl.parse(text))
    state, role = machine.initial_state(), machine.roles[0]
    with pytest.raises(ResourceLimitError):
        machine.legal_moves(state, role)
    machine.legal_moves(state, role)  # no answer left half done


def test_disjunctions_that_multiply_are_bounded() -> None:
    body = " ".join(f"(or (p ?x{i}) (q ?x{i}))" for i in range(16))
    with pytest.raises(ResourceLimitError, match="disjunctions"):
        gdl.interpret(gdl.parse(f"(role r) (p 1) (q 2) (<= (legal r a) {body})"))


def test_kinds_of_facts_that_multiply_are_bounded() -> None:
    facts = " ".join(f"(init (f{i} 1))" for i in range(20))
    body = " ".join(f"(true ?x{i})" for i in range(3))
    with pytest.raises(ResourceLimitError, match="becomes over"):
        gdl.interpret(gdl.parse(f"(role r) {facts} (<= (legal r a) {body})"))
