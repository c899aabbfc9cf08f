"""Cardinality estimation: how large relations are and what it costs to evaluate them, known or guessed.

Costs are in units of about one turn of a loop. The guesses were chosen by playing the games of
a large collection: what matters is that a wide relation is not evaluated whole by mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from gdl.datalog.domains import EMPTY, ArgumentPosition, Domains
from gdl.datalog.join_plan import Columns, JoinPlan, make_plan
from gdl.datalog.rule_index import RuleIndex
from gdl.datalog.symbol_table import ids_of
from gdl.language import Atom, Level, Literal, RelationKey, Rule, atoms_of, names_in, variables_of

LONG_BODY = 20
"""Bodies with more literals are not planned anew for every combination of bound columns."""

RECURSIVE_SHARE = 0.4
"""A recursive relation is guessed to have as many rows as its domain, to this power."""

RECURSIVE_COST = 5.0
"""The guessed cost of a row of a recursive relation."""

DEMAND_COST = 20.0
"""The guessed cost of asking a recursive relation for a key, besides that of the rows found."""

FLUENT_ROWS = 8.0
"""The rows that a kind of fluent is guessed to have where the initial state has none."""


class CardinalityEstimator:
    """The catalogue that plans are made from; see :class:`gdl.datalog.join_plan.Catalogue`."""

    def __init__(self, rulebook: RuleIndex, domains: Domains) -> None:
        self._rulebook = rulebook
        self._domains = domains
        self._rows: dict[RelationKey, float] = {}
        self._table_cost: dict[RelationKey, float] = dict.fromkeys(rulebook.given, 0.0)
        self._call_cost: dict[tuple[RelationKey, Columns], float | None] = {}
        self._distinct: dict[tuple[RelationKey, int], float] = {}
        self._most: dict[RelationKey, float] = {}

    # ------------------------------------------------------------------ questions

    def rows(self, relation: RelationKey) -> float:
        """Return the estimated number of rows, exact where the relation is at hand."""
        return self._rows.get(relation, 0.0)

    def distinct(self, relation: RelationKey, column: int) -> float:
        """Return the estimated number of different values in a column, at least 1."""
        known = self._distinct.get((relation, column))
        if known is None:
            domain = self._domains.get(ArgumentPosition(True, *relation, column), EMPTY)
            known = self._distinct[relation, column] = float(max(1, len(domain)))
        return known

    def table_cost(self, relation: RelationKey) -> float:
        """Return the estimated cost of evaluating the whole relation; 0 where it is at hand."""
        return self._table_cost.get(relation, 0.0)

    def call_cost(self, relation: RelationKey, bound: Columns) -> float | None:
        """Return the estimated cost of one call, None where the relation cannot be called."""
        key = relation, bound
        if key not in self._call_cost:
            callable_ = self._can_be_called(relation)
            self._call_cost[key] = self._estimate_call(relation, bound) if callable_ else None
        return self._call_cost[key]

    def _can_be_called(self, relation: RelationKey) -> bool:
        rulebook = self._rulebook
        component = rulebook.component_of(relation)
        return relation not in rulebook.given and not (
            rulebook.negates_itself(component) or rulebook.builds_terms(component)
        )

    def plan(self, rule: Rule, bound: Columns) -> JoinPlan:
        """Plan a rule with some columns of its head bound and the others wanted."""
        known: set[str] = set()
        wanted: set[str] = set()
        for column, term in enumerate(rule.head.args):
            (known if column in bound else wanted).update(v.name for v in variables_of(term))
        return make_plan(self, rule.body, known, wanted - known)

    def domain_size(self, relation: RelationKey) -> float:
        """Return how many rows the columns' domains allow, or fewer where that is known."""
        allowed = prod(self.distinct(relation, column) for column in range(relation[1]))
        return min(allowed, self._most.get(relation, allowed))

    # ------------------------------------------------------------------ answers

    def measure(self, relation: RelationKey, table: set[int | tuple[int, ...]]) -> None:
        """Take the exact figures of a relation that has been evaluated for good."""
        self._rows[relation] = float(len(table))
        self._table_cost[relation] = 0.0
        for column, values in enumerate(zip(*map(ids_of, table), strict=True)):
            self._distinct[relation, column] = float(len(set(values)))

    def guess_fluent(self, relation: RelationKey, initially: float) -> None:
        """Guess a given relation's size from its number of rows in the initial state."""
        self._rows[relation] = initially or min(FLUENT_ROWS, self.domain_size(relation))

    def suppose(self, relation: RelationKey, rows: float, sizes: Sequence[float]) -> None:
        """Take over an estimate: at most the given rows, so many different values per column."""
        self._rows[relation] = min(rows, prod(sizes))
        self._table_cost[relation] = 0.0
        for column, size in enumerate(sizes):
            self._distinct[relation, column] = max(1.0, size)

    def limit(self, relation: RelationKey, rows: float, sizes: Sequence[float]) -> None:
        """Take over how many rows, and different values per column, there can be in all states."""
        self.suppose(relation, rows, sizes)
        self._most[relation] = rows

    def widen(self, order: Sequence[RelationKey], fluents: Iterable[RelationKey]) -> None:
        """Estimate anew what can hold in any state, rather than in a typical one.

        The given relations count with all rows that their domains allow.
        """
        for fluent in fluents:
            self._rows[fluent] = self.domain_size(fluent)
        for relation in order:
            if self.table_cost(relation) and not self._rulebook.component_of(relation):
                self._rows[relation] = self._most_rows(relation)
        for relation in order:
            self._table_cost[relation] = 0.0

    def _most_rows(self, relation: RelationKey) -> float:
        rows = float(len(self._rulebook.facts_of(relation)))
        for rule in self._rulebook.rules_of(relation):
            rows += self.instances(rule.body, names_in([rule.head]))
        return min(rows, self.domain_size(relation))

    def instances(self, body: Iterable[Literal], wanted: Iterable[str]) -> float:
        """Return how many solutions a body has at most in any state, by its wanted variables.

        A filter that depends on the state is taken to hold.
        """
        kept = [part for part in body if isinstance(part, Atom) or self._is_static(part)]
        return make_plan(self, kept, (), wanted).rows

    def _is_static(self, literal: Literal) -> bool:
        level_of = self._rulebook.level_of
        return all(level_of(atom.relation) is Level.STATIC for atom, _ in atoms_of(literal))

    def liken(self, relation: RelationKey, model: RelationKey, columns: Columns) -> None:
        """Guess that a relation resembles some columns of another."""
        self._rows[relation] = self.rows(model)
        for index, column in enumerate(columns):
            self._distinct[relation, index] = self.distinct(model, column)

    def estimate(self, relation: RelationKey) -> None:
        """Estimate a relation's size and cost from those of the relations it is defined by."""
        limit = self.domain_size(relation)
        facts = float(len(self._rulebook.facts_of(relation)))
        if self._rulebook.component_of(relation):
            rows = facts + limit**RECURSIVE_SHARE
            self._rows[relation], self._table_cost[relation] = rows, RECURSIVE_COST * rows
            return
        plans = [self.plan(rule, ()) for rule in self._rulebook.rules_of(relation)]
        self._rows[relation] = min(limit, facts + sum(plan.rows for plan in plans))
        self._table_cost[relation] = 1.0 + facts + sum(plan.cost for plan in plans)

    def is_estimated(self, relation: RelationKey) -> bool:
        """Tell whether the relation's cost is known or guessed already."""
        return relation in self._table_cost

    def _estimate_call(self, relation: RelationKey, bound: Columns) -> float:
        """Estimate by planning the rules, or, where they are long, from the table's cost."""
        rules = self._rulebook.rules_of(relation)
        share = prod(self.distinct(relation, column) for column in bound)
        if self._rulebook.component_of(relation):
            return DEMAND_COST + RECURSIVE_COST * self.rows(relation) / share
        if all(len(rule.body) <= LONG_BODY for rule in rules):
            return sum(self.plan(rule, bound).cost for rule in rules)
        return self.table_cost(relation) / share + sum(len(rule.body) for rule in rules)
