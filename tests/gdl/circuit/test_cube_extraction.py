"""Sharing changes no value and leaves no pair of literals in two conjunctions."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit import cube_extraction as sharing
from gdl.circuit.aig import FALSE, AndInverterGraph
from gdl.circuit.cube_extraction import extract_cubes
from tests.gdl.circuit.test_aig import INPUTS, Twin, operations
from tests.gdl.circuit.test_builder import circuit_of, stratified
from tests.support.truth_tables import Rules, tables_of_nodes, value_of

FLUENTS = 3


def values(network: AndInverterGraph, literals: list[int]) -> list[int]:
    tables = tables_of_nodes(network)
    return [value_of(literal, tables, network.inputs) for literal in literals]


@given(operations, st.sampled_from([0, 8_000]))
def test_values_of_networks(steps: list[tuple[str, list[tuple[int, bool]]]], small: int) -> None:
    twin = Twin()
    for name, choices in steps:
        twin.do(name, choices)
    with patch.object(sharing, "SMALL", small):
        network, literals = extract_cubes(twin.network, twin.literals)
    assert network.inputs == INPUTS
    assert values(network, literals) == twin.tables


@given(stratified(FLUENTS), st.data())
def test_values_of_cycles(case: tuple[Rules, list[list[int]]], data: st.DataObject) -> None:
    rules, strata = case
    circuit = circuit_of(rules, FLUENTS)
    atoms = st.sampled_from([atom for stratum in strata for atom in stratum])
    outputs = [circuit.literal_of.get(atom, FALSE) for atom in data.draw(st.lists(atoms))]
    network, literals = extract_cubes(circuit.network, outputs)
    assert values(network, literals) == values(circuit.network, outputs)


def test_a_pair_that_conjunctions_have_in_common_is_one_gate() -> None:
    """b and c stand apart in both, so that chains of two-input gates do not meet."""
    network = AndInverterGraph(5)
    a, b, c, d, e = map(network.input, range(5))
    outputs = [network.and_([a, b, c, e]), network.and_([b, c, d])]
    assert len(network) == 1 + 5 + 3 + 2, "b and c are a gate of the second alone"
    shared, _ = extract_cubes(network, outputs)
    assert len(shared) == 1 + 5 + 1 + 2 + 1


def test_what_no_output_needs_is_left_out() -> None:
    network = AndInverterGraph(3)
    a, b, c = map(network.input, range(3))
    network.and_([a, c])
    shared, literals = extract_cubes(network, [network.and_([a, b])])
    assert len(shared) == 1 + 3 + 1
    assert literals == [2 * 4]


@pytest.mark.parametrize("most", [1, 3, 100])
def test_many_pairs_are_looked_at_in_short_conjunctions_only(most: int) -> None:
    network = AndInverterGraph(8)
    inputs = list(map(network.input, range(8)))
    outputs = [network.and_(inputs[:6]), network.and_([*inputs[3:6], inputs[7]])]
    with patch.object(sharing, "MOST_PAIRS", most):
        shared, literals = extract_cubes(network, outputs)
    assert values(shared, literals) == values(network, outputs)
