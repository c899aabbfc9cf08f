"""Kernels give what NumPy, truth tables and plain loops give."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.circuit import CompileOptions, arrays
from gdl.circuit.aig import AndInverterGraph, Cycle
from gdl.circuit.arrays import Integers, distinct, grouped, rising, sorting_order
from gdl.circuit.layout import DepthFirst
from gdl.grounding import GroundingBudget
from tests.support.circuits import INPUTS
from tests.support.compiled_games import rules_of
from tests.support.truth_tables import tables_of_nodes, value_of

pairs = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=30)
numbers = st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**63 - 1)), max_size=60)


def literals_in(graph: AndInverterGraph, chosen: list[int]) -> Integers:
    found: Integers = np.array(chosen, dtype=np.int64) % (2 * len(graph))
    return found


@given(st.lists(pairs, max_size=5), pairs)
def test_gates_agree_with_truth_tables(
    rounds: list[list[tuple[int, int]]], single: list[tuple[int, int]]
) -> None:
    graph = AndInverterGraph(INPUTS)
    for chosen in rounds:
        left, right = literals_in(graph, [one for pair in chosen for one in pair]).reshape(-1, 2).T
        found = graph.and2_all(left, right).tolist()
        for one, other in single:
            graph.and2(one % (2 * len(graph)), other % (2 * len(graph)))
        tables = tables_of_nodes(graph)
        sides = zip(left.tolist(), right.tolist(), strict=True)
        both = [value_of(a, tables, INPUTS) & value_of(b, tables, INPUTS) for a, b in sides]
        assert [value_of(literal, tables, INPUTS) for literal in found] == both
    gates = list(zip(graph.left, graph.right, strict=True))[1 + INPUTS :]
    assert len(set(gates)) == len(gates)


def test_a_gate_that_another_of_the_same_batch_needs_is_made_once() -> None:
    # x and not (x and y) is x and not y, for which the batch asks, too.
    graph = AndInverterGraph(INPUTS)
    x, y = graph.input(0), graph.input(1)
    both = graph.and2(x, y)
    others = [graph.input(2), graph.input(3)]
    left = [x, x] + 20 * others
    right = [both ^ 1, y ^ 1] + 20 * [other ^ 1 for other in reversed(others)]
    found = graph.and2_all(np.array(left), np.array(right)).tolist()
    assert found[0] == found[1] >= 0
    tables = tables_of_nodes(graph)
    expected = value_of(x, tables, INPUTS) & ~value_of(y, tables, INPUTS)
    assert value_of(found[0], tables, INPUTS) == expected


def grown(steps: list[tuple[int, int]]) -> AndInverterGraph:
    graph = AndInverterGraph(INPUTS)
    graph.cycles.append(Cycle(len(graph), len(graph) + 1, ((graph.new_node() >> 1, 3),)))
    for one, other in steps:
        graph.and2(one % (2 * len(graph)), other % (2 * len(graph)))
    return graph


@given(pairs, st.lists(st.integers(0, 60), max_size=4), st.lists(st.integers(0, 60), max_size=3))
def test_cones_are_what_can_be_reached(
    steps: list[tuple[int, int]], wanted: list[int], following: list[int]
) -> None:
    graph = grown(steps)
    literals, after = (literals_in(graph, chosen).tolist() for chosen in (wanted, following))
    ((early, definition),) = graph.cycles[0].feedback
    reads = {node: [graph.left[node] >> 1, graph.right[node] >> 1] for node in range(len(graph))}
    reads[early] += [definition >> 1]
    for node, literal in enumerate(after, 1):
        reads[node] += [literal >> 1]
    found, pending = set(), [literal >> 1 for literal in literals]
    while pending:
        node = pending.pop()
        pending += reads[node] if node not in found else []
        found.add(node)
    assert graph.cone(literals, after).tolist() == sorted(found)


@given(pairs, st.lists(st.integers(0, 30), max_size=4))
def test_depth_first_orders(steps: list[tuple[int, int]], first: list[int]) -> None:
    graph = grown(steps)
    nodes = np.arange(1 + INPUTS, len(graph))
    roots = [int(nodes[index % len(nodes)]) for index in first]
    expected: list[int] = []

    def visit(node: int) -> None:
        if node > INPUTS and node not in expected:
            visit(int(graph.left[node]) >> 1)
            visit(int(graph.right[node]) >> 1)
            expected.append(node)

    for node in [*roots, *nodes[::-1].tolist()]:
        visit(node)
    assert DepthFirst(graph).order(nodes, roots).tolist() == expected


@given(numbers)
def test_numbers_are_sorted_and_grouped(values: list[int]) -> None:
    given_values = np.array(values, dtype=np.int64)
    least, arrays.MIN_SORTED_NATIVELY = arrays.MIN_SORTED_NATIVELY, 0
    try:
        assert rising(given_values).tolist() == sorted(values)
        assert distinct(given_values).tolist() == sorted(set(values))
        order = np.argsort(given_values, kind="stable")
        assert np.array_equal(sorting_order(given_values), order)
        groups = astuple(grouped(given_values))
    finally:
        arrays.MIN_SORTED_NATIVELY = least
    value, first, index, count = np.unique(
        given_values, return_index=True, return_inverse=True, return_counts=True
    )
    for found, wanted in zip(groups, (value, first, count, index), strict=True):
        assert np.array_equal(found, wanted)


@pytest.mark.parametrize("switch", ["structural_hashing", "two_level_rewriting", "group_moves"])
def test_passes_can_be_left_out(switch: str) -> None:
    machine = gdl.compile(
        rules_of("breakthrough"), CompileOptions(GroundingBudget(), **{switch: False})
    )
    state = machine.initial_state()
    assert len(machine.legal_moves(state, machine.roles[0])) > 10
