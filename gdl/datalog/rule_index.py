"""The rule index: flattened rules by relation, with what follows from their dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gdl.datalog.dependencies import (
    dependency_graph,
    is_recursive,
    levels,
    strongly_connected_components,
)
from gdl.datalog.symbol_table import Key, SymbolTable
from gdl.language import Atom, Function, Level, RelationKey, Rule, body_atoms, is_ground


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
                row = symbols.encode_all(rule.head.args)
                self._facts.setdefault(rule.head.relation, set()).add(row)
        graph = dependency_graph([rule for own in self._rules.values() for rule in own])
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
            for atom, positive in body_atoms(rule)
        )

    def builds_terms(self, component: Sequence[RelationKey]) -> bool:
        """Check whether a body calls a relation of its own component with a term that it builds.

        Calls could then ask for ever larger terms although the least model is finite.
        """
        return any(
            isinstance(term, Function) and not is_ground(term)
            for relation in component
            for rule in self.rules_of(relation)
            for atom, _ in body_atoms(rule)
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


@dataclass(frozen=True, slots=True, eq=False)
class StaticTable:
    """The rows of a static relation, and how many different values each column has.

    ``rules`` and ``facts`` define it, through the tables that it ``uses``.
    """

    rules: Sequence[Rule]
    facts: set[Key]
    uses: Sequence[StaticTable | None]
    rows: set[Key]
    sizes: Sequence[int]


class StaticTables:
    """The tables of the static relations of the programs so far, for one symbol table.

    Rules that are rewritten step by step are analysed after each step, and most of what is static
    stays as it was.
    """

    def __init__(self) -> None:
        self._known: dict[RelationKey, StaticTable] = {}

    def find(self, relation: RelationKey, rules: RuleIndex) -> StaticTable | None:
        """Return the table of a relation; None where it is not known, or its rules have changed.

        The tables that it is defined through must be up to date.
        """
        known = self._known.get(relation)
        if known is None:
            return None
        is_same = (
            known.rules == list(rules.rules_of(relation))
            and known.facts == rules.facts_of(relation)
            and known.uses == self._used(known.rules)
        )
        return known if is_same else None

    def keep(
        self, relation: RelationKey, rules: RuleIndex, rows: set[Key], sizes: Sequence[int]
    ) -> None:
        """Keep a table, unless its relation, or one that it uses, is recursive or too large."""
        self.forget(relation)
        own = list(rules.rules_of(relation))
        used = self._used(own)
        if not rules.component_of(relation) and None not in used:
            facts = rules.facts_of(relation)
            self._known[relation] = StaticTable(own, facts, used, rows, sizes)

    def forget(self, relation: RelationKey) -> None:
        """Keep nothing of a relation."""
        self._known.pop(relation, None)

    def _used(self, rules: Sequence[Rule]) -> list[StaticTable | None]:
        return [self._known.get(atom.relation) for rule in rules for atom, _ in body_atoms(rule)]
