"""Stratification: no ground atom may depend on its own negation.

The ground rules decide: ``(<= (goal ?r 100) (not (goal ?r 0)))`` makes a relation depend on its own
negation, yet no ground atom depends on itself. The search for cycles is refined twice, and goes on
only where it still finds one: among relations, among rules whose bodies and heads unify, and among
ground atoms.

Source: T. Przymusinski, On the declarative semantics of deductive databases and logic programs
(1988), who calls such rules locally stratified.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias, TypeVar

from gdl.datalog import shortest_path, strongly_connected_components, unify
from gdl.errors import Problem, ResourceLimitError, Span
from gdl.language import (
    Atom,
    Function,
    RelationKey,
    Rule,
    Variable,
    body_atoms,
    substitute,
    variables_in,
)
from gdl.validation.context import CheckContext, error, warning
from gdl.validation.ground_dependencies import (
    Clause,
    GroundAtom,
    GroundDependencies,
    StepBudget,
    clauses_of,
)
from gdl.validation.safety import unsafe_in

MAX_INSTANTIATION_STEPS = 300_000
"""How many steps instantiating the rules of all cycles may take, see StepBudget."""

MAX_PAIRS = 200_000
"""How many pairs of a body's atom and a head are unified for all cycles."""

MAX_SHOWN = 8
"""The most atoms of a cycle that a message shows."""

Node = TypeVar("Node", bound=Hashable)
SignedGraph: TypeAlias = Mapping[Node, Mapping[Node, Atom | None]]
"""Node -> the nodes that it depends on -> the negated atom through which, None if positive."""


def negation_cycles(context: CheckContext) -> Iterator[Problem]:
    """Report atoms that depend on their own negation."""
    cycles = _cycles_with_negation(context)
    if not cycles:
        return
    safe = [rule for rule in context.ruleset.rules if not any(unsafe_in(rule))]
    definitions: dict[int, list[Rule]] = {number: [] for number in cycles}
    for rule in safe:
        number = context.cycle_of.get(rule.head.relation)
        if number in cycles:
            definitions[number].append(rule)
    pairs, budget = StepBudget(MAX_PAIRS), StepBudget(MAX_INSTANTIATION_STEPS)
    for number, cycle in cycles.items():
        negated = next(_negated_atoms(definitions[number], cycle), None)
        if negated is None:
            continue
        try:
            if _may_be_cyclic(definitions[number], pairs):
                yield from _ground_cycles(GroundDependencies(safe, cycle, budget), cycle)
        except ResourceLimitError as limit:
            path = context.cycle(negated.relation, negated.relation)
            message = f"cannot decide whether '{negated.name}' depends on its negation: {limit}"
            yield warning("undecided-negation", f"{message} ({path})", negated.span)


def _cycles_with_negation(context: CheckContext) -> dict[int, set[RelationKey]]:
    """Return the relations of each cycle that goes through a negation, by the cycle's number."""
    cycles: dict[int, set[RelationKey]] = {}
    through_negation = set()
    for relation, number in context.cycle_of.items():
        cycles.setdefault(number, set()).add(relation)
        for target, negated in context.graph[relation].items():
            if negated and context.cycle_of.get(target) == number:
                through_negation.add(number)
    return {number: cycle for number, cycle in cycles.items() if number in through_negation}


def _negated_atoms(rules: Sequence[Rule], cycle: Collection[RelationKey]) -> Iterator[Atom]:
    for rule in rules:
        for atom, positive in body_atoms(rule):
            if not positive and atom.relation in cycle:
                yield atom


def _may_be_cyclic(rules: Sequence[Rule], pairs: StepBudget) -> bool:
    """Return True if there is a cycle through a negation among rules that unify."""
    clauses = [clause for rule in rules for clause in clauses_of(rule)]
    graph = _clause_graph(clauses, pairs)
    return next(_negative_edges(graph), None) is not None


def _ground_cycles(
    dependencies: GroundDependencies, cycle: Collection[RelationKey]
) -> Iterator[Problem]:
    """Report ground atoms that depend on their own negation, one of each component."""
    graph = _ground_graph(dependencies, cycle)
    reported = set[int | Span | None]()
    for origin, target, component in _negative_edges(graph):
        negated = graph[origin][target]
        assert negated is not None
        if not reported & {component, negated.span}:
            reported |= {component, negated.span}
            path = [origin, target]
            if target != origin:
                path += shortest_path(graph, target, origin)
            yield _problem(dependencies, graph, path, negated)


def _clause_graph(clauses: Sequence[Clause], pairs: StepBudget) -> SignedGraph[int]:
    """Return the graph from each clause to those whose heads unify with an atom of its body."""
    concluding: dict[RelationKey, list[tuple[int, Function]]] = {}
    for index, clause in enumerate(clauses):
        renamed = {v.name: Variable(f"{v.name} other") for v in variables_in(clause.head)}
        head = substitute(clause.head, renamed)
        assert isinstance(head, Atom)
        concluding.setdefault(head.relation, []).append((index, Function("", head.args)))
    graph: dict[int, dict[int, Atom | None]] = {}
    for index, clause in enumerate(clauses):
        edges = graph.setdefault(index, {})
        signed = [(a, None) for a in clause.positive] + [(a, a) for a in clause.negative]
        for atom, negated in signed:
            for other, conclusion in concluding.get(atom.relation, ()):
                pairs.spend(1)
                if unify(Function("", atom.args), conclusion) is not None:
                    edges[other] = edges.get(other) or negated
    return graph


def _ground_graph(
    dependencies: GroundDependencies, cycle: Collection[RelationKey]
) -> SignedGraph[GroundAtom]:
    """Return which ground atom of a cycle is concluded from which others of it."""
    graph: dict[GroundAtom, dict[GroundAtom, Atom | None]] = {}
    for rule in dependencies.ground_rules():
        edges = graph.setdefault(rule.head, {})
        for atom in rule.positive:
            if atom[0] in cycle:
                edges.setdefault(atom, None)
        for atom, negated in zip(rule.negative, rule.clause.negative, strict=True):
            if atom[0] in cycle:
                edges[atom] = edges.get(atom) or negated
    return graph


def _negative_edges(graph: SignedGraph[Node]) -> Iterator[tuple[Node, Node, int]]:
    """Yield the negative edges that lie in a cycle, with the number of their component."""
    found = enumerate(strongly_connected_components(graph))
    number = {node: index for index, component in found for node in component}
    for origin, targets in graph.items():
        for target, negated in targets.items():
            if negated is not None and number[origin] == number[target]:
                yield origin, target, number[origin]


def _problem(
    dependencies: GroundDependencies,
    graph: SignedGraph[GroundAtom],
    path: Sequence[GroundAtom],
    negated: Atom,
) -> Problem:
    texts = [dependencies.text(path[0])]
    for origin, target in pairwise(path[: MAX_SHOWN + 1]):
        text = dependencies.text(target)
        texts.append(text if graph[origin][target] is None else f"(not {text})")
    if len(path) > MAX_SHOWN + 1:
        texts += ["...", texts[0]]
    message = f"{texts[0]} depends on its own negation: {' -> '.join(texts)}"
    return error("negation-cycle", message, negated.span)
