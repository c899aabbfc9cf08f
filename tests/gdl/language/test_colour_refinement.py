"""Colours are the same wherever a graph's vertices stand, and differ where its structure does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.language.colour_refinement import ColourRefinement, WorkLimitError

Edge = tuple[int, int, int]

KINDS = ("a", "b")


def graphs(size: int = 8) -> st.SearchStrategy[tuple[list[str], list[Edge]]]:
    vertex = st.integers(0, size - 1)
    edges = st.lists(st.tuples(vertex, vertex, st.integers(1, 2)), max_size=3 * size, unique=True)
    return st.tuples(st.lists(st.sampled_from(KINDS), min_size=size, max_size=size), edges)


def refined(kinds: Sequence[str], edges: Sequence[Edge], work: int = 10**6) -> ColourRefinement:
    graph = ColourRefinement(work)
    for kind in kinds:
        graph.add_vertex(kind)
    for edge in edges:
        graph.add_edge(*edge)
    graph.refine()
    return graph


def naive_partition(kinds: Sequence[str], edges: Sequence[Edge]) -> list[int]:
    """Colours by the definition: every vertex, every round."""
    colours = [sorted(set(kinds)).index(kind) for kind in kinds]
    while True:
        seen = [
            (
                colours[vertex],
                *sorted((label, colours[b], 0) for a, b, label in edges if a == vertex),
                *sorted((label, colours[a], 1) for a, b, label in edges if b == vertex),
            )
            for vertex in range(len(kinds))
        ]
        ranks = sorted(set(seen))
        found = [ranks.index(each) for each in seen]
        if len(set(found)) == len(set(colours)):
            return found
        colours = found


def same_partition(one: Sequence[int], other: Sequence[int]) -> bool:
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other))


@given(graphs())
def test_the_partition_is_that_of_the_definition(graph: tuple[list[str], list[Edge]]) -> None:
    assert same_partition(refined(*graph).colours, naive_partition(*graph))


@given(graphs(), st.integers(0, 7))
def test_individualized_vertices_split_others(
    graph: tuple[list[str], list[Edge]], vertex: int
) -> None:
    kinds, edges = graph
    found = refined(kinds, edges)
    found.individualize(vertex)
    marked = [*kinds[:vertex], "z", *kinds[vertex + 1 :]]
    assert same_partition(found.colours, naive_partition(marked, edges))
    assert found.is_alone(vertex)


@given(graphs(), st.integers())
def test_colours_do_not_depend_on_where_vertices_stand(
    graph: tuple[list[str], list[Edge]], seed: int
) -> None:
    kinds, edges = graph
    order = list(range(len(kinds)))
    Random(seed).shuffle(order)
    moved = [(order[a], order[b], label) for a, b, label in edges]
    Random(seed).shuffle(moved)
    other = refined([kinds[order.index(i)] for i in range(len(kinds))], moved)
    assert [other.colours[place] for place in order] == refined(kinds, edges).colours


def test_a_long_chain_takes_little_work() -> None:
    length = 2000
    chain = [(i, i + 1, 1) for i in range(length - 1)]
    found = refined(["a"] * length, chain, work=20 * length)
    assert set(Counter(found.colours).values()) == {1}


def test_too_much_work_is_refused() -> None:
    with pytest.raises(WorkLimitError):
        refined(["a"] * 100, [(i, i + 1, 1) for i in range(99)], work=250)
    with pytest.raises(WorkLimitError):
        refined(["a"] * 100, [(i, i + 1, 1) for i in range(99)], work=50)
