"""Common-cube extraction changes no value and leaves no pair of literals in two conjunctions."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit import cube_extraction, pair_extraction
from gdl.circuit.aig import AndInverterGraph
from gdl.circuit.cube_extraction import extract_cubes
from tests.support.circuits import INPUTS, Twin, and_, circuit_of, operations, stratified
from tests.support.truth_tables import Rules, tables_of_nodes, value_of

FLUENTS = 3


@pytest.fixture(autouse=True, scope="module", params=[0, 10**9], ids=["hashed", "all"])
def min_pairs_hashed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test counts the pairs that a hash lets pass, and all."""
    with patch.object(pair_extraction, "MIN_PAIRS_HASHED", request.param):
        yield


def values(graph: AndInverterGraph, literals: list[int]) -> list[int]:
    tables = tables_of_nodes(graph)
    return [value_of(literal, tables, graph.inputs) for literal in literals]


@given(operations, st.sampled_from([0, 8_000]))
def test_values_of_networks(steps: list[tuple[str, list[tuple[int, bool]]]], small: int) -> None:
    twin = Twin()
    for name, choices in steps:
        twin.do(name, choices)
    with patch.object(cube_extraction, "MIN_NODES_REBUILT_ONCE", small):
        graph, literals = extract_cubes(twin.graph, twin.literals)
    assert graph.inputs == INPUTS
    assert values(graph, literals) == twin.tables


@given(stratified(FLUENTS), st.data())
def test_values_of_cycles(case: tuple[Rules, list[list[int]]], data: st.DataObject) -> None:
    rules, strata = case
    circuit = circuit_of(rules, FLUENTS)
    atoms = st.sampled_from([atom for stratum in strata for atom in stratum])
    outputs = [circuit.literal(atom) for atom in data.draw(st.lists(atoms))]
    graph, literals = extract_cubes(circuit.graph, outputs)
    assert values(graph, literals) == values(circuit.graph, outputs)


def test_a_pair_that_conjunctions_have_in_common_is_one_gate() -> None:
    """b and c stand apart in both, so that chains of two-input gates do not meet."""
    graph = AndInverterGraph(5)
    a, b, c, d, e = map(graph.input, range(5))
    outputs = [and_(graph, [a, b, c, e]), and_(graph, [b, c, d])]
    assert len(graph) == 1 + 5 + 3 + 2, "b and c are a gate of the second alone"
    shared, _ = extract_cubes(graph, outputs)
    assert len(shared) == 1 + 5 + 1 + 2 + 1


def test_what_no_output_needs_is_left_out() -> None:
    graph = AndInverterGraph(3)
    a, b, c = map(graph.input, range(3))
    and_(graph, [a, c])
    shared, literals = extract_cubes(graph, [and_(graph, [a, b])])
    assert len(shared) == 1 + 3 + 1
    assert literals == [2 * 4]


@pytest.mark.parametrize("most", [1, 3, 100])
def test_many_pairs_are_looked_at_in_short_conjunctions_only(most: int) -> None:
    graph = AndInverterGraph(8)
    inputs = list(map(graph.input, range(8)))
    outputs = [and_(graph, inputs[:6]), and_(graph, [*inputs[3:6], inputs[7]])]
    with patch.object(pair_extraction, "MAX_PAIRS", most):
        shared, literals = extract_cubes(graph, outputs)
    assert values(shared, literals) == values(graph, outputs)
