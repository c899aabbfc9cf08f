"""Huge games go through more passes, each of which saves ground rules and changes no answer."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import gdl
from gdl.circuit.options import CompileOptions
from gdl.datalog import SymbolTable, flatten_rules
from gdl.grounding import pipeline
from gdl.grounding.gringo import GroundingBudget, GroundProgram
from gdl.grounding.passes import PASSES
from gdl.grounding.relaxed_reachability import relax
from gdl.language import MACHINE_RELATIONS
from gdl.rewriting.rule_analysis import ReachableRows, RulePasses, analyse_rules
from tests.support.compiled_games import rules_of
from tests.support.lockstep import assert_as_reasoner, assert_lockstep
from tests.support.marks import thorough

STEPS = [(1, "a", "b"), (2, "b", "c"), (3, "c", "d")]

BOARD = f"""
    (role white) (role black) (opponent white black) (opponent black white)
    {" ".join(f"(next_to {i} {i + 1}) (next_to {a} {b})" for i, a, b in STEPS)}
    {" ".join(f"(at {i})" for i in "1234abcd")}
    (init (cell a 1 king white)) (init (cell d 4 king black)) (init (cell b 3 rook white))
    (init (cell c 2 bishop black)) (init (cell a 4 rook black)) (init (control white))
    (<= (step ?x ?u) (or (next_to ?x ?u) (next_to ?u ?x)))
    (<= (apart ?a ?b ?c ?d) (distinct ?a ?c) (at ?a) (at ?b) (at ?c) (at ?d))
    (<= (apart ?a ?b ?c ?d) (distinct ?b ?d) (at ?a) (at ?b) (at ?c) (at ?d))
    (<= (aims rook ?r ?x ?y ?u ?y) (true (cell ?x ?y rook ?r)) (step ?x ?u))
    (<= (aims bishop ?r ?x ?y ?u ?v) (true (cell ?x ?y bishop ?r)) (step ?x ?u) (step ?y ?v))
    (<= (aims_far ?r ?x ?y ?u ?v) (true (cell ?x ?y king ?r)) (step ?x ?u) (at ?y) (at ?v))
    (<= (rook_aims ?r ?x ?y ?u ?v) (aims rook ?r ?x ?y ?u ?v))
    (<= (bishop_aims ?r ?x ?y ?u ?v) (aims bishop ?r ?x ?y ?u ?v))
    (<= (hit ?r ?x ?y ?cx ?cy ?i) (opponent ?r ?o)
        (or (rook_aims ?o ?u ?v ?x ?y) (bishop_aims ?o ?u ?v ?x ?y)) (apart ?u ?v ?cx ?cy) (at ?i))
    (<= (hit ?r ?x ?y ?cx ?cy ?i) (opponent ?r ?o) (aims_far ?o ?i ?v ?x ?y) (at ?cx) (at ?cy))
    (<= (legal ?r (move ?x ?y ?u ?v)) (true (control ?r)) (true (cell ?x ?y ?p ?r)) (step ?x ?u)
        (at ?v) (step ?y ?v) (true (cell ?kx ?ky king ?r)) (not (hit ?r ?kx ?ky ?u ?v ?x)))
    (<= (legal ?r (move ?x ?y ?u ?y)) (true (control ?r)) (true (cell ?x ?y ?p ?r)) (step ?x ?u)
        (or (true (cell ?u ?y king ?o)) (true (cell ?u ?y rook ?o))) (opponent ?r ?o))
    (<= (legal ?r noop) (role ?r))
    (<= (next (control ?o)) (true (control ?r)) (opponent ?r ?o))
    (<= (next (cell ?u ?v ?p ?r)) (does ?r (move ?x ?y ?u ?v)) (true (cell ?x ?y ?p ?r)))
    (<= (next (cell ?a ?b ?p ?o)) (true (cell ?a ?b ?p ?o)) (true (control ?r))
        (does ?r (move ?x ?y ?u ?v)) (apart ?a ?b ?x ?y) (apart ?a ?b ?u ?v))
    (<= (next (cell ?a ?b ?p ?o)) (true (cell ?a ?b ?p ?o)) (true (control ?r)) (does ?r noop))
    (<= terminal (true (cell d 4 king white)))
    (<= (goal ?r 100) (role ?r) (not (hit ?r a 1 a 2 b)))
"""
"""Files and ranks share a relation, threats are negated, and squares are distinguished by cases."""


negates_huge_relation = pipeline._negates_huge_relation


@pytest.fixture(autouse=True)
def _everything_is_huge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every game for one that has too many ground rules, and every rule for a large one."""
    monkeypatch.setattr(pipeline, "_negates_huge_relation", lambda _: True)
    monkeypatch.setattr("gdl.rewriting.rule_analysis.MIN_RESTATED_SIZE", 0.0)
    monkeypatch.setattr("gdl.rewriting.rule_decomposition.MIN_HUGE_INSTANCES", 0.0)
    monkeypatch.setattr("gdl.rewriting.alternatives.MIN_DIVIDED_INSTANCES", 0.0)


def ground_rules(game: gdl.Ruleset, **switches: Any) -> int:
    """How many ground rules a game has, which is known before a circuit is built."""
    ground = pipeline.ground_game(game, CompileOptions(**switches), GroundingBudget())
    return len(ground.program.heads)


def test_a_board_answers_the_same_with_fewer_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    game = gdl.parse(BOARD)
    restated = assert_as_reasoner(game, 20, matches=2).ground_rules
    monkeypatch.setattr(pipeline, "_negates_huge_relation", lambda _: False)
    assert restated < ground_rules(game) / 2


def test_every_switch_is_that_of_a_pass() -> None:
    assert {each.switch for each in PASSES} == {each.name for each in fields(RulePasses)}


@pytest.mark.thorough
@pytest.mark.parametrize("switch", [each.name for each in fields(RulePasses)])
@pytest.mark.parametrize("text", ["BOARD", "LINE", "OWNED"])
def test_a_pass_alone_or_left_out_changes_no_answer(text: str, switch: str) -> None:
    game = gdl.parse(globals()[text])
    reasoner = gdl.interpret(game)
    for passes in (
        {each.name: each.name == switch for each in fields(RulePasses)},
        {switch: False},
    ):
        assert_lockstep(gdl.compile(game, CompileOptions(**passes)), reasoner, 20, seed=1)  # type: ignore[arg-type]  # all are switches


@pytest.mark.thorough
@pytest.mark.parametrize("switch", ["expand_cases", "reduce_arguments"])
def test_without_a_pass_a_board_has_more_ground_rules(switch: str) -> None:
    game = gdl.parse(BOARD)
    assert ground_rules(game) < ground_rules(game, **{switch: False})


MEANINGS = [
    # What is demanded goes beyond what the dropped argument can be: it cannot be dropped.
    """(<= (p ?a ?b) (n ?a) (n ?b) (true (on ?a))) (<= (p ?a ?b) (true (on ?b)) (n ?a))
       (<= (next (no ?x)) (m ?x) (not (p 1 ?x)))""",
    # The same with a constant, and with a function.
    """(<= (p ?a ?b) (n ?a) (n ?b) (true (on ?a))) (<= (p ?a ?b) (true (on ?b)) (n ?a))
       (<= (next (no ?x)) (n ?x) (not (p ?x 9)))""",
    """(<= (p ?a ?b) (n ?a) (n ?b) (true (on ?a))) (<= (p ?a ?b) (true (on ?b)) (n ?a))
       (<= (next (no ?x)) (n ?x) (not (p ?x (f ?x))))""",
    # Used both positively and negated, and inside a disjunction.
    """(<= (p ?a ?b) (n ?a) (n ?b) (true (on ?a))) (<= (p ?a ?b) (true (on ?b)) (n ?a))
       (<= (next (no ?x)) (n ?x) (not (p ?x 2))) (<= (next (yes ?x ?y)) (p ?x ?y))
       (<= (next (both ?x)) (n ?x) (or (not (p ?x 2)) (p 2 ?x)))""",
    # A variable that only the comparison limits, and one that it limits further.
    """(<= (apart ?a ?b) (n ?a) (n ?b) (distinct ?a ?b)) (<= (apart ?a ?b) (n ?a) (n ?b)
       (distinct ?b 3)) (<= (next (no ?y)) (true (on ?x)) (apart ?x ?y))
       (<= (next (yes ?y)) (m ?y) (true (on ?x)) (apart ?y ?x))""",
    # Recursion through the relations that are joined.
    """(<= (up ?a ?b) (true (on ?a)) (s ?a ?b)) (<= (up ?a ?c) (any ?a ?b) (s ?b ?c))
       (<= (down ?a ?b) (true (on ?a)) (s ?b ?a)) (<= (any ?a ?b) (up ?a ?b))
       (<= (any ?a ?b) (down ?a ?b)) (<= (next (yes ?b)) (any ?a ?b) (not (down ?b ?a)))""",
]


def test_meaning_is_kept() -> None:
    """All in one game: what each of them defines has a name of its own."""
    own = re.compile(r"\((p|apart|up|down|any|no|yes|both) ")
    rules = [own.sub(rf"(\g<1>{n} ", each) for n, each in enumerate(MEANINGS)]
    game = gdl.parse(f"""
        (role you) {" ".join(f"(n {i}) (m {i}) (s {i} {i + 1})" for i in range(5))} (m 9) (m 10)
        (init (on 1)) (init (on 3)) {" ".join(rules)}
        (<= (legal you (put ?x)) (m ?x)) (<= (legal you (leave ?x)) (true (on ?x)))
        (<= (next (on ?x)) (does you (put ?x)))
        (<= (next (on ?x)) (true (on ?x)) (not (does you (leave ?x))))
        (<= terminal (true (on 0)) (true (on 4)))
    """)
    assert_as_reasoner(game, 20, matches=3)


SQUARES = range(10)

LINE = f"""
    (role you) {" ".join(f"(at {i}) (step {i} {i + 1})" for i in SQUARES)} (at 10)
    (init (gun 0)) (init (king 9)) {" ".join(f"(init (man {i}))" for i in (2, 4, 5))}
    (<= (free ?x) (at ?x) (not (true (man ?x))))
    (<= (reaches ?x ?y ?i) (step ?x ?y) (at ?i))
    (<= (reaches ?x ?y ?i) (step ?x ?z) (free ?z) (reaches ?z ?y ?i))
    (<= (reaches ?x ?y ?i) (step ?x ?i) (reaches ?i ?y ?i))
    (<= (hit ?y ?i) (true (gun ?x)) (reaches ?x ?y ?i))
    (<= (hit ?y ?i) (true (man ?y)) (at ?i))
    (<= (legal you (lift ?i)) (true (man ?i)) (true (king ?k)) (not (hit ?k ?i)))
    (<= (legal you (put ?i)) (at ?i) (distinct ?i 0))
    (<= (legal you (flee ?i)) (at ?i))
    (<= (next (man ?i)) (does you (put ?i)))
    (<= (next (man ?i)) (true (man ?i)) (not (does you (lift ?i))))
    (<= (next (gun ?x)) (true (gun ?x)))
    (<= (next (king ?i)) (does you (flee ?i)))
    (<= (next (king ?k)) (true (king ?k)) (does you (put ?i)))
    (<= (next (king ?k)) (true (king ?k)) (does you (lift ?i)))
    (<= terminal (true (king ?k)) (hit ?k 0) (true (man 9)))
"""
"""A gun hits along a line, also over the square that a man may leave."""


def test_what_does_not_constrain_an_argument_is_ground_without_it() -> None:
    game = gdl.parse(LINE)
    machine = assert_as_reasoner(game, 30, matches=4)
    assert machine.ground_rules < ground_rules(game, specialize_arguments=False) * 0.7


def test_relations_with_too_many_versions_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gdl.rewriting.argument_passes.MAX_VERSIONS", 1)
    assert_as_reasoner(gdl.parse(LINE), 30)


def test_rules_that_negate_a_very_wide_relation_are_ground_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipeline, "_negates_huge_relation", negates_huge_relation)
    monkeypatch.setattr(pipeline, "FIRST_ATTEMPT", GroundingBudget(rules=0))
    attempts: list[int] = []

    def counted(*args: Any, **options: Any) -> GroundProgram:
        attempts.append(len(attempts))
        return ground_program(*args, **options)

    ground_program = pipeline.ground_program
    monkeypatch.setattr(pipeline, "ground_program", counted)
    game = gdl.parse(LINE)
    gdl.compile(game)
    assert len(attempts) == 2
    monkeypatch.setattr(pipeline, "MAX_NEGATED_ROWS", 50)
    attempts.clear()
    gdl.compile(game)
    assert len(attempts) == 1


NUMBERS = range(10)

TWICE = f"""
    (role you) {" ".join(f"(n {i}) (init (king {i}))" for i in NUMBERS)} (init even)
    {" ".join(f"(init (a {i} {i * 3 % 10})) (init (b {i} {i * 7 % 10}))" for i in NUMBERS)}
    (<= (legal you (take ?x ?y)) (true even) (n ?x) (n ?y) (true (king ?k))
        (not (true (a ?k ?x))) (not (true (b ?k ?y))))
    (<= (legal you (grab ?x ?y)) (not (true even)) (n ?x) (n ?y) (true (king ?k))
        (not (true (a ?k ?x))) (not (true (b ?k ?y))))
    (<= (legal you rest) (role you))
    (<= (next (king ?k)) (true (king ?k)) (does you rest))
    (<= (next (king ?x)) (does you (take ?x ?y))) (<= (next (king ?y)) (does you (grab ?x ?y)))
    (<= (next (a ?x ?y)) (does you (take ?x ?y))) (<= (next (b ?x ?y)) (does you (grab ?x ?y)))
    (<= (next (a ?x ?y)) (true (a ?x ?y)) (true (king ?x)))
    (<= (next (b ?x ?y)) (true (b ?x ?y)) (true (king ?y)))
    (<= (next even) (not (true even)))
    (<= terminal (not (true (king 3))) (not (true (king 4))) (true (a 3 4)))
"""


def test_rules_that_say_that_a_fact_stays_are_not_relaxed() -> None:
    flat = flatten_rules(gdl.parse(BOARD), MACHINE_RELATIONS)
    analysis = analyse_rules(flat, SymbolTable(), RulePasses())
    heads = [rule.head.name for rule in analysis.rules if rule.body]
    relaxed = [rule.head.name for rule in relax(analysis).rules if rule.body]
    (cells,) = (name for name in set(heads) if name.startswith("next") and "cell" in name)
    assert (heads.count(cells), relaxed.count(cells)) == (3, 1)


@pytest.mark.thorough
def test_long_bodies_are_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    def literals() -> int:
        return len(pipeline.ground_game(game, CompileOptions(), GroundingBudget()).program.literals)

    game = gdl.parse(TWICE)
    assert_as_reasoner(game, 30, matches=3)
    shortened = literals()
    monkeypatch.setattr("gdl.rewriting.rule_decomposition.MIN_HUGE_INSTANCES", 10.0**9)
    assert shortened < literals() * 0.7


OWNED = " ".join(f"(owns {i + 20} {i})" for i in NUMBERS) + (
    TWICE.replace("(n ?x)", "(owns ?p ?x)")
    .replace("(take ?x", "(take ?p ?x")
    .replace("(grab ?x", "(grab ?p ?x")
)


def test_rules_share_auxiliary_relations_that_none_would_make_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = gdl.parse(OWNED)
    machine = assert_as_reasoner(game, 30, matches=3)
    monkeypatch.setattr("gdl.rewriting.rule_decomposition.MIN_HUGE_INSTANCES", 10.0**9)
    assert machine.ground_rules < ground_rules(game) * 0.7


FIVE = range(5)

HOPS = [(u, v, (u + i) % 5, (v + j) % 5) for u in FIVE for v in FIVE for i, j in ((1, 2), (2, 1))]

CHECKED = f"""
    (role you) {" ".join(f"(n {i})" for i in FIVE)} (init (king 0)) (init (on 3 1))
    {" ".join(f"(kind {kind})" for kind in "pqrstu")} (init (held p)) (init (on 2 4))
    {" ".join(f"(hop {u} {v} {x} {y})" for u, v, x, y in HOPS)}
    {" ".join(f"(line {a} {x} {y} {(a + x * y) % 5})" for a in FIVE for x in FIVE for y in FIVE)}
    (<= (may ?kind ?u ?v ?x ?y) (true (held ?kind)) (hop ?u ?v ?x ?y) (not (true (on ?x ?y))))
    (<= (guarded ?u ?v ?k) (n ?u) (n ?v) (n ?k) (true (on ?u ?k)) (true (on ?k ?v)))
    (<= (legal you (move ?kind ?u ?v ?x ?y)) (may ?kind ?u ?v ?x ?y) (line ?a ?x ?y ?k)
        (true (king ?k)) (not (guarded ?u ?v ?k)) (not (guarded ?v ?u ?a)))
    (<= (legal you (take ?kind)) (kind ?kind))
    (<= (next (held ?kind)) (does you (take ?kind)))
    (<= (next (held ?kind)) (true (held ?kind)) (does you (move ?any ?u ?v ?x ?y)))
    (<= (next (on ?x ?y)) (does you (move ?kind ?u ?v ?x ?y)))
    (<= (next (on ?x ?y)) (true (on ?x ?y)) (does you (take ?kind)))
    (<= (next (king ?u)) (does you (move ?kind ?u ?v ?x ?y)))
    (<= (next (king ?k)) (true (king ?k)) (does you (take ?kind)))
    (<= terminal (true (king 4)) (true (held u)))
"""
"""What is tested of a move, with many instances, does not depend on the kind of piece."""


def test_what_the_head_alone_holds_does_not_multiply_a_join(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = gdl.parse(CHECKED)
    machine = assert_as_reasoner(game, 30, matches=4)
    monkeypatch.setattr("gdl.rewriting.rule_decomposition.MAX_PROJECTED_ROWS", 0)
    assert machine.ground_rules < ground_rules(game) * 0.7


def test_rows_are_forgotten_when_relations_are_restated() -> None:
    flat = flatten_rules(gdl.parse(CHECKED), MACHINE_RELATIONS)
    tables = {("may", 5): np.zeros((1, 5), dtype=np.int32)}
    analysis = analyse_rules(flat, SymbolTable(), RulePasses())
    known = analysis.with_reachable(ReachableRows(tables=tables))
    extended, restated = known.with_rules(known.rules), known.restated(known.rules)
    assert [each.reachable and each.reachable.tables for each in (extended, restated)] == [
        tables,
        {},
    ]


def test_a_game_with_many_facts_may_take_more_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(analysis: Any, budget: GroundingBudget, **_: bool) -> GroundProgram:
        budgets.append((budget.rules, budget.cpu_seconds))
        raise gdl.GroundingLimitError("too many rules")

    budgets: list[tuple[int, int]] = []
    monkeypatch.setattr(pipeline, "_negates_huge_relation", lambda _: False)
    monkeypatch.setattr(pipeline, "FIRST_ATTEMPT", GroundingBudget(rules=1_000, cpu_seconds=2))
    monkeypatch.setattr(pipeline, "ground_program", given)
    game, budget = gdl.parse(LINE), GroundingBudget()
    for more_facts, at_first in [(10**6, (1_000, 2)), (1, (4_000, 8))]:
        monkeypatch.setattr(pipeline, "MORE_FACTS", more_facts)
        with pytest.raises(gdl.GroundingLimitError):
            pipeline.ground_game(game, CompileOptions(), budget)
        assert budgets == [at_first, (budget.rules, budget.cpu_seconds)]
        budgets.clear()


@pytest.mark.parametrize(
    "name",
    [
        "breakthrough",
        *thorough("connectFour", "nim"),
    ],
)
def test_games_answer_the_same(name: str) -> None:
    assert_as_reasoner(rules_of(name), 25)


def test_what_stays_too_large_is_refused() -> None:
    with pytest.raises(gdl.GroundingLimitError, match="over 10 rules"):
        gdl.compile(rules_of("nim"), CompileOptions(budget=GroundingBudget(rules=10)))
