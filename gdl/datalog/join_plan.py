"""Join plans: in which order the literals of a body are evaluated, and how.

A plan is a list of steps. A step is a filter on variables that are bound already, a loop over the
rows of an atom that match them, or an existence test (a semi-join): a plan of its own for literals
that share no wanted variable with the rest, of which one solution is enough.

The order is greedy by rank, (fan-out - 1) / cost: steps that discard many rows at little cost come
first. A cost of 1 is about one iteration of a loop; fan-outs are estimated from the numbers of rows
and from the sizes of domains. A derived relation with some arguments bound is either evaluated
whole, once, as a table, or called for each combination of arguments, whichever is estimated to be
cheaper.

Source: the rank is that of T. Ibaraki and T. Kameda, On the optimal nesting order for computing
N-relational joins (1984).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import attrgetter, or_
from typing import NamedTuple, Protocol, TypeAlias

from gdl.language import (
    Atom,
    Constant,
    Distinct,
    Function,
    Literal,
    Not,
    RelationKey,
    Term,
    Variable,
    atoms_of,
    variables_in,
    variables_of,
)

Columns: TypeAlias = tuple[int, ...]
"""Indices of a relation's columns, counted from 0, in rising order."""

LOOKUP_COST = 1.0
"""The cost of looking a key up in a table or an index."""

CALL_COST = 4.0
"""The cost of calling a function and looking up its memo."""


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


class CostModel(Protocol):
    """Estimates that planning is based on."""

    def rows(self, relation: RelationKey) -> float:
        """Estimate the number of rows."""
        ...

    def distinct(self, relation: RelationKey, column: int) -> float:
        """Estimate the number of distinct values in a column."""
        ...

    def table_cost(self, relation: RelationKey) -> float:
        """Estimate the cost of evaluating the whole relation; 0 once it is evaluated or given."""
        ...

    def call_cost(self, relation: RelationKey, bound: Columns) -> float | None:
        """Estimate the cost of a call with some columns bound; None if it cannot be called."""
        ...


def prefers_call(
    cost_model: CostModel, relation: RelationKey, bound: Columns, times: float
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
    cost_model: CostModel, body: Iterable[Literal], bound: Iterable[str], wanted: Iterable[str]
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
        self.columns = [
            tuple(self._new_mask(variables_of(term)) for term in part.args)
            if isinstance(part, Atom)
            else (self._new_mask(variables_in(part)),)
            for part in literals
        ]
        self.names = [reduce(or_, columns, 0) for columns in self.columns]

    def _new_mask(self, variables: Iterable[Variable]) -> int:
        mask = 0
        for variable in variables:
            mask |= 1 << self._bits.setdefault(variable.name, len(self._bits))
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
        cost_model: CostModel,
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


def is_bound(term: Term, bound: Iterable[str]) -> bool:
    """Check whether every variable of the term is bound."""
    names = set(bound)
    return isinstance(term, Constant) or all(v.name in names for v in variables_of(term))
