"""Plans evaluate every literal once, filters as soon as they are bound, cheap steps first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given

import gdl
from gdl import Atom, Literal, Ruleset
from gdl.datalog.join_plan import (
    CardinalityEstimator,
    Columns,
    Exists,
    Filter,
    JoinPlan,
    Loop,
    Step,
    is_bound,
    make_plan,
    prefers_call,
)
from gdl.datalog.normal_form import normal_form
from gdl.language.rules import RelationKey, variables_in, variables_of
from tests.support.example_counts import one_in
from tests.support.generators import rulesets


@dataclass
class FixedEstimates(CardinalityEstimator):
    """Given sizes by relation name, 10 rows and 5 values a column unless stated."""

    sizes: Mapping[str, float] = field(default_factory=dict)
    table_costs: Mapping[str, float] = field(default_factory=dict)
    call_costs: Mapping[str, float] = field(default_factory=dict)
    values: float = 5.0

    def rows(self, relation: RelationKey) -> float:
        return self.sizes.get(relation[0], 10.0)

    def distinct(self, relation: RelationKey, column: int) -> float:
        return max(1.0, min(self.values, self.rows(relation)))

    def table_cost(self, relation: RelationKey) -> float:
        return self.table_costs.get(relation[0], 0.0)

    def call_cost(self, relation: RelationKey, bound: Columns) -> float | None:
        return self.call_costs.get(relation[0])


def plan_of(rule: str, estimates: FixedEstimates | None = None, bound: str = "") -> JoinPlan:
    (parsed,) = gdl.parse(rule).rules
    wanted = {v.name for v in variables_in(parsed.head)}
    return make_plan(
        estimates or FixedEstimates(), parsed.body, bound.split(), wanted - {*bound.split()}
    )


def plan_text(steps: Sequence[Step]) -> str:
    """Return a plan as text: loops with their free columns, filters, existence tests."""
    words = []
    for step in steps:
        if isinstance(step, Exists):
            words.append(f"exists[{plan_text(step.steps)}]")
        elif isinstance(step, Filter):
            words.append(f"test {step.literal}")
        else:
            free = "".join(map(str, step.free))
            words.append(f"loop {step.atom} {free}" if free else f"some {step.atom}")
    return ", ".join(words)


@pytest.mark.parametrize(
    ("rule", "steps"),
    [
        ("(<= (h ?x) (p ?x))", "loop (p ?x) 0"),
        ("(<= (h ?x) (distinct ?x a) (p ?x))", "loop (p ?x) 0, test (distinct ?x a)"),
        ("(<= (h ?x) (not (q ?x)) (p ?x))", "loop (p ?x) 0, test (not (q ?x))"),
        ("(<= (h ?x) (p ?x) (q a))", "test (q a), loop (p ?x) 0"),
        ("(<= (h ?x) (p ?x ?y))", "loop (p ?x ?y) 0"),
        ("(<= (h ?x) (p ?x ?x))", "loop (p ?x ?x) 01"),
        ("(<= (h ?x) (p ?x (f ?y)))", "loop (p ?x (f ?y)) 01"),
        ("(<= (h ?x) (p ?x a))", "loop (p ?x a) 0"),
        ("(<= (h ?x) (p ?x) (q ?y))", "exists[some (q ?y)], loop (p ?x) 0"),
        ("(<= h (p ?x))", "some (p ?x)"),
        ("(<= h (p ?x ?y) (distinct ?x ?y))", "loop (p ?x ?y) 01, test (distinct ?x ?y)"),
    ],
)
def test_small_plans(rule: str, steps: str) -> None:
    assert plan_text(plan_of(rule).steps) == steps


def test_small_relations_come_first() -> None:
    rule = "(<= (h ?x ?z) (big ?x ?y) (small ?y ?z))"
    first = plan_of(rule, FixedEstimates({"big": 10_000, "small": 3})).steps[0]
    assert isinstance(first, Loop)
    assert first.atom.name == "small"


def test_joins_go_through_what_is_bound() -> None:
    steps = plan_of("(<= (h ?x ?z) (p ?x ?y) (q ?y ?z) (r ?z ?x))").steps
    assert next(step.bound for step in steps if isinstance(step, Loop)) == ()
    last = steps[-1]
    assert isinstance(last, Filter) or (isinstance(last, Loop) and last.bound)


def test_tests_come_as_soon_as_they_can_be_decided() -> None:
    steps = plan_of("(<= (h ?x ?y) (p ?x) (q ?y) (distinct ?x a) (not (r ?y)))").steps
    for index, step in enumerate(steps):
        if isinstance(step, Filter):
            before = steps[index - 1]
            assert isinstance(before, Loop)
            assert set(variables_in(step.literal)) == set(variables_in(before.atom))


def test_what_is_bound_from_the_start_is_tested() -> None:
    assert plan_text(plan_of("(<= (h ?x) (p ?x) (q ?x a))", bound="x").steps) in (
        "test (p ?x), test (q ?x a)",
        "test (q ?x a), test (p ?x)",
    )


def test_estimates_grow_with_the_number_of_rows() -> None:
    rule = "(<= (h ?x ?y) (p ?x) (q ?y))"
    assert plan_of(rule).rows == 100
    assert plan_of(rule, FixedEstimates({"p": 50})).rows == 500
    assert plan_of(rule).cost < plan_of(rule, FixedEstimates({"p": 50})).cost


@pytest.mark.parametrize(
    ("table", "call", "times", "expected"),
    [
        (0.0, 1.0, 1.0, False),  # a table already
        (1000.0, 1.0, 1.0, True),
        (1000.0, 1.0, 1_000_000.0, True),  # no more calls than keys
        (10.0, 1.0, 1_000_000.0, True),
        (10.0, 100.0, 1.0, False),
        (1000.0, None, 1.0, False),
    ],
)
def test_calls_are_preferred_where_they_cost_less(
    table: float, call: float | None, times: float, expected: bool
) -> None:
    estimates = FixedEstimates({}, {"p": table}, {} if call is None else {"p": call})
    assert prefers_call(estimates, ("p", 2), (0,), times) is expected
    assert not prefers_call(estimates, ("p", 2), (), times)


def test_terms_are_bound_with_all_their_variables() -> None:
    term = gdl.parse_term("(f ?x (g ?y))")
    assert is_bound(term, ["x", "y"])
    assert not is_bound(term, ["x"])
    assert is_bound(gdl.Constant("a"), [])


@pytest.mark.thorough
@one_in(5)
@given(rulesets())
def test_plans_can_be_carried_out(rules: Ruleset) -> None:
    for rule in normal_form(rules.rules, rules.source):
        if rule.body:
            wanted = {v.name for v in variables_in(rule.head)}
            plan = make_plan(FixedEstimates({"p": 100, "v": 2}), rule.body, (), wanted)
            done, bound = carry_out(plan.steps, frozenset())
            assert sorted(map(str, done)) == sorted(map(str, rule.body))
            assert wanted <= bound


def carry_out(steps: Iterable[Step], bound: frozenset[str]) -> tuple[list[Literal], frozenset[str]]:
    """Follow a plan; return the literals evaluated and the variables bound."""
    done: list[Literal] = []
    for step in steps:
        if isinstance(step, Exists):
            inner, _ = carry_out(step.steps, bound)
            done += inner
        elif isinstance(step, Filter):
            assert {v.name for v in variables_in(step.literal)} <= bound
            done.append(step.literal)
        else:
            assert all(is_bound(step.atom.args[column], bound) for column in step.bound)
            done.append(step.atom)
            bound |= _visited(step.atom, step.free)
    return done, bound


def _visited(atom: Atom, columns: Columns) -> frozenset[str]:
    return frozenset(v.name for column in columns for v in variables_of(atom.args[column]))
