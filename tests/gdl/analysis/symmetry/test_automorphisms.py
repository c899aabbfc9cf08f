"""The automorphisms found of small graphs against all permutations of their vertices."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdl.analysis.symmetry import automorphisms
from gdl.analysis.symmetry.automorphisms import AutomorphismSearch
from tests.support.example_counts import one_in

Edges = list[tuple[int, int, int]]
Group = set[tuple[int, ...]]

COUNT = 5
"""Vertices of random graphs: so few that the search, which does not backtrack, misses nothing."""

vertices = st.integers(0, COUNT - 1)
kinds_of_vertices = st.lists(st.integers(0, 1), min_size=COUNT, max_size=COUNT)
sparse = st.lists(st.tuples(vertices, vertices, st.integers(0, 1)), max_size=6)
symmetric = st.lists(st.tuples(vertices, vertices), max_size=6).map(
    lambda pairs: [(a, b, 0) for pair in pairs for a, b in (pair, pair[::-1])]
)
graphs = st.one_of(sparse, symmetric).map(lambda edges: sorted(set(edges)))


def generators(kinds: list[int], edges: Edges, wanted: list[int]) -> list[tuple[int, ...]]:
    search = AutomorphismSearch(np.array(kinds), np.array(edges, dtype=np.int64).reshape(-1, 3))
    return [tuple(found.tolist()) for found in search.generators(np.array(wanted))]


def generated(found: list[tuple[int, ...]], count: int) -> Group:
    group = {tuple(range(count))}
    worklist = list(group)
    while worklist:
        current = worklist.pop()
        for generator in found:
            image = tuple(generator[vertex] for vertex in current)
            if image not in group:
                group.add(image)
                worklist.append(image)
    return group


def by_brute_force(kinds: list[int], edges: Edges) -> Group:
    return {
        image
        for image in permutations(range(len(kinds)))
        if [kinds[vertex] for vertex in image] == kinds
        and {(image[a], image[b], label) for a, b, label in edges} == set(edges)
    }


@one_in(1)
@given(kinds_of_vertices, graphs)
def test_the_generators_generate_every_automorphism(kinds: list[int], edges: Edges) -> None:
    found = generators(kinds, edges, list(range(COUNT)))
    assert generated(found, COUNT) == by_brute_force(kinds, edges)
    assert tuple(range(COUNT)) not in found


@one_in(1)
@given(kinds_of_vertices, graphs)
def test_wanted_vertices_are_moved_in_every_way(kinds: list[int], edges: Edges) -> None:
    wanted = [vertex for vertex in range(COUNT) if kinds[vertex] == kinds[0]]
    found = generators(kinds, edges, wanted)
    assert all(any(image[vertex] != vertex for vertex in wanted) for image in found)
    assert restricted(generated(found, COUNT), wanted) == restricted(
        by_brute_force(kinds, edges), wanted
    )


def restricted(group: Group, wanted: list[int]) -> Group:
    return {tuple(image[vertex] for vertex in wanted) for image in group}


def test_cycles_that_refinement_does_not_tell_apart_are_not_exchanged() -> None:
    """All vertices of a triangle and a square have two neighbours."""
    pairs = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 6), (6, 3)]
    edges = [(a, b, 0) for pair in pairs for a, b in (pair, pair[::-1])]
    assert generated(generators([0] * 7, edges, list(range(7))), 7) == by_brute_force(
        [0] * 7, edges
    )


def test_the_search_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = [(vertex, (vertex + 1) % 6, 0) for vertex in range(6)]
    assert generators([0] * 6, edges, list(range(6)))
    monkeypatch.setattr(automorphisms, "WORK", 20)
    assert generators([0] * 6, edges, list(range(6))) == []
