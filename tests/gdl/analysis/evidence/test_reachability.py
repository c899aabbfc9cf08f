"""Reachable states against a search that asks the interpreter."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gdl
from gdl import State, StateMachine
from gdl.analysis import NONE
from gdl.analysis.evidence import reachability
from gdl.analysis.evidence.reachability import ReachableStates, enumerate_reachable
from gdl.circuit.options import CompileOptions
from gdl.state_machine import joint_moves
from tests.support.analysed_games import FORK, LADDER, LOTTERY, SCALES, compiled
from tests.support.compiled_games import rules_of
from tests.support.example_counts import examples
from tests.support.tiny_games import COUNTING

TEXTS = [COUNTING, FORK, LADDER, LOTTERY, SCALES, str(rules_of("nim"))]

ENDS_AT_ONCE = "(role r) (role s) (init done) (legal r go) (legal s go) (<= terminal (true done))"

STAYS = "(role r) (init here) (legal r stay) (<= (next here) (does r stay))"


def searched(machine: StateMachine) -> ReachableStates:
    """Visit every state once."""
    children: dict[State, set[State]] = {}
    choosing, outcomes = set(), set()
    worklist = [machine.initial_state()]
    while worklist:
        state = worklist.pop()
        if state in children:
            continue
        children[state] = set()
        if machine.is_terminal(state):
            goals = [machine.goal(state, role) for role in machine.roles]
            outcomes.add(tuple(NONE if goal is None else goal for goal in goals))
            continue
        counts = [len(machine.legal_moves(state, role)) for role in machine.roles]
        choosing.add(frozenset(index for index, count in enumerate(counts) if count > 1))
        for moves in joint_moves(machine, state):
            children[state].add(machine.next_state(state, moves))
        worklist += children[state]
    longest = longest_match(children)
    return ReachableStates(len(children), frozenset(choosing), frozenset(outcomes), longest)


def longest_match(children: dict[State, set[State]]) -> int | None:
    steps: dict[State, int] = {}
    try:
        for state in TopologicalSorter(children).static_order():
            steps[state] = max((steps[child] + 1 for child in children[state]), default=0)
    except CycleError:
        return None
    return max(steps.values())


@pytest.mark.parametrize("text", [*TEXTS, ENDS_AT_ONCE, STAYS])
def test_a_search_finds_the_same(text: str) -> None:
    expected = searched(gdl.interpret(gdl.parse(text)))
    assert enumerate_reachable(compiled(text)) == (expected, expected.states)


ways = st.dictionaries(
    st.tuples(st.integers(0, 5), st.sampled_from("ab"), st.sampled_from("ab")),
    st.integers(0, 5),
    max_size=12,
)


@settings(max_examples=examples(6, 8), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(ways, st.sets(st.integers(0, 5)), st.dictionaries(st.integers(0, 5), st.integers(0, 100)))
def test_a_search_finds_the_same_in_random_graphs(
    ways: dict[tuple[int, str, str], int], ends: set[int], goals: dict[int, int]
) -> None:
    """Two players walk through places; b is legal only where some way begins with it."""
    text = "(role r) (role s) (init (at 0)) (<= (legal r a) (true (at ?x)))"
    text += " (<= (legal s a) (true (at ?x))) (way 9 a a 9)"
    text += " (<= (legal r b) (true (at ?x)) (way ?x b ?m ?y))"
    text += " (<= (legal s b) (true (at ?x)) (way ?x ?m b ?y))"
    text += " (<= (next (at ?y)) (true (at ?x)) (does r ?m) (does s ?n) (way ?x ?m ?n ?y))"
    text += " (end 9) (<= terminal (true (at ?x)) (end ?x))"
    text += " (<= moved (true (at ?x))) (<= terminal (not moved))"
    text += "".join(f" (way {x} {m} {n} {y})" for (x, m, n), y in ways.items())
    text += "".join(f" (end {place})" for place in ends)
    text += "".join(f" (<= (goal r {g}) (true (at {place})))" for place, g in goals.items())
    rules = gdl.parse(text)
    found, _ = enumerate_reachable(gdl.compile(rules, CompileOptions(words=1)))
    assert found == searched(gdl.interpret(rules))


def test_a_game_of_as_many_states_as_allowed_is_enumerated(monkeypatch: pytest.MonkeyPatch) -> None:
    _, states = enumerate_reachable(compiled(LADDER))
    monkeypatch.setattr(reachability, "MAX_ENUMERATED_STATES", states)
    assert enumerate_reachable(compiled(LADDER))[0] is not None
    monkeypatch.setattr(reachability, "MAX_ENUMERATED_STATES", states - 1)
    assert enumerate_reachable(compiled(LADDER))[0] is None


@pytest.mark.parametrize(("limit", "value"), [("MAX_CHILDREN", 3), ("MAX_WORK", 0)])
def test_the_states_counted_before_a_limit(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    _, states = enumerate_reachable(compiled(SCALES))
    monkeypatch.setattr(reachability, limit, value)
    reachable, counted = enumerate_reachable(compiled(SCALES))
    assert reachable is None
    assert 1 <= counted < states


def test_games_of_many_moves_are_not_enumerated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reachability, "MAX_ENUMERATED_MOVES", 5)
    assert enumerate_reachable(compiled(SCALES)) == (None, 0)
