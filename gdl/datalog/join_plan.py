"""Join plans: in which order the literals of a body are evaluated, and how.

A plan is a list of steps. A step is a filter on variables that are bound already, a loop over the
rows of an atom that match them, or an existence test (a semi-join): a plan of its own for literals
that share no wanted variable with the rest, of which one solution is enough.

The order is greedy by rank, (fan-out - 1) / cost: steps that discard many rows at little cost come
first. A cost of 1 is about one iteration of a loop; fan-outs are estimated from the numbers of rows
and from the sizes of domains. A derived relation with some arguments bound is either evaluated
whole, once, as a table, or called for each combination of arguments, whichever is estimated to be
cheaper.

The estimates of a relation come from plans for its rules, and plans from the estimates of the
relations in them. Their constants were tuned on the games of a large collection: what matters is
that a wide relation is not evaluated whole by mistake.

Source: the rank is that of T. Ibaraki and T. Kameda, On the optimal nesting order for computing
N-relational joins (1984).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from operator import attrgetter, or_
from typing import NamedTuple, TypeAlias

from gdl.datalog.domains import EMPTY_DOMAIN, ArgumentPosition, Domains
from gdl.datalog.rule_index import RuleIndex
from gdl.language import (
    Atom,
    Constant,
    Distinct,
    Function,
    Level,
    Literal,
    Not,
    RelationKey,
    Rule,
    Term,
    atoms_of,
    names_by_argument,
    names_in,
    variables_of,
)

Columns: TypeAlias = tuple[int, ...]
"""Indices of a relation's columns, counted from 0, in rising order."""

LOOKUP_COST = 1.0
"""The cost of looking a key up in a table or an index."""

CALL_COST = 4.0
"""The cost of calling a function and looking up its memo."""

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


@dataclass(frozen=True, slots=True)
class Filter:
    """Test a literal whose variables are all bound; ``times`` estimates how often."""

    literal: Literal
    times: float


@dataclass(frozen=True, slots=True)
class Loop:
    """Visit the rows of an atom that match its bound columns.

    ``free`` columns hold a variable that is needed later, or a pattern to match; the other columns
    are ignored. ``times`` estimates how often the loop is entered.
    """

    atom: Atom
    bound: Columns
    free: Columns
    times: float


@dataclass(frozen=True, slots=True)
class Exists:
    """Test whether the steps have a solution at all."""

    steps: tuple[Step, ...]


Step: TypeAlias = Filter | Loop | Exists


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """The steps, with their estimated cost and number of solutions."""

    steps: tuple[Step, ...]
    cost: float
    rows: float


def prefers_call(
    cost_model: CardinalityEstimator, relation: RelationKey, bound: Columns, times: float
) -> bool:
    """Check whether calling a relation ``times`` times is cheaper than evaluating all of it."""
    table = cost_model.table_cost(relation)
    if table == 0.0 or not bound:
        return False
    call = cost_model.call_cost(relation, bound)
    if call is None:
        return False
    combinations = 1.0
    for column in bound:
        combinations *= cost_model.distinct(relation, column)
    return min(times, combinations) * (CALL_COST + call) < table + times * LOOKUP_COST


def make_plan(
    cost_model: CardinalityEstimator,
    body: Iterable[Literal],
    bound: Iterable[str],
    wanted: Iterable[str],
) -> JoinPlan:
    """Plan a body in normal form.

    ``bound`` are the variables with a value from the start, ``wanted`` those whose values the
    caller needs; without wanted variables one solution is enough.
    """
    own, wanted = _Body(list(body)), frozenset(wanted)
    every = range(len(own.literals))
    return _Planner(own, cost_model, every, own.mask(bound), own.mask(wanted), not wanted).run()


class _Candidate(NamedTuple):
    """A step that may be next: it takes some literals, by their indices."""

    step: Step
    literals: tuple[int, ...]
    fan_out: float
    cost: float
    rank: float


def _candidate(step: Step, literals: tuple[int, ...], fan_out: float, cost: float) -> _Candidate:
    return _Candidate(step, literals, fan_out, cost, (fan_out - 1.0) / cost)


class _Body:
    """The literals of a body, with sets of variables as bit masks.

    ``names`` has the variables of each literal, ``columns`` those of each argument of an atom.
    """

    def __init__(self, literals: Sequence[Literal]) -> None:
        self.literals = literals
        self._bits: dict[str, int] = {}
        self.columns = [tuple(map(self._new_mask, names)) for names in names_by_argument(literals)]
        self.names = [reduce(or_, columns, 0) for columns in self.columns]

    def _new_mask(self, names: Iterable[str]) -> int:
        mask = 0
        for name in names:
            mask |= 1 << self._bits.setdefault(name, len(self._bits))
        return mask

    def mask(self, names: Iterable[str]) -> int:
        """Return the set of some variables, without those that do not occur."""
        return reduce(or_, (1 << self._bits[name] for name in names if name in self._bits), 0)


class _Planner:
    """The working state of planning some literals of a body, by their indices.

    ``bound`` and ``wanted`` are bit masks; ``is_test`` says that one solution is enough.
    """

    def __init__(
        self,
        body: _Body,
        cost_model: CardinalityEstimator,
        pending: Sequence[int],
        bound: int,
        wanted: int,
        is_test: bool,
    ) -> None:
        self.body = body
        self.cost_model = cost_model
        self.pending = pending
        self.bound = bound
        self.wanted = wanted
        self.is_test = is_test
        self.shared = self._shared()
        self.components: list[list[int]] | None = None
        self.loops: dict[int, _Candidate] = {}
        self.filters: dict[int, _Candidate] = {}

    def run(self) -> JoinPlan:
        steps: list[Step] = []
        cost, rows = 0.0, 1.0
        existential: dict[frozenset[int], _Candidate] = {}
        while self.pending:
            candidates = list(self._filters(rows))
            for component in self._components():
                if self._is_existential(component):
                    key = frozenset(component)
                    if key not in existential:
                        existential[key] = self._exists(component)
                    candidates.append(existential[key])
                else:
                    candidates += self._loops(component, rows)
            best = min(candidates, key=attrgetter("rank"))
            steps.append(best.step)
            cost += rows * best.cost
            rows *= best.fan_out
            self._take(best)
            if isinstance(best.step, Loop):
                existential.clear()
        return JoinPlan(tuple(steps), cost, rows)

    def _take(self, chosen: _Candidate) -> None:
        names = self.body.names
        self.pending = [index for index in self.pending if index not in chosen.literals]
        touched = reduce(or_, map(names.__getitem__, chosen.literals))
        self.shared = self._shared()
        self.loops = {k: v for k, v in self.loops.items() if not names[k] & touched}
        if isinstance(chosen.step, Loop):
            self.bound |= touched
        if not isinstance(chosen.step, Filter):
            self.components = None

    def _shared(self) -> int:
        """The variables of several pending literals."""
        once = several = 0
        for index in self.pending:
            names = self.body.names[index]
            several |= once & names
            once |= names
        return several

    def _filters(self, times: float) -> Iterable[_Candidate]:
        for index in self.pending:
            known = self.filters.get(index)
            if known is not None:
                yield known
            elif not self.body.names[index] & ~self.bound:
                yield self._filter(index, times)

    def _filter(self, index: int, times: float) -> _Candidate:
        literal = self.body.literals[index]
        cost, kept = self._filter_cost(literal, times)
        candidate = _candidate(Filter(literal, times), (index,), kept, cost)
        if all(self.cost_model.table_cost(atom.relation) == 0.0 for atom, _ in atoms_of(literal)):
            self.filters[index] = candidate  # its cost does not depend on ``times``
        return candidate

    def _filter_cost(self, literal: Literal, times: float) -> tuple[float, float]:
        """Estimate the cost of a filter and its selectivity, the share of rows that pass."""
        if isinstance(literal, Distinct):
            return 0.3, 0.8
        if isinstance(literal, Atom):
            relation, columns = literal.relation, tuple(range(len(literal.args)))
            cost = self._access_cost(relation, columns, times)
            share = self._fan_out(relation, columns, ())
            return cost, min(0.9, max(0.01, share))
        if isinstance(literal, Not):
            cost, share = self._filter_cost(literal.literal, times)
            return cost, min(0.9, max(0.1, 1.0 - share))
        costs = [self._filter_cost(part, times)[0] for part in literal.literals]
        return 0.1 + 0.6 * sum(costs), 0.7

    def _components(self) -> list[list[int]]:
        """Return the connected components of the pending literals, linked by unbound variables."""
        if self.components is None:
            self.components = self._new_components()
        return self.components

    def _new_components(self) -> list[list[int]]:
        groups: list[tuple[int, list[int]]] = []
        for index in self.pending:
            free = self.body.names[index] & ~self.bound
            if not free:
                continue
            joined = [group for group in groups if group[0] & free]
            if joined:
                groups = [group for group in groups if not group[0] & free]
            names = reduce(or_, (group[0] for group in joined), free)
            groups.append((names, [part for group in joined for part in group[1]] + [index]))
        return [group for _, group in groups]

    def _is_existential(self, component: Sequence[int]) -> bool:
        names = reduce(or_, map(self.body.names.__getitem__, component))
        if names & ~self.bound & self.wanted:
            return False
        # A test stops at its first solution in any case: an existence test within it helps only
        # where other literals are pending too.
        return not self.is_test or len(component) < len(self.pending)

    def _exists(self, component: Sequence[int]) -> _Candidate:
        plan = _Planner(self.body, self.cost_model, component, self.bound, 0, is_test=True).run()
        return _candidate(Exists(plan.steps), tuple(component), 0.5, 0.5 + 0.5 * plan.cost)

    def _loops(self, component: Sequence[int], times: float) -> Iterable[_Candidate]:
        for index in component:
            literal = self.body.literals[index]
            if isinstance(literal, Atom):
                yield self.loops.get(index) or self._loop(literal, index, times)

    def _loop(self, atom: Atom, index: int, times: float) -> _Candidate:
        bound, free = self._columns(atom, self.body.columns[index])
        relation = atom.relation
        fan_out = self._fan_out(relation, bound, free)
        cost = self._access_cost(relation, bound, times) + fan_out
        candidate = _candidate(Loop(atom, bound, free, times), (index,), fan_out, cost)
        if self.cost_model.table_cost(relation) == 0.0:  # independent of ``times``
            self.loops[index] = candidate
        return candidate

    def _columns(self, atom: Atom, occurring: tuple[int, ...]) -> tuple[Columns, Columns]:
        """Return an atom's bound columns, and the free ones, whose values must be read."""
        bound, free = [], []
        for column, names in enumerate(occurring):
            if not names & ~self.bound:
                bound.append(column)
            elif isinstance(atom.args[column], Function) or self._is_needed(names, occurring):
                free.append(column)
        return tuple(bound), tuple(free)

    def _is_needed(self, names: int, occurring: tuple[int, ...]) -> bool:
        """Check whether anything else needs the variable of a column."""
        if names & (self.wanted | self.shared):
            return True
        return sum(bool(names & others) for others in occurring) > 1

    def _fan_out(self, relation: RelationKey, bound: Columns, free: Columns) -> float:
        rows = self.cost_model.rows(relation)
        for column in bound:
            rows /= self.cost_model.distinct(relation, column)
        if len(bound) + len(free) < relation[1]:
            limit = 1.0
            for column in free:
                limit *= self.cost_model.distinct(relation, column)
            rows = min(rows, limit)
        return rows

    def _access_cost(self, relation: RelationKey, bound: Columns, times: float) -> float:
        if prefers_call(self.cost_model, relation, bound, times):
            call = self.cost_model.call_cost(relation, bound)
            assert call is not None
            return CALL_COST + call
        return LOOKUP_COST + self.cost_model.table_cost(relation) / max(1.0, times)


def is_bound(term: Term, bound: Container[str]) -> bool:
    """Check whether every variable of the term is bound."""
    return isinstance(term, Constant) or all(v.name in bound for v in variables_of(term))


# ---------------------------------------------------------------------- estimates


class CardinalityEstimator:
    """Estimates the sizes and costs of flattened relations from their rules and domains."""

    def __init__(self, rule_index: RuleIndex, domains: Domains) -> None:
        self._rule_index = rule_index
        self._domains = domains
        self._rows: dict[RelationKey, float] = {}
        self._table_cost: dict[RelationKey, float] = dict.fromkeys(rule_index.given, 0.0)
        self._call_cost: dict[tuple[RelationKey, Columns], float | None] = {}
        self._distinct: dict[tuple[RelationKey, int], float] = {}
        self._upper_bound: dict[RelationKey, float] = {}

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
        for column, names in enumerate(names_by_argument((rule.head,))[0]):
            (known if column in bound else wanted).update(names)
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

    def _estimate_call(self, relation: RelationKey, bound: Columns) -> float:
        """Estimate a call's cost by planning the rules; from the table's cost if they are long."""
        rules = self._rule_index.rules_of(relation)
        share = prod(self.distinct(relation, column) for column in bound)
        if self._rule_index.component_of(relation):
            return RECURSIVE_CALL_COST + RECURSIVE_COST * self.rows(relation) / share
        if all(len(rule.body) <= LONG_BODY for rule in rules):
            return sum(self.plan(rule, bound).cost for rule in rules)
        return self.table_cost(relation) / share + sum(len(rule.body) for rule in rules)
