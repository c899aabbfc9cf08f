"""What is proved of random games is so in the playouts of the reasoner."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import gdl
from gdl import Ruleset
from gdl.analysis import Structure, analyse
from gdl.circuit.options import CompileOptions
from gdl.grounding.gringo import GroundingBudget
from gdl.playouts import Step, play_out, randomness
from tests.support.example_counts import examples
from tests.support.generators import rulesets

BUDGET = GroundingBudget(rules=5_000, cpu_seconds=5)
"""What random rulesets may take."""

PLAYOUTS = 4
MAX_STEPS = 10


@pytest.mark.thorough
@settings(
    max_examples=examples(6, 15),
    suppress_health_check=[HealthCheck.too_slow],
    deadline=None,
)
@given(rulesets(), st.integers(0, 9))
def test_proofs_hold(rules: Ruleset, seed: int) -> None:
    rules = gdl.parse(str(rules))
    try:
        structure = analyse(gdl.compile(rules, CompileOptions(BUDGET)), playouts=16)
    except gdl.GroundingLimitError:
        reject()
    reasoner = gdl.interpret(rules)
    for number in range(PLAYOUTS):
        steps = [*play_out(reasoner, randomness(seed, number), MAX_STEPS)]
        assert_turns(structure, steps)
        assert_facts(structure, steps)
        assert_goals(structure, steps, reasoner)
        assert_end(structure, steps[-1], reasoner)


def assert_turns(structure: Structure, steps: list[Step]) -> None:
    turns = structure.turns
    for step in steps:
        movers = {
            role
            for role, moves in zip(structure.roles, step.options, strict=bool(step.options))
            if len(moves) > 1
        }
        if turns.one_at_a_time.is_proved and turns.one_at_a_time.value and all(step.options):
            assert len(movers) <= 1
        if turns.dummies.is_proved and all(step.options):
            assert not movers & set(turns.dummies.value)


def assert_facts(structure: Structure, steps: list[Step]) -> None:
    assert structure.latches is not None
    states = [frozenset(step.state) for step in steps]
    for state in states:
        assert all(len(group & state) <= 1 for group in structure.mutex_groups)
    for before, after in pairwise(states):
        assert not structure.latches.rising & (before - after)
        assert not structure.latches.falling & (after - before)


def assert_goals(structure: Structure, steps: list[Step], reasoner: gdl.StateMachine) -> None:
    rising = structure.goals.rising
    for role in rising.value if rising.is_proved else ():
        utilities = [reasoner.goal(step.state, role) for step in steps]
        for before, after in pairwise(utilities):
            assert before is None or after is None or before <= after


def assert_end(structure: Structure, last: Step, reasoner: gdl.StateMachine) -> None:
    bound = structure.length.bound
    if bound.value is not None:
        assert last.number <= bound.value
    if not reasoner.is_terminal(last.state):
        return
    utilities = {role: reasoner.goal(last.state, role) for role in structure.goals.values}
    for role, values in structure.goals.values.items():
        if values.is_proved and utilities[role] is not None:
            assert utilities[role] in values.value
    total = structure.goals.sum
    if total.is_proved and total.value is not None:
        assert sum(value or 0 for value in utilities.values()) == total.value
