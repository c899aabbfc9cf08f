"""The rule index: flattened rules by relation, with what follows from their dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gdl.datalog.dependencies import (
    dependency_graph,
    is_recursive,
    levels,
    strongly_connected_components,
)
from gdl.datalog.symbol_table import Key, SymbolTable, key_of
from gdl.language import Atom, Function, Level, RelationKey, Rule, atoms_of, is_ground


class RuleIndex:
    """Rules and facts by relation.

    ``given`` are the relations whose tables come from outside, with their levels. ``order`` lists
    every relation after those it is defined through.
    """

    def __init__(
        self, rules: Iterable[Rule], given: Mapping[RelationKey, Level], symbols: SymbolTable
    ) -> None:
        self.given = given
        self._rules: dict[RelationKey, list[Rule]] = {}
        self._facts: dict[RelationKey, set[Key]] = {}
        for rule in rules:
            if rule.body:
                self._rules.setdefault(rule.head.relation, []).append(rule)
            else:
                row = key_of([symbols.encode(term) for term in rule.head.args])
                self._facts.setdefault(rule.head.relation, set()).add(row)
        graph = dependency_graph(rule for own in self._rules.values() for rule in own)
        order = strongly_connected_components(graph)
        self._level = levels(graph, order, given)
        self._component = {r: c for c in order for r in c if is_recursive(graph, c)}
        self.order = [relation for component in order for relation in component]
        self.order += [relation for relation in self._facts if relation not in self._level]

    def rules_of(self, relation: RelationKey) -> Sequence[Rule]:
        """Return the rules, with bodies, that define a relation."""
        return self._rules.get(relation, ())

    def facts_of(self, relation: RelationKey) -> set[Key]:
        """Return the rows that the rules state as facts."""
        return self._facts.get(relation, set())

    def level_of(self, relation: RelationKey) -> Level:
        """Return the level that the relation depends on."""
        return self._level.get(relation, Level.STATIC)

    def component_of(self, relation: RelationKey) -> tuple[RelationKey, ...]:
        """Return the relation's strongly connected component; empty without recursion."""
        return self._component.get(relation, ())

    def negates_itself(self, component: Sequence[RelationKey]) -> bool:
        """Check whether some rule of a component negates one of its relations."""
        return any(
            atom.relation in component and not positive
            for relation in component
            for rule in self.rules_of(relation)
            for literal in rule.body
            for atom, positive in atoms_of(literal)
        )

    def builds_terms(self, component: Sequence[RelationKey]) -> bool:
        """Check whether a body calls a relation of its own component with a term that it builds.

        Calls could then ask for ever larger terms although the least model is finite.
        """
        return any(
            isinstance(term, Function) and not is_ground(term)
            for relation in component
            for rule in self.rules_of(relation)
            for literal in rule.body
            for atom, _ in atoms_of(literal)
            if atom.relation in component
            for term in atom.args
        )

    def replace_rules(self, relation: RelationKey, rules: Iterable[Rule]) -> None:
        """Replace a relation's rules."""
        self._rules[relation] = list(rules)

    def replace_facts(self, relation: RelationKey, rows: set[Key]) -> None:
        """Replace a relation's facts."""
        self._facts[relation] = rows


def occurrences(rule: Rule, relation: RelationKey) -> list[Atom]:
    """Return a relation's atoms in a body, apart from those in filters."""
    return [part for part in rule.body if isinstance(part, Atom) and part.relation == relation]
