"""The dependency graph: which relation is defined through which, and what follows from it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from gdl.language import GIVEN_LEVELS, Level, RelationKey, Rule, body_atoms

Graph: TypeAlias = Mapping[RelationKey, Mapping[RelationKey, bool]]
"""Head relation -> body relation -> whether some occurrence is negated."""

Node = TypeVar("Node", bound=Hashable)


def dependency_graph(rules: Iterable[Rule]) -> dict[RelationKey, dict[RelationKey, bool]]:
    """Map each head relation to the relations of its bodies."""
    graph: dict[RelationKey, dict[RelationKey, bool]] = {}
    for rule in rules:
        edges = graph.setdefault(rule.head.relation, {})
        for atom, positive in body_atoms(rule):
            edges[atom.relation] = edges.get(atom.relation, False) or not positive
    return graph


def strongly_connected_components(graph: Mapping[Node, Iterable[Node]]) -> list[tuple[Node, ...]]:
    """List the strongly connected components, each after those that it depends on.

    ``graph`` maps a node to those that it depends on. Tarjan's algorithm with an explicit stack:
    chains of rules may be longer than Python's.
    """
    order: dict[Node, int] = {}
    low: dict[Node, int] = {}
    path: list[Node] = []
    on_path: set[Node] = set()
    found: list[tuple[Node, ...]] = []
    for root in graph:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        path.append(root)
        on_path.add(root)
        stack = [(root, iter(graph.get(root, ())))]
        while stack:
            node, edges = stack[-1]
            for target in edges:
                if target not in order:
                    order[target] = low[target] = len(order)
                    path.append(target)
                    on_path.add(target)
                    stack.append((target, iter(graph.get(target, ()))))
                    break
                if target in on_path:
                    low[node] = min(low[node], order[target])
            else:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == order[node]:
                    found.append(_cut_off(path, node))
                    on_path.difference_update(found[-1])
    return found


def _cut_off(path: list[Node], node: Node) -> tuple[Node, ...]:
    """Remove a node and those after it from the end of a path, and return them."""
    cut = len(path) - 1
    while path[cut] != node:
        cut -= 1
    taken = tuple(path[cut:])
    del path[cut:]
    return taken


def levels(
    graph: Graph,
    order: Sequence[tuple[RelationKey, ...]],
    given: Mapping[RelationKey, Level] = GIVEN_LEVELS,
) -> dict[RelationKey, Level]:
    """Find every relation's level; ``given`` has those of the relations that the match gives."""
    result: dict[RelationKey, Level] = dict(given)
    for component in order:
        targets = {t for relation in component for t in graph.get(relation, ())} - set(component)
        level = max((result.get(t, Level.STATIC) for t in targets), default=Level.STATIC)
        for relation in component:
            result.setdefault(relation, level)
    return result


def chain_length(graph: Graph, order: Sequence[tuple[RelationKey, ...]]) -> int:
    """Count the components of the longest chain, each defined through the next."""
    length: dict[RelationKey, int] = {}
    for component in order:
        targets = {t for relation in component for t in graph.get(relation, ())} - set(component)
        longest = 1 + max((length[target] for target in targets), default=0)
        length.update(dict.fromkeys(component, longest))
    return max(length.values(), default=0)


def is_recursive(graph: Graph, component: Collection[RelationKey]) -> bool:
    """Check whether the relations of a component are defined through themselves."""
    if len(component) > 1:
        return True
    (relation,) = component
    return relation in graph.get(relation, ())


def reachable(graph: Mapping[Node, Iterable[Node]], roots: Iterable[Node]) -> set[Node]:
    """Find the nodes that edges lead to from the roots, which are among them.

    Of a graph of relations they are those that the roots are defined through.
    """
    seen = set(roots)
    worklist = list(seen)
    while worklist:
        for target in graph.get(worklist.pop(), ()):
            if target not in seen:
                seen.add(target)
                worklist.append(target)
    return seen


def shortest_path(graph: Mapping[Node, Iterable[Node]], origin: Node, target: Node) -> list[Node]:
    """Return a shortest path of at least one step, without the origin; there must be one."""
    previous: dict[Node, Node] = {}
    worklist = deque([origin])
    while target not in previous:
        node = worklist.popleft()
        for found in graph.get(node, ()):
            if found not in previous:
                previous[found] = node
                worklist.append(found)
    path = [target]
    while previous[path[-1]] != origin:
        path.append(previous[path[-1]])
    return path[::-1]
