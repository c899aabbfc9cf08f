"""Stratification: no ground atom may depend on its own negation.

What counts are ground rules. ``(<= (goal ?r 100) (not (goal ?r 0)))`` negates a relation in a
cycle, yet no ground atom depends on itself. So cycles are looked for three times, each time
closer: between relations, between the heads and bodies of rules, which must unify, and between
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
    atoms_of,
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

MAX_STEPS = 300_000
"""How many steps the search for the ground rules of all cycles may take."""

MAX_PAIRS = 200_000
"""How many pairs of a body's atom and a head are compared for all cycles."""

MAX_SHOWN = 8
"""The most atoms of a cycle that a message shows."""

Node = TypeVar("Node", bound=Hashable)
SignedGraph: TypeAlias = Mapping[Node, Mapping[Node, Atom | None]]
"""Node -> the nodes that it depends on -> the atom that is negated in between, None for none."""


def negation_cycles(analysis: CheckContext) -> Iterator[Problem]:
    """Report atoms that depend on their own negation."""
    cycles = _cycles_with_negation(analysis)
    if not cycles:
        return
    safe = [rule for rule in analysis.ruleset.rules if not any(unsafe_in(rule))]
    definitions: dict[int, list[Rule]] = {number: [] for number in cycles}
    for rule in safe:
        number = analysis.cycle_of.get(rule.head.relation)
        if number in cycles:
            definitions[number].append(rule)
    pairs, budget = StepBudget(MAX_PAIRS), StepBudget(MAX_STEPS)
    for number, cycle in cycles.items():
        negated = next(_negated_atoms(definitions[number], cycle), None)
        if negated is None:
            continue
        try:
            if _may_be_circular(definitions[number], pairs):
                yield from _circles(GroundDependencies(safe, cycle, budget), cycle)
        except ResourceLimitError as limit:
            way = analysis.cycle(negated.relation, negated.relation)
            message = f"cannot decide whether '{negated.name}' depends on its negation: {limit}"
            yield warning("undecided-negation", f"{message} ({way})", negated.span)


def _cycles_with_negation(analysis: CheckContext) -> dict[int, set[RelationKey]]:
    """Return the cycles of relations through a negation, by number."""
    cycles: dict[int, set[RelationKey]] = {}
    through_negation = set()
    for relation, number in analysis.cycle_of.items():
        cycles.setdefault(number, set()).add(relation)
        for target, negated in analysis.graph[relation].items():
            if negated and analysis.cycle_of.get(target) == number:
                through_negation.add(number)
    return {number: cycle for number, cycle in cycles.items() if number in through_negation}


def _negated_atoms(rules: Sequence[Rule], cycle: Collection[RelationKey]) -> Iterator[Atom]:
    for rule in rules:
        for literal in rule.body:
            for atom, positive in atoms_of(literal):
                if not positive and atom.relation in cycle:
                    yield atom


def _may_be_circular(rules: Sequence[Rule], pairs: StepBudget) -> bool:
    """Tell whether negation runs in a circle through heads and bodies that unify."""
    clauses = [clause for rule in rules for clause in clauses_of(rule)]
    graph = _clause_graph(clauses, pairs)
    return next(_negative_edges(graph), None) is not None


def _circles(relaxation: GroundDependencies, cycle: Collection[RelationKey]) -> Iterator[Problem]:
    """Report ground atoms that depend on their own negation, one of each circle."""
    graph = _ground_graph(relaxation, cycle)
    reported = set[int | Span | None]()
    for origin, target, component in _negative_edges(graph):
        negated = graph[origin][target]
        assert negated is not None
        if not reported & {component, negated.span}:
            reported |= {component, negated.span}
            way = [origin, target]
            if target != origin:
                way += shortest_path(graph, target, origin)
            yield _problem(relaxation, graph, way, negated)


def _clause_graph(clauses: Sequence[Clause], pairs: StepBudget) -> SignedGraph[int]:
    """Return which clause of a cycle may use what which other concludes."""
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
    relaxation: GroundDependencies, cycle: Collection[RelationKey]
) -> SignedGraph[GroundAtom]:
    """Return which ground atom of a cycle is concluded from which others of it."""
    graph: dict[GroundAtom, dict[GroundAtom, Atom | None]] = {}
    for rule in relaxation.ground_rules():
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
    relaxation: GroundDependencies,
    graph: SignedGraph[GroundAtom],
    way: Sequence[GroundAtom],
    negated: Atom,
) -> Problem:
    texts = [relaxation.text(way[0])]
    for origin, target in pairwise(way[: MAX_SHOWN + 1]):
        text = relaxation.text(target)
        texts.append(text if graph[origin][target] is None else f"(not {text})")
    if len(way) > MAX_SHOWN + 1:
        texts += ["...", texts[0]]
    message = f"{texts[0]} depends on its own negation: {' -> '.join(texts)}"
    return error("negation-cycle", message, negated.span)
