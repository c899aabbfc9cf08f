"""A projected game: a few fluents with all that they follow from, explored state by state.

Where a match ends when a pile of cards is used up, no counter of turns exceeds the cards, however
far the rules can count. The relaxed game does not see that, as all its facts hold at once. Here
the fluents that the end depends on are kept, with those to be bounded and all that either follow
from; moves are legal whenever what is kept of their rules allows it. What is reached in no state
of this smaller game is reached in no match: such facts are left out of the next state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from gdl.datalog import SymbolTable, counterpart, dependency_graph, reachable
from gdl.errors import GroundingLimitError
from gdl.grounding.gringo import GrounderInput, GroundingBudget, GroundProgram, ground
from gdl.grounding.ground_rows import Row
from gdl.grounding.state_exploration import (
    OTHER_MOVE,
    possible_relation,
    reached_rows,
)
from gdl.language import Atom, Literal, RelationKey, Rule, Term, atoms_of, body_atoms, names_in
from gdl.rewriting.rule_analysis import RuleAnalysis

MIN_INSTANCES = 100_000.0
"""Fluents are worth bounding in rules with more instances."""

MIN_FACTS = 16
"""Fluents with fewer possible facts bound nothing."""

MAX_PROJECTED_FACTS = 1_000
"""Projections that can have more facts have too many states."""

MAX_SHARE = 0.5
"""A bound must leave at most this share of the facts."""

PROJECTION_BUDGET = GroundingBudget(rules=20_000, cpu_seconds=5)
"""What grounding a projected game may take."""


def bound_fluents(analysis: RuleAnalysis) -> list[Rule]:
    """Let the next state hold no facts that a projected game never reaches."""
    tried: set[frozenset[RelationKey]] = set()
    bounds: dict[RelationKey, Collection[Row]] = {}
    for relation in _worth_bounding(analysis):
        projection = _Projection(analysis, relation)
        fluents = frozenset(projection.fluents)
        if relation not in bounds and fluents not in tried and projection.is_small():
            tried.add(fluents)
            bounds |= projection.reached()
    few = {
        relation: rows
        for relation, rows in bounds.items()
        if len(rows) <= MAX_SHARE * analysis.estimator.domain_size(relation)
    }
    return [*_bounded(analysis.rules, few), *_facts(few, analysis.symbols)]


def _worth_bounding(analysis: RuleAnalysis) -> list[RelationKey]:
    """List the fluents of rules with very many instances, those with the fewest facts first."""
    size = {r: analysis.estimator.domain_size(r) for r, _ in analysis.flat.fluents}
    found = {
        atom.relation
        for rule in analysis.rules
        if analysis.estimator.instances(rule.body, names_in(rule.body)) > MIN_INSTANCES
        for atom, _ in body_atoms(rule)
        if MIN_FACTS <= size.get(atom.relation, 0) <= MAX_PROJECTED_FACTS
    }
    return sorted(found, key=lambda relation: (size[relation], relation))


def _bounded(rules: Iterable[Rule], bounds: dict[RelationKey, Collection[Row]]) -> Iterator[Rule]:
    """Add to the rules for the next facts that these can be reached."""
    of_next = {counterpart(relation, "next"): relation for relation in bounds}
    for rule in rules:
        relation = of_next.get(rule.head.relation)
        if relation is None:
            yield rule
        else:
            bound = Atom(_name_of_bound(relation), rule.head.args)
            yield Rule(rule.head, (*rule.body, bound), rule.span)


def _facts(bounds: dict[RelationKey, Collection[Row]], symbols: SymbolTable) -> Iterator[Rule]:
    for relation, rows in bounds.items():
        for row in rows:
            yield Rule(Atom(_name_of_bound(relation), tuple(map(symbols.decode, row))), ())


def _name_of_bound(relation: RelationKey) -> str:
    return f" reached {relation[0]}"


class _Projection:
    """The projection of a game to a fluent, those that end it, and all that they follow from."""

    def __init__(self, analysis: RuleAnalysis, relation: RelationKey) -> None:
        self._analysis = analysis
        self._graph = dependency_graph(analysis.rules)
        every = [fluent for fluent, _ in analysis.flat.fluents]
        through_time = self._graph | {each: {counterpart(each, "next"): False} for each in every}
        self._defined = reachable(through_time, [("terminal", 0), relation])
        self.fluents = [fluent for fluent in every if fluent in self._defined]
        self._foreign = set(every) - set(self.fluents)
        moves = [move for move, _ in analysis.flat.moves]
        self._read = [move for move in moves if move in self._defined]
        self._unread = [move for move in moves if move not in self._defined]

    def is_small(self) -> bool:
        """Check that the fluents have few possible facts, and moves are told apart by few."""
        size = self._analysis.estimator.domain_size
        return sum(map(size, self.fluents)) + sum(map(size, self._read)) <= MAX_PROJECTED_FACTS

    def reached(self) -> dict[RelationKey, list[Row]]:
        """Return the rows of each fluent that are reached; nothing where that is too much work."""
        legal = [found for move in (*self._read, *self._unread) for found in self._legal(move)]
        if not all(map(_is_safe, legal)):
            return {}
        try:
            program = self._ground(legal)
        except GroundingLimitError:
            return {}
        return reached_rows(program, self.fluents, self._read)

    def _ground(self, legal: Sequence[Rule]) -> GroundProgram:
        rules = self._analysis.rules
        begin = {counterpart(fluent, "init") for fluent in self.fluents}
        asked = {atom.relation for rule in legal for atom, _ in body_atoms(rule)}
        wanted = self._defined | reachable(self._graph, [*begin, *asked])
        kept = [rule for rule in rules if rule.head.relation in wanted]
        flows = [
            *(
                (counterpart(each, name), each)
                for each in self.fluents
                for name in ("init", "next")
            ),
            *((possible_relation(each), each) for each in self._read),
        ]
        ends = [relation for flow in flows for relation in flow]
        shown = dict.fromkeys([*ends, OTHER_MOVE, ("terminal", 0), ("role", 1)])
        given = GrounderInput(rules=[*kept, *legal], flows=flows, shown=list(shown))
        return ground(given, self._analysis.symbols, PROJECTION_BUDGET)

    def _legal(self, move: RelationKey) -> Iterator[Rule]:
        """Yield what is kept of the rules for a move; of one that nothing reads only the role."""
        for rule in self._analysis.definitions.get(counterpart(move, "legal"), ()):
            body = [part for part in rule.body if not self._holds_foreign(part)]
            args: tuple[Term, ...] = rule.head.args
            name = possible_relation(move)[0]
            if move in self._unread:
                args, name = args[:1], OTHER_MOVE[0]
                body = list(self._tied(body, names_in([Atom("", args)])))
            body.append(Atom("role", args[:1]))
            bound = names_in(part for part in body if isinstance(part, Atom))
            body = [part for part in body if isinstance(part, Atom) or names_in([part]) <= bound]
            yield Rule(Atom(name, args), tuple(body), rule.span)

    def _tied(self, body: Sequence[Literal], needed: set[str]) -> Iterator[Literal]:
        """Yield the literals about nothing but what the fluents hold and what is needed."""
        fluents = [
            part for part in body if isinstance(part, Atom) and part.relation in self.fluents
        ]
        names = needed | names_in(fluents)
        return (part for part in body if names_in([part]) <= names)

    def _holds_foreign(self, literal: Literal) -> bool:
        """Check whether a literal depends on fluents that are left out."""
        relations = reachable(self._graph, [atom.relation for atom, _ in atoms_of(literal)])
        return not self._foreign.isdisjoint(relations)


def _is_safe(rule: Rule) -> bool:
    return names_in([rule.head]) <= names_in(part for part in rule.body if isinstance(part, Atom))
