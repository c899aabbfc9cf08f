"""Dependencies: components come after what they depend on, levels say what a relation needs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import gdl
from gdl.datalog.dependencies import (
    chain_length,
    dependency_graph,
    is_recursive,
    levels,
    reachable,
    strongly_connected_components,
)
from gdl.language import Level

TEXT = """
(edge 1 2)
(<= (path ?x ?y) (edge ?x ?y))
(<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))
(<= (even ?x) (odd ?x) (not (blocked ?x)))
(<= (odd ?x) (or (even ?x) (not (true ?x))))
(<= (blocked ?x) (path ?x ?y))
(<= (moved ?x) (does ?r ?x) (even ?x))
(<= (moved ?x ?y) (path ?x ?y))
(<= alone (not (or (path 1 2) (not (moved a)))))
"""
GRAPH = dependency_graph(gdl.parse(TEXT).rules)
ORDER = strongly_connected_components(GRAPH)

graphs = st.dictionaries(st.integers(0, 6), st.sets(st.integers(0, 6)).map(sorted), max_size=7)


def test_graph_marks_what_is_negated() -> None:
    assert GRAPH["even", 1] == {("odd", 1): False, ("blocked", 1): True}
    assert GRAPH["odd", 1] == {("even", 1): False, ("true", 1): True}
    assert GRAPH["alone", 0] == {("path", 2): True, ("moved", 1): False}
    assert GRAPH["edge", 2] == {}


def test_one_name_with_two_arities_is_two_relations() -> None:
    assert set(GRAPH["moved", 1]) == {("does", 2), ("even", 1)}
    assert set(GRAPH["moved", 2]) == {("path", 2)}


def test_components_of_mutual_recursion() -> None:
    assert {frozenset(c) for c in ORDER if len(c) > 1} == {frozenset({("even", 1), ("odd", 1)})}


def test_recursion() -> None:
    recursive = {relation for c in ORDER if is_recursive(GRAPH, c) for relation in c}
    assert recursive == {("path", 2), ("even", 1), ("odd", 1)}


def test_levels() -> None:
    level = levels(GRAPH, ORDER, {("true", 1): Level.VIEW, ("does", 2): Level.TRANSITION})
    assert {relation for relation, found in level.items() if found is Level.STATIC} == {
        ("edge", 2),
        ("path", 2),
        ("blocked", 1),
        ("moved", 2),
    }
    assert level["odd", 1] is level["even", 1] is Level.VIEW
    assert level["moved", 1] is level["alone", 0] is Level.TRANSITION


def test_reachable_relations() -> None:
    assert reachable(GRAPH, [("blocked", 1)]) == {("blocked", 1), ("path", 2), ("edge", 2)}
    assert reachable(GRAPH, [("unknown", 3)]) == {("unknown", 3)}


def test_chains_count_components() -> None:
    # edge, path, blocked, even and odd together, moved, alone
    assert chain_length(GRAPH, ORDER) == 6
    assert chain_length({}, []) == 0


def test_chains_may_be_longer_than_the_stack() -> None:
    graph = {i: [i + 1] for i in range(20_000)}
    assert [len(component) for component in strongly_connected_components(graph)] == [1] * 20_001
    assert len(strongly_connected_components({**graph, 20_000: [0]})) == 1


@given(graphs)
def test_components_are_what_reaches_itself(graph: dict[int, list[int]]) -> None:
    reached = {node: _reached(graph, node) for node in range(7)}
    found = strongly_connected_components(graph)
    nodes = [node for component in found for node in component]
    assert sorted(nodes) == sorted({*graph, *(t for targets in graph.values() for t in targets)})
    for index, component in enumerate(found):
        for node in component:
            assert all((other in reached[node]) for other in component if other != node)
            later = {n for c in found[index + 1 :] for n in c}
            assert not reached[node] & later


def _reached(graph: dict[int, list[int]], start: int) -> set[int]:
    seen: set[int] = set()
    worklist = [start]
    while worklist:
        for target in graph.get(worklist.pop(), ()):
            if target not in seen:
                seen.add(target)
                worklist.append(target)
    return seen
