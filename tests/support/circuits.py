"""Graphs and ground programs for tests of circuits, drawn at random or built from a few rules."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from gdl.circuit.aig import FALSE, TRUE, AndInverterGraph
from gdl.circuit.builder import AtomCircuit, CircuitBuilder
from gdl.circuit.factoring import sums_of_products
from gdl.circuit.options import CircuitPasses
from gdl.circuit.products import possible_products
from tests.support.truth_tables import Rules, everything, ground_program, tables_of_nodes, value_of

INPUTS = 4

operations = st.lists(
    st.tuples(
        st.sampled_from(["and2", "and_", "or_"]),
        st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=2, max_size=4),
    ),
    max_size=12,
)


def and_(graph: AndInverterGraph, literals: Iterable[int]) -> int:
    """Conjoin literals."""
    row = np.array(list(literals), dtype=np.int64)
    return int(graph.and_all(np.zeros_like(row), row, 1)[0])


def or_(graph: AndInverterGraph, literals: Iterable[int]) -> int:
    """Disjoin literals."""
    return and_(graph, (literal ^ 1 for literal in literals)) ^ 1


def sum_of_products(graph: AndInverterGraph, products: Sequence[Collection[int]]) -> int:
    """Disjoin conjunctions."""
    found = possible_products(
        np.zeros(len(products), dtype=np.int64),
        np.repeat(np.arange(len(products)), list(map(len, products))),
        np.array(list(chain.from_iterable(products)), dtype=np.int64),
    )
    return int(sums_of_products(graph, found, 1)[0])


class Twin:
    """A graph beside the truth tables of the same literals."""

    def __init__(self) -> None:
        self.graph = AndInverterGraph(INPUTS)
        self.literals = [FALSE, TRUE, *map(self.graph.input, range(INPUTS))]
        tables = tables_of_nodes(self.graph)
        self.tables = [value_of(literal, tables, INPUTS) for literal in self.literals]

    def pick(self, choice: tuple[int, bool]) -> tuple[int, int]:
        """Return some literal known so far, or its negation, with its truth table."""
        index, negated = choice[0] % len(self.literals), choice[1]
        literal, table = self.literals[index], self.tables[index]
        return literal ^ negated, table ^ (everything(INPUTS) if negated else 0)

    def do(self, name: str, choices: list[tuple[int, bool]]) -> None:
        """Apply an operation to some literals."""
        picked = [self.pick(choice) for choice in (choices[:2] if name[-1] == "2" else choices)]
        literals = [literal for literal, _ in picked]
        if name == "and2":
            self.literals.append(self.graph.and2(*literals))
        else:
            self.literals.append((and_ if name == "and_" else or_)(self.graph, literals))
        is_and = name.startswith("and")
        table = everything(INPUTS) if is_and else 0
        for _, operand in picked:
            table = table & operand if is_and else table | operand
        self.tables.append(table)

    def check(self) -> None:
        tables = tables_of_nodes(self.graph)
        assert [value_of(literal, tables, INPUTS) for literal in self.literals] == self.tables


def circuit_of(
    rules: Rules, fluents: int, moves: Sequence[int] = (), group: bool = True
) -> AtomCircuit:
    """Build rules over some fluents, then so many moves of each role; inputs are atoms 1, 2, ..."""
    numbers = iter(range(1, 1 + fluents + sum(moves)))
    given_fluents = np.array([next(numbers) for _ in range(fluents)], dtype=np.int64)
    given_moves = [
        np.array([next(numbers) for _ in range(count)], dtype=np.int64) for count in moves
    ]
    passes = CircuitPasses(group_moves=group)
    return CircuitBuilder(ground_program(rules), given_fluents, given_moves, passes).build()


@st.composite
def stratified(draw: DrawFn, inputs: int) -> tuple[Rules, list[list[int]]]:
    """Draw rules in strata: a body may ask for its own stratum, and deny those below."""
    rules: list[tuple[int, list[int]]] = []
    strata: list[list[int]] = []
    below = list(range(1, 1 + inputs))
    for _ in range(draw(st.integers(1, 3))):
        first = max(below) + 1
        own = list(range(first, first + draw(st.integers(1, 4))))
        positive, negative = st.sampled_from(below + own), st.sampled_from(below).map(lambda a: -a)
        for atom in own:
            bodies = st.lists(st.lists(st.one_of(positive, negative), max_size=3), max_size=3)
            rules += [(atom, body) for body in draw(bodies)]
        strata.append(own)
        below += own
    return rules, strata
