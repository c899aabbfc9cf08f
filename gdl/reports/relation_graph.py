"""The relation graph: which relations a ruleset has, and which are defined through which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from gdl.datalog import Graph, dependency_graph, is_recursive, levels, strongly_connected_components
from gdl.language import (
    KEYWORDS,
    Constant,
    Function,
    Level,
    RelationKey,
    Ruleset,
    Term,
    atoms_of,
)
from gdl.reports.diagrams import COLOURS, Box, Diagram


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: how many facts and rules state it, and what its extension depends on."""

    key: RelationKey
    facts: int
    rules: int
    level: Level
    recursive: bool

    @property
    def is_keyword(self) -> bool:
        """Whether the language gives the relation a meaning."""
        keyword = KEYWORDS.get(self.key[0])
        return keyword is not None and keyword.relation == self.key

    def __str__(self) -> str:
        return relation_text(self.key)


@dataclass(frozen=True, slots=True)
class RelationGraph:
    """The relations of a ruleset, each after those that it is defined through, except in cycles."""

    relations: tuple[Relation, ...]
    edges: Graph
    """From a relation to those that its rules name, with whether some are negated."""


def relation_text(key: RelationKey) -> str:
    """Write a relation's name with its arity, such as ``legal/2``."""
    return f"{key[0]}/{key[1]}"


def build_relation_graph(ruleset: Ruleset) -> RelationGraph:
    """Build the relation graph of a ruleset."""
    edges = dependency_graph(ruleset.rules)
    order = strongly_connected_components(edges)
    reached = levels(edges, order)
    facts = Counter(rule.head.relation for rule in ruleset.rules if not rule.body)
    rules = Counter(rule.head.relation for rule in ruleset.rules if rule.body)
    relations = tuple(
        Relation(key, facts[key], rules[key], reached[key], is_recursive(edges, component))
        for component in order
        for key in component
    )
    return RelationGraph(relations, edges)


def draw_relations(graph: RelationGraph) -> Diagram:
    """Draw a relation graph; the language's own relations have a thick border."""
    boxes = {
        str(relation): Box(
            str(relation),
            str(relation),
            f"{relation}: {relation.facts} facts, {relation.rules} rules",
            COLOURS[relation.level],
            relation.is_keyword,
        )
        for relation in graph.relations
    }
    arrows = {
        relation_text(source): {relation_text(other): negated for other, negated in named.items()}
        for source, named in graph.edges.items()
    }
    return Diagram(boxes, arrows)


def fluents(ruleset: Ruleset) -> list[str]:
    """List the kinds of facts that rules name for states, such as ``(cell ? ? ?)``."""
    return _kinds(ruleset, {("init", 1), ("base", 1), ("next", 1), ("true", 1)})


def moves(ruleset: Ruleset) -> list[str]:
    """List the kinds of moves that rules name, such as ``(mark ? ?)``."""
    return _kinds(ruleset, {("input", 2), ("legal", 2), ("does", 2)})


def _kinds(ruleset: Ruleset, relations: Collection[RelationKey]) -> list[str]:
    """List the kinds of the last arguments of some relations, sorted."""
    found = {
        _kind(atom.args[-1])
        for rule in ruleset.rules
        for atom, _ in atoms_of(rule.head, *rule.body)
        if atom.relation in relations
    }
    return sorted(found - {""})


def _kind(term: Term) -> str:
    if isinstance(term, Function):
        return f"({term.name}{' ?' * len(term.args)})"
    return term.name if isinstance(term, Constant) else ""
