"""A slow machine whose correctness is easy to see: the oracle for all faster ones.

It takes the rules as they were read. A body is solved by matching its atoms with every known
fact, one after the other; filters (``not``, ``distinct``) wait until all atoms are matched. Rules
are applied to all known facts up to a fixpoint, stratum by stratum. There is no rewriting, no
planning, no index and no memo, and no code is shared with the package beyond terms and rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import gdl
from gdl import And, Atom, Constant, Distinct, Function, Literal, Not, Or, Rule, Term, Variable

Row = tuple[Term, ...]
Relation = tuple[str, int]
Bindings = Mapping[str, Term]


class TooLargeError(Exception):
    """The model has more than the allowed number of facts."""


class UndefinedError(Exception):
    """Some ground atom depends on its own negation."""


class Facts:
    """Known ground atoms, by relation."""

    def __init__(self, known: Iterable[tuple[Relation, Row]] = ()) -> None:
        self._rows: dict[Relation, dict[Row, None]] = defaultdict(dict)
        self.size = 0
        for relation, row in known:
            self.add(relation, row)

    def add(self, relation: Relation, row: Row) -> bool:
        """Add a row, and return True if it is new."""
        rows = self._rows[relation]
        if row in rows:
            return False
        rows[row] = None
        self.size += 1
        return True

    def rows(self, relation: Relation) -> list[Row]:
        return list(self._rows.get(relation, ()))

    def __iter__(self) -> Iterator[tuple[Relation, Row]]:
        return ((relation, row) for relation, rows in self._rows.items() for row in rows)


class Oracle:
    """A game, evaluated by brute force. A state is a frozen set of terms."""

    def __init__(self, ruleset: gdl.Ruleset, max_facts: int = 100_000) -> None:
        self.roles = ruleset.roles
        self._strata = strata(ruleset.rules)
        self._max_facts = max_facts

    def initial_state(self) -> frozenset[Term]:
        return frozenset(row[0] for row in self.model(frozenset()).rows(("init", 1)))

    def model(self, state: frozenset[Term], moves: Sequence[Term] = ()) -> Facts:
        """Return every atom that holds in a state, with the joint move if there is one."""
        facts = Facts((("true", 1), (fact,)) for fact in state)
        for role, move in zip(self.roles, moves, strict=bool(moves)):
            facts.add(("does", 2), (role, move))
        return self.complete(facts)

    def complete(self, facts: Facts) -> Facts:
        """Return the facts with all that follows from them."""
        for rules, negates_itself in self._strata:
            find = self._enclosed if negates_itself else self._least
            facts = find(rules, facts, facts)
        return facts

    def _least(self, rules: Sequence[Rule], lower: Facts, negated: Facts) -> Facts:
        """Apply rules until nothing is new; negated atoms are looked up in ``negated``."""
        facts = Facts(lower)
        grows = True
        while grows:
            grows = False
            for rule in rules:
                for bindings in list(solutions(rule.body, {}, facts, negated)):
                    row = tuple(substitute(term, bindings) for term in rule.head.args)
                    grows |= facts.add(rule.head.relation, row)
                    if facts.size > self._max_facts:
                        raise TooLargeError
        return facts

    def _enclosed(self, rules: Sequence[Rule], lower: Facts, certain: Facts) -> Facts:
        """Return the model by the alternating fixpoint: bounds from below and from above.

        With negated atoms looked up in the atoms that hold for certain, too many follow; with them
        looked up in all of those, only atoms that hold for certain follow.
        """
        while True:
            possible = self._least(rules, lower, negated=certain)
            more = self._least(rules, lower, negated=possible)
            if more.size == possible.size:
                return possible
            if more.size == certain.size:
                raise UndefinedError
            certain = more


def of_role(model: Facts, relation: str, role: Term) -> list[Term]:
    """Return the second arguments of a relation's facts about a role."""
    return [value for owner, value in model.rows((relation, 2)) if owner == role]


def solutions(
    body: Sequence[Literal], bindings: Bindings, facts: Facts, negated: Facts
) -> Iterator[Bindings]:
    """Yield all bindings that make a body true; filters come last, when all variables are bound."""
    if not body:
        yield bindings
        return
    at = min(range(len(body)), key=lambda index: URGENCY.index(type(body[index])))
    literal, rest = body[at], [*body[:at], *body[at + 1 :]]
    if isinstance(literal, And):
        yield from solutions([*literal.literals, *rest], bindings, facts, negated)
    elif isinstance(literal, Or):
        for branch in literal.literals:
            yield from solutions([branch, *rest], bindings, facts, negated)
    else:
        for extended in single(literal, bindings, facts, negated):
            yield from solutions(rest, extended, facts, negated)


URGENCY = (Atom, And, Or, Distinct, Not)


def single(
    literal: Atom | Distinct | Not, bindings: Bindings, facts: Facts, negated: Facts
) -> Iterator[Bindings]:
    """Yield all bindings that make one literal true."""
    if isinstance(literal, Atom):
        matches = (match(literal.args, row, bindings) for row in facts.rows(literal.relation))
        yield from (extended for extended in matches if extended is not None)
    elif isinstance(literal, Distinct):
        if substitute(literal.left, bindings) != substitute(literal.right, bindings):
            yield bindings
    elif next(solutions([literal.literal], bindings, negated, facts), None) is None:
        yield bindings


def match(patterns: Sequence[Term], row: Row, bindings: Bindings) -> Bindings | None:
    """Return the bindings under which the patterns equal the row, None if there are none."""
    for pattern, term in zip(patterns, row, strict=True):
        if isinstance(pattern, Variable):
            if bindings.get(pattern.name, term) != term:
                return None
            bindings = {**bindings, pattern.name: term}
        elif isinstance(pattern, Constant) or isinstance(term, Constant):
            if pattern != term:
                return None
        else:
            assert isinstance(term, Function)
            if pattern.name != term.name or len(pattern.args) != len(term.args):
                return None
            inner = match(pattern.args, term.args, bindings)
            if inner is None:
                return None
            bindings = inner
    return bindings


def substitute(term: Term, bindings: Bindings) -> Term:
    if isinstance(term, Variable):
        return bindings[term.name]
    if isinstance(term, Function):
        return Function(term.name, tuple(substitute(part, bindings) for part in term.args))
    return term


def strata(rules: Sequence[Rule]) -> list[tuple[list[Rule], bool]]:
    """Return the rules of each strongly connected component, with whether it negates itself.

    A relation reaches more relations, itself included, than any relation in a stratum below it.
    """
    reached: dict[Relation, frozenset[Relation]] = {}
    negated: dict[Relation, set[Relation]] = defaultdict(set)
    for rule in rules:
        head, uses = rule.head.relation, list(_uses(rule.body))
        reached[head] = reached.get(head, frozenset()).union([head], (used for used, _ in uses))
        negated[head] |= {used for used, negative in uses if negative}
    while reached != (more := _further(reached)):
        reached = more
    found = []
    for reach in sorted(set(reached.values()), key=len):
        own = {head for head, relations in reached.items() if relations == reach}
        component = [rule for rule in rules if rule.head.relation in own]
        found.append((component, any(negated[head] & own for head in own)))
    return found


def _further(
    reached: Mapping[Relation, frozenset[Relation]],
) -> dict[Relation, frozenset[Relation]]:
    return {
        head: relations.union(*(reached.get(relation, ()) for relation in relations))
        for head, relations in reached.items()
    }


def _uses(literals: Iterable[Literal], negative: bool = False) -> Iterator[tuple[Relation, bool]]:
    for literal in literals:
        if isinstance(literal, Atom):
            yield literal.relation, negative
        elif isinstance(literal, Not):
            yield from _uses([literal.literal], True)
        elif isinstance(literal, And | Or):
            yield from _uses(literal.literals, negative)
