"""Copies of a cone compute the composition of functions, by truth tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aig import AndInverterGraph
from gdl.circuit.arrays import Integers
from gdl.circuit.layout import GateProgram
from gdl.circuit.winning_moves.cone_copies import ConeCopier, arrays_of_graph, arrays_of_program
from tests.support.circuits import INPUTS, Twin, and_, operations
from tests.support.truth_tables import tables_of_nodes, value_of

Steps = list[tuple[str, list[tuple[int, bool]]]]


def unchanged(literals: Integers) -> Integers:
    return literals


def composed(table: int, inner: list[int]) -> int:
    """Return the truth table of a function with those of others in place of its inputs."""
    result = 0
    for assignment in range(2**INPUTS):
        moved = sum((each >> assignment & 1) << i for i, each in enumerate(inner))
        result |= (table >> moved & 1) << assignment
    return result


@given(operations, st.data())
def test_copies_are_compositions(steps: Steps, data: st.DataObject) -> None:
    twin = Twin()
    for name, choices in steps:
        twin.do(name, choices)
    roots = np.unique([literal >> 1 for literal in twin.literals])
    cone = ConeCopier(arrays_of_graph(twin.graph), roots)
    known = st.tuples(st.integers(0, 30), st.booleans()).map(twin.pick)
    columns = data.draw(st.lists(st.lists(known, min_size=INPUTS, max_size=INPUTS), max_size=3))
    # Leaves are the constant, if it is there, and inputs.
    leaves = [
        [0 if leaf == 0 else column[leaf - 1][0] for column in columns] for leaf in cone.leaves
    ]
    before = tables_of_nodes(twin.graph)
    given_leaves = np.array(leaves, dtype=np.int64).reshape(len(cone.leaves), len(columns))
    copies = cone.copies(twin.graph, given_leaves, unchanged)
    tables = tables_of_nodes(twin.graph)
    for root, literals in zip(roots.tolist(), copies.tolist(), strict=True):
        found = [value_of(literal, tables, INPUTS) for literal in literals]
        assert found == [composed(before[root], [table for _, table in c]) for c in columns]


def test_a_copy_with_the_same_leaves_makes_no_gate() -> None:
    graph = AndInverterGraph(3)
    root = and_(graph, map(graph.input, range(3)))
    size = len(graph)
    cone = ConeCopier(arrays_of_graph(graph), np.array([root >> 1]))
    assert cone.leaves.tolist() == [1, 2, 3]
    assert (cone.size, len(cone.gates)) == (5, 2)
    assert cone.copies(graph, 2 * cone.leaves[:, None], unchanged).tolist() == [[root]]
    assert len(graph) == size


def test_what_is_simplified_is_not_copied() -> None:
    graph = AndInverterGraph(2)
    root = graph.and2(graph.input(0), graph.input(1))
    cone = ConeCopier(arrays_of_graph(graph), np.array([root >> 1]))
    leaves = np.array([[2, 3], [4, 4]])
    copies = cone.copies(graph, leaves, lambda literals: np.where(literals == root, 1, literals))
    assert copies.tolist() == [[1, len(graph) * 2 - 2]]


def test_rows_that_a_program_does_not_write_are_leaves() -> None:
    gates = np.array([[5, 2, 4], [6, 10, 7]], dtype=np.int32)
    program = GateProgram(gates, np.zeros((0, 4), np.int64), np.zeros((0, 2), np.int32))
    arrays = arrays_of_program(program, 8)
    assert arrays.order.tolist() == [5, 6]
    cone = ConeCopier(arrays, np.array([6, 7]))
    assert cone.leaves.tolist() == [1, 2, 3, 7]
    assert cone.gates.tolist() == [5, 6]
