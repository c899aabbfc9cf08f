"""Networks compute what the operations say, by truth tables, and make no gate twice."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aig import FALSE, TRUE, AndInverterGraph
from tests.support.circuits import INPUTS, Twin, and_, operations, or_, sum_of_products
from tests.support.truth_tables import everything

products = st.lists(
    st.frozensets(st.tuples(st.integers(0, 30), st.booleans()), max_size=4), max_size=6
)


@given(operations, products)
def test_operations_agree_with_truth_tables_and_make_no_gate_twice(
    steps: list[tuple[str, list[tuple[int, bool]]]], terms: list[frozenset[tuple[int, bool]]]
) -> None:
    twin = Twin()
    for name, choices in steps:
        twin.do(name, choices)
    picked = [[twin.pick(choice) for choice in term] for term in terms]
    literal = sum_of_products(twin.graph, [{lit for lit, _ in term} for term in picked])
    table = 0
    for term in picked:
        value = everything(INPUTS)
        for _, operand in term:
            value &= operand
        table |= value
    twin.literals.append(literal)
    twin.tables.append(table)
    twin.check()
    gates = list(zip(twin.graph.left, twin.graph.right, strict=True))[1 + INPUTS :]
    assert len(set(gates)) == len(gates)
    assert all(left < right for left, right in gates)


def test_every_conjunction_of_two_signed_inputs_is_one_gate() -> None:
    graph = AndInverterGraph(2)
    a, b = graph.input(0), graph.input(1)
    found = {graph.and2(a ^ s, b ^ t) for s, t in product((0, 1), repeat=2)}
    assert len(found) == 4
    assert {graph.and2(b ^ t, a ^ s) for s, t in product((0, 1), repeat=2)} == found
    assert len(graph) == 1 + 2 + 4


@pytest.mark.parametrize("sign", [0, 1])
def test_conjunctions_that_are_known_make_no_gate(sign: int) -> None:
    graph = AndInverterGraph(2)
    a, b = graph.input(0) ^ sign, graph.input(1)
    both = graph.and2(a, b)
    size = len(graph)
    assert graph.and2(a, FALSE) == graph.and2(a, a ^ 1) == FALSE
    assert graph.and2(a, TRUE) == graph.and2(a, a) == a
    assert graph.and2(a, both) == both
    assert graph.and2(a ^ 1, both) == FALSE
    assert graph.and2(a ^ 1, both ^ 1) == a ^ 1
    assert len(graph) == size
    assert graph.and2(a, both ^ 1) == graph.and2(a, b ^ 1)


def test_empty_conjunctions_and_disjunctions() -> None:
    graph = AndInverterGraph(0)
    assert (and_(graph, []), or_(graph, []), sum_of_products(graph, [])) == (TRUE, FALSE, FALSE)
    assert sum_of_products(graph, [()]) == TRUE


def test_common_literals_are_factored_out() -> None:
    graph = AndInverterGraph(4)
    a, *others = map(graph.input, range(4))
    sum_of_products(graph, [(a, other) for other in others])
    assert len(graph) == 1 + 4 + 3, "an OR of three literals, and an AND"
