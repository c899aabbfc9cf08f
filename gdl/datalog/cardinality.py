"""Cardinality estimation: how large relations are, and what it costs to evaluate them.

A cost of 1 is about one iteration of a loop. The constants were tuned on the games of a large
collection: what matters is that a wide relation is not evaluated whole by mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from gdl.datalog.domains import EMPTY_DOMAIN, ArgumentPosition, Domains
from gdl.datalog.join_plan import Columns, JoinPlan, make_plan
from gdl.datalog.rule_index import RuleIndex
from gdl.language import Atom, Level, Literal, RelationKey, Rule, atoms_of, names_in, variables_of

LONG_BODY = 20
"""Longer bodies are not planned for each combination of bound columns."""

RECURSIVE_SHARE = 0.4
"""A recursive relation is taken to have as many rows as its domain, to this power."""

RECURSIVE_COST = 5.0
"""The estimated cost of a row of a recursive relation."""

RECURSIVE_CALL_COST = 20.0
"""The estimated cost of calling a recursive relation, besides that of the rows found."""

FLUENT_ROWS = 8.0
"""The estimated rows of a fluent's relation that is empty in the initial state."""


class CardinalityEstimator:
    """Estimates the sizes and costs of flattened relations from their rules and domains.

    It is the :class:`~gdl.datalog.join_plan.CostModel` that join plans are made with.
    """

    def __init__(self, rule_index: RuleIndex, domains: Domains) -> None:
        self._rule_index = rule_index
        self._domains = domains
        self._rows: dict[RelationKey, float] = {}
        self._table_cost: dict[RelationKey, float] = dict.fromkeys(rule_index.given, 0.0)
        self._call_cost: dict[tuple[RelationKey, Columns], float | None] = {}
        self._distinct: dict[tuple[RelationKey, int], float] = {}
        self._upper_bound: dict[RelationKey, float] = {}
        self._exact: set[RelationKey] = set()

    # ------------------------------------------------------------------ estimates

    def rows(self, relation: RelationKey) -> float:
        """Estimate the number of rows; exact for relations that are evaluated already."""
        return self._rows.get(relation, 0.0)

    def distinct(self, relation: RelationKey, column: int) -> float:
        """Estimate the number of distinct values in a column, at least 1."""
        known = self._distinct.get((relation, column))
        if known is None:
            domain = self._domains.get(ArgumentPosition(True, *relation, column), EMPTY_DOMAIN)
            known = self._distinct[relation, column] = float(max(1, len(domain)))
        return known

    def table_cost(self, relation: RelationKey) -> float:
        """Estimate the cost of evaluating the whole relation; 0 once it is evaluated or given."""
        return self._table_cost.get(relation, 0.0)

    def call_cost(self, relation: RelationKey, bound: Columns) -> float | None:
        """Estimate the cost of a call with some columns bound; None if it cannot be called."""
        key = relation, bound
        if key not in self._call_cost:
            callable_ = self._can_be_called(relation)
            self._call_cost[key] = self._estimate_call(relation, bound) if callable_ else None
        return self._call_cost[key]

    def _can_be_called(self, relation: RelationKey) -> bool:
        rule_index = self._rule_index
        component = rule_index.component_of(relation)
        return relation not in rule_index.given and not (
            rule_index.negates_itself(component) or rule_index.builds_terms(component)
        )

    def plan(self, rule: Rule, bound: Columns) -> JoinPlan:
        """Plan a rule with some columns of its head bound and the others wanted."""
        known: set[str] = set()
        wanted: set[str] = set()
        for column, term in enumerate(rule.head.args):
            (known if column in bound else wanted).update(v.name for v in variables_of(term))
        return make_plan(self, rule.body, known, wanted - known)

    def domain_size(self, relation: RelationKey) -> float:
        """Return the largest number of rows: the product of the domains, or a known bound."""
        allowed = prod(self.distinct(relation, column) for column in range(relation[1]))
        return min(allowed, self._upper_bound.get(relation, allowed))

    # ------------------------------------------------------------------ what is known or assumed

    def set_exact(self, relation: RelationKey, rows: int, sizes: Sequence[int]) -> None:
        """Record the rows of a static relation that has been evaluated.

        ``sizes`` are the numbers of distinct values in each column; there are none without rows.
        """
        self._exact.add(relation)
        self._rows[relation] = float(rows)
        self._table_cost[relation] = 0.0
        for column, size in enumerate(sizes):
            self._distinct[relation, column] = float(size)

    def estimate_fluent(self, relation: RelationKey, initially: float) -> None:
        """Estimate the rows of a fluent's relation from its rows in the initial state."""
        self._rows[relation] = initially or min(FLUENT_ROWS, self.domain_size(relation))

    def set_estimate(self, relation: RelationKey, rows: float, sizes: Sequence[float]) -> None:
        """Assume at most these rows, and ``sizes`` distinct values in each column."""
        self._rows[relation] = min(rows, prod(sizes))
        self._table_cost[relation] = 0.0
        for column, size in enumerate(sizes):
            self._distinct[relation, column] = max(1.0, size)

    def set_upper_bound(self, relation: RelationKey, rows: float, sizes: Sequence[float]) -> None:
        """Record bounds that hold in all states: of rows, and of distinct values per column."""
        self.set_estimate(relation, rows, sizes)
        self._upper_bound[relation] = rows

    def assume_upper_bounds(
        self, order: Sequence[RelationKey], fluents: Iterable[RelationKey]
    ) -> None:
        """Replace the estimates for a typical state by upper bounds for any state.

        The fluents' relations count with all rows that their domains allow; ``order`` has every
        relation after those that it is defined through.
        """
        for fluent in fluents:
            self._rows[fluent] = self.domain_size(fluent)
        for relation in order:
            if self.table_cost(relation) and not self._rule_index.component_of(relation):
                self._rows[relation] = self._max_rows(relation)
        for relation in order:
            self._table_cost[relation] = 0.0

    def _max_rows(self, relation: RelationKey) -> float:
        rows = float(len(self._rule_index.facts_of(relation)))
        for rule in self._rule_index.rules_of(relation):
            rows += self.instances(rule.body, names_in([rule.head]))
        return min(rows, self.domain_size(relation))

    def instances(self, body: Iterable[Literal], wanted: Iterable[str]) -> float:
        """Estimate the solutions of a body in any state, projected to the wanted variables.

        Filters that depend on the state are taken to pass.
        """
        kept = [part for part in body if isinstance(part, Atom) or self._is_static(part)]
        return make_plan(self, kept, (), wanted).rows

    def _is_static(self, literal: Literal) -> bool:
        level_of = self._rule_index.level_of
        return all(level_of(atom.relation) is Level.STATIC for atom, _ in atoms_of(literal))

    def copy_estimate(self, relation: RelationKey, model: RelationKey, columns: Columns) -> None:
        """Take over the estimates of some columns of another relation."""
        self._rows[relation] = self.rows(model)
        for index, column in enumerate(columns):
            self._distinct[relation, index] = self.distinct(model, column)

    def estimate(self, relation: RelationKey) -> None:
        """Estimate a relation's size and cost from the relations that it is defined through."""
        limit = self.domain_size(relation)
        facts = float(len(self._rule_index.facts_of(relation)))
        if self._rule_index.component_of(relation):
            rows = facts + limit**RECURSIVE_SHARE
            self._rows[relation], self._table_cost[relation] = rows, RECURSIVE_COST * rows
            return
        plans = [self.plan(rule, ()) for rule in self._rule_index.rules_of(relation)]
        self._rows[relation] = min(limit, facts + sum(plan.rows for plan in plans))
        self._table_cost[relation] = 1.0 + facts + sum(plan.cost for plan in plans)

    def is_estimated(self, relation: RelationKey) -> bool:
        """Check whether the relation's cost is known or estimated already."""
        return relation in self._table_cost

    def is_exact(self, relation: RelationKey) -> bool:
        """Check whether the relation is static and has been evaluated."""
        return relation in self._exact

    def _estimate_call(self, relation: RelationKey, bound: Columns) -> float:
        """Estimate a call's cost by planning the rules; from the table's cost if they are long."""
        rules = self._rule_index.rules_of(relation)
        share = prod(self.distinct(relation, column) for column in bound)
        if self._rule_index.component_of(relation):
            return RECURSIVE_CALL_COST + RECURSIVE_COST * self.rows(relation) / share
        if all(len(rule.body) <= LONG_BODY for rule in rules):
            return sum(self.plan(rule, bound).cost for rule in rules)
        return self.table_cost(relation) / share + sum(len(rule.body) for rule in rules)
