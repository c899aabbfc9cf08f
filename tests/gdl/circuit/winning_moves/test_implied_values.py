"""What is implied by assumptions is true wherever they are, by truth tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aig import TRUE, AndInverterGraph
from gdl.circuit.winning_moves.implied_values import UNKNOWN, ImpliedValues, with_constants
from tests.support.circuits import INPUTS, Twin, and_, operations
from tests.support.truth_tables import everything, tables_of_nodes, value_of

Choice = tuple[int, bool]

choices = st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=3)


@given(operations, st.lists(choices, min_size=1, max_size=9), st.data())
def test_known_values_follow_from_the_assumptions_of_their_column(
    steps: list[tuple[str, list[Choice]]], assumed: list[list[Choice]], data: st.DataObject
) -> None:
    twin = Twin()
    for name, operands in steps:
        twin.do(name, operands)
    implied = ImpliedValues(twin.graph, len(assumed))
    allowed = [everything(INPUTS)] * len(assumed)
    for column, own in enumerate(assumed):
        for literal, table in map(twin.pick, own):
            implied.assume(literal, 1 << column)
            allowed[column] &= table
    implied.propagate()
    columns = data.draw(st.permutations(range(len(assumed))))
    constants = implied.constants(np.array(columns, dtype=np.int64))
    for node, table in enumerate(tables_of_nodes(twin.graph)):
        for column, constant in zip(columns, constants[node].tolist(), strict=True):
            if constant != UNKNOWN and allowed[column]:
                assert table & allowed[column] == (allowed[column] if constant else 0)


def conjunction() -> tuple[AndInverterGraph, list[int], int]:
    """Return a graph of three inputs with their conjunction."""
    graph = AndInverterGraph(3)
    inputs = [graph.input(i) for i in range(3)]
    return graph, inputs, and_(graph, inputs)


def test_a_true_conjunction_makes_its_literals_true() -> None:
    graph, inputs, every = conjunction()
    implied = ImpliedValues(graph, 2)
    implied.assume(every, 0b10)
    implied.propagate()
    assert [implied.holds(literal) for literal in inputs] == [0b10] * 3


def test_a_false_conjunction_makes_its_last_literal_false() -> None:
    graph, inputs, every = conjunction()
    implied = ImpliedValues(graph, 1)
    for literal in (every ^ 1, inputs[0], inputs[2]):
        implied.assume(literal, 1)
    implied.propagate()
    assert implied.holds(inputs[1] ^ 1) == 1


def test_literals_that_exclude_each_other() -> None:
    graph, inputs, every = conjunction()
    implied = ImpliedValues(graph, 3)
    implied.assume(inputs[1], 0b011)
    implied.assume_at_most_one(inputs, 0b110)
    implied.propagate()
    assert [implied.holds(literal ^ 1) for literal in inputs] == [0b010, 0, 0b010]
    assert implied.holds(every ^ 1) == 0b010


def test_constants_replace_literals_of_the_nodes_they_cover() -> None:
    constants = np.array([[0, 0], [1, UNKNOWN], [UNKNOWN, 0]], dtype=np.int8)
    literals = np.array([[2, 2], [3, 3], [4, 5], [6, 7], [TRUE, 0]])
    expected = [[1, 2], [0, 3], [4, 1], [6, 7], [1, 0]]
    assert with_constants(literals, constants).tolist() == expected


@given(operations, st.tuples(st.integers(0, 30), st.booleans()))
def test_literals_with_constants_are_equal_where_the_assumption_holds(
    steps: list[tuple[str, list[Choice]]], choice: Choice
) -> None:
    twin = Twin()
    for name, operands in steps:
        twin.do(name, operands)
    literal, allowed = twin.pick(choice)
    implied = ImpliedValues(twin.graph, 1)
    implied.assume(literal, 1)
    implied.propagate()
    constants = implied.constants(np.zeros(1, dtype=np.int64))
    given_literals = np.array(twin.literals)[:, None]
    tables = tables_of_nodes(twin.graph)
    for old, new in zip(twin.literals, with_constants(given_literals, constants), strict=True):
        before, after = (value_of(int(each), tables, INPUTS) for each in (old, new[0]))
        assert before & allowed == after & allowed
