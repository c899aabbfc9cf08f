"""Sets of moves are united and intersected, and remembered as what they are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gdl.circuit.aig import FALSE, TRUE, AndInverterGraph
from gdl.circuit.move_sets import MoveSets
from gdl.circuit.products import Products

OTHERS, MOVES = 3, 70
"""The moves of one role, and of another, whose sets need more than a word of bits."""

ROLES = [range(2, 2 * OTHERS + 2, 2), range(2 * OTHERS + 2, 2 * (OTHERS + MOVES) + 2, 2)]

steps = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.lists(st.integers(0, 999), min_size=2, max_size=9)),
    max_size=12,
)


def one_sum(literals: list[int], *, of_products: bool) -> Products:
    """A sum of literals, or of one product that holds them all."""
    literal = np.array(sorted(set(literals)), dtype=np.int64)
    if of_products:
        return Products(np.zeros(len(literal), dtype=np.int64), np.arange(len(literal)), literal)
    return Products(np.zeros(1, dtype=np.int64), np.zeros(len(literal), dtype=np.int64), literal)


def moves_of(graph: AndInverterGraph, literal: int) -> set[int]:
    """The moves, by their literals, with which alone a literal is true."""
    every = (1 << graph.inputs) - 1
    values = [0, *(1 << number for number in range(graph.inputs))]
    for sides in zip(graph.left.tolist(), graph.right.tolist(), strict=True):
        if any(sides):
            left, right = (values[side >> 1] ^ every * (side & 1) for side in sides)
            values.append(left & right)
    value = values[literal >> 1] ^ every * (literal & 1)
    return {graph.input(number) for number in range(graph.inputs) if value >> number & 1}


@given(steps)
def test_unions_and_intersections(steps: list[tuple[bool, bool, list[int]]]) -> None:
    graph = AndInverterGraph(OTHERS + MOVES)
    sets = MoveSets(graph, ROLES)
    known = [{literal: frozenset([literal]) for literal in role} for role in ROLES]
    for role, is_union, chosen in steps:
        own = known[role]
        literals = [list(own)[number % len(own)] for number in chosen]
        if is_union:
            expected = frozenset[int]().union(*map(own.__getitem__, literals))
        else:
            expected = frozenset(ROLES[role]).intersection(*map(own.__getitem__, literals))
        given_sum = one_sum(literals, of_products=is_union)
        found = sets.merge(given_sum, np.ones(1, dtype=np.bool_)).products
        if not expected:
            assert not len(found)
        elif len(expected) == len(ROLES[role]):
            assert (len(found), len(found.literal)) == (1, 0)
        else:
            (literal,) = found.literal.tolist()
            assert literal not in (FALSE, TRUE)
            assert moves_of(graph, literal) & set(ROLES[role]) == expected
            own[literal] = expected
