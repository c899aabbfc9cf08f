"""Rule decomposition: rules with many variables become several rules with few.

A variable that the head does not need is eliminated: the literals that hold it are joined in an
auxiliary relation over their other variables. A rule that had an instance for every combination
of all its variables then has far fewer, as in a tree decomposition of its body. A rule is
decomposed only where the estimated number of instances falls.

A role makes one move. The atom of a move can therefore stand both in the auxiliary rule and in
what is left, each time as a projection to the arguments that are needed there, and these need not
be passed on: ``does(r, m(a, b)), p(a, c), q(b, c)`` becomes ``s(r, c), m2(r, b), q(b, c)`` with
``s(r, c)`` for ``m1(r, a), p(a, c)``.

In huge games the instances of an auxiliary relation count once for all rules that can use it; and
where rules stay large, literals that hold few of their variables become one literal. An auxiliary
relation may also be bound by what an atom can be, as far as the relaxed game has shown:
``legal(k, a), test(a, x)``, which has instances for each kind ``k``, becomes ``legal(k, a), s(a)``
with ``s(a)`` for ``rows(a), test(a, x)``, where ``rows`` states what can be legal of any kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf

import numpy as np
from numpy.typing import NDArray

from gdl.datalog import EMPTY_DOMAIN, ArgumentPosition, Columns, Domain, variable_domains
from gdl.language import (
    Atom,
    Constant,
    Literal,
    RelationKey,
    Rule,
    Variable,
    names_in_order,
    substitute,
    variables_in,
    variables_of,
)
from gdl.rewriting.move_projection import MoveProjections
from gdl.rewriting.rule_analysis import ReachableRows, RuleAnalysis, VariableDomains

MIN_INSTANCES = 60.0
"""Rules with fewer instances are left alone."""

MAX_INSTANCES_LEFT = 0.9
"""A decomposition must leave at most this share of the instances."""

MIN_HUGE_INSTANCES = 20_000.0
"""Of huge games, rules with so many instances share what they can, and are shortened."""

MAX_LITERALS_LEFT = 0.7
"""Shortening must leave at most this share of the literals in all instances."""

MAX_PROJECTED_ROWS = 100_000
"""What atoms of relations with more rows can be is not looked at."""

MAX_EFFORT = 1_000_000
"""Pairs of literals in all candidates that are compared for a game: a second or two of CPU time.

That grows with the fourth power of a rule's length; known games need 60,000 at most. What has been
decomposed by then stays so.
"""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """What may become an auxiliary relation: its body and arguments, and the rest of the rule.

    Without a body, the rest replaces the whole rule's. ``instances`` says how many the body has
    where more is known than its literals tell.
    """

    body: tuple[Literal, ...]
    rest: tuple[Literal, ...]
    names: tuple[str, ...] = ()
    instances: float | None = None


def decompose_rules(analysis: RuleAnalysis) -> list[Rule]:
    """Decompose the rules; those of auxiliary relations come first."""
    return RuleDecomposer(analysis).decompose(analysis.rules)


class RuleDecomposer:
    """Decomposes flattened rules; equal auxiliary relations are one.

    What moves select stays with them unless it can be distinguished by the arguments of the move,
    so that rules which differ in the move alone can be merged in the circuit. The estimates of
    the analysis are given those of the auxiliary relations.
    """

    def __init__(self, analysis: RuleAnalysis) -> None:
        self._min_huge = MIN_HUGE_INSTANCES if analysis.is_huge else inf
        self._projects_moves = analysis.projects_moves
        self._estimator = analysis.estimator
        self._domains = dict(analysis.domains)
        moves = [relation for relation, _ in analysis.flat.moves]
        self._moves = MoveProjections(moves, analysis.estimator, self._domains)
        self._reachable = analysis.reachable or ReachableRows()
        self._symbols = analysis.symbols
        self._domain_relations: dict[frozenset[str], str] = {}
        self._domain_atoms: dict[tuple[str, str], Atom] = {}
        self._row_relations: dict[tuple[RelationKey, Columns], RelationKey] = {}
        self._unstated: dict[RelationKey, NDArray[np.int32]] = {}
        self._auxiliary: dict[tuple[Literal, ...], Atom] = {}
        self._uses: Counter[tuple[Literal, ...]] = Counter()
        self._made: list[Rule] = []
        self._known_instances: dict[tuple[int, ...], tuple[Sequence[Literal], float]] = {}
        self._effort = 0

    def decompose(self, rules: Iterable[Rule]) -> list[Rule]:
        """Decompose rules; those of the auxiliary relations come first."""
        rules = list(rules)
        # Of facts there can be hundreds of thousands.
        pending = {i: (rule, self._values(rule)) for i, rule in enumerate(rules) if rule.body}
        for rule, values in pending.values():
            if self._instances(rule.body) >= self._min_huge:
                candidates = self._candidates(rule, values)
                self._uses.update({_key(one) for one in candidates if one.body})
        for i, (rule, values) in pending.items():
            rules[i] = self._decomposed(rule, values)
        return [*self._moves.rules, *self._made, *rules]

    def _decomposed(self, rule: Rule, values: VariableDomains) -> Rule:
        while True:
            simpler = self._decomposed_once(rule, values)
            if simpler is None:
                return self._shortened(rule, values)
            rule = simpler

    def _values(self, rule: Rule) -> VariableDomains:
        """Find what each variable can be, by the body and by the domains of the head."""
        values = variable_domains(rule, self._domains) or {}
        for column, term in enumerate(rule.head.args):
            known = self._domains.get(ArgumentPosition(True, *rule.head.relation, column))
            if known is not None and isinstance(term, Variable) and term.name in values:
                values[term.name] = values[term.name] & known
        return values

    def _decomposed_once(self, rule: Rule, values: VariableDomains) -> Rule | None:
        instances = self._instances(rule.body)
        if instances < MIN_INSTANCES:
            return None
        least = MAX_INSTANCES_LEFT * instances
        best: _Candidate | None = None
        for candidate in self._candidates(rule, values):
            self._effort += (len(candidate.body) + len(candidate.rest)) ** 2
            if self._effort > MAX_EFFORT:
                break
            cost = self._cost(candidate, least)
            if cost < least or (cost == least and best is None):
                least, best = cost, candidate
        if best is None:
            return None
        relations = _relations(best.body + best.rest)
        self._moves.define(relations)
        self._state_rows(relations)
        auxiliary = (self._atom(best, values),) if best.body else ()
        return Rule(rule.head, (*best.rest, *auxiliary), rule.span)

    def _cost(self, candidate: _Candidate, limit: float) -> float:
        """Estimate how many instances there are after a decomposition, if not over the limit.

        Those of an auxiliary relation are shared by the rules that can use it.
        """
        cost = self._moves.cost(_relations(candidate.body + candidate.rest))
        if not candidate.body:
            return cost + self._instances(candidate.rest)
        inner = self._inner(candidate)
        uses = self._uses[_key(candidate)] if self._uses else 0
        if uses > 1:
            whole = candidate.body + candidate.rest
            inner = min(inner, self._estimator.instances(whole, names_in_order(candidate.body)))
        cost += inner / max(1, uses)
        if cost > limit:
            return cost
        rest = (*candidate.rest, self._stand_in(candidate, inner))
        return cost + self._estimator.instances(rest, names_in_order(rest))

    def _shortened(self, rule: Rule, values: VariableDomains) -> Rule:
        """Make one literal of those that hold few of the variables of a large rule."""
        instances = self._instances(rule.body)
        if instances < self._min_huge or any(map(self._moves.holds_move, rule.body)):
            return rule
        best: tuple[float, _Candidate] | None = None
        for candidate in _shorter(rule):
            inner = self._instances(candidate.body)
            cost = inner * (1 + len(candidate.body)) + instances * (2 + len(candidate.rest))
            if best is None or cost < best[0]:
                best = cost, candidate
        if best is None or best[0] > MAX_LITERALS_LEFT * instances * (1 + len(rule.body)):
            return rule
        return Rule(rule.head, (*best[1].rest, self._atom(best[1], values)), rule.span)

    # ------------------------------------------------------------------ candidates

    def _candidates(self, rule: Rule, values: VariableDomains) -> Iterator[_Candidate]:
        """Yield what can be joined to eliminate variables.

        A variable that remains but that only filters of the joined literals hold is bound by an
        atom of its domain.
        """
        every = names_in_order(rule.body)
        for group in self._groups(rule):
            joined = tuple(part for part in rule.body if _holds(part, group))
            others = names_in_order(joined)
            if group and len(joined) < len(rule.body) and len(others) < len(every):
                body = self._bound(joined, group, values)
                if body:
                    rest = tuple(part for part in rule.body if part not in joined)
                    yield _Candidate(body, rest, tuple(n for n in others if n not in group))
        for part in rule.body if self._projects_moves else ():
            if isinstance(part, Atom) and self._moves.is_move(part):
                yield from self._candidates_by_move(rule, part, values)
        if self._instances(rule.body) >= self._min_huge:
            yield from self._candidates_by_rows(rule)

    def _groups(self, rule: Rule) -> Iterator[frozenset[str]]:
        """Yield the variables that may be eliminated together.

        The variables of a move go together; so do variables that the same literals hold, and two
        such groups that share a literal.
        """
        moves = [part for part in rule.body if self._moves.holds_move(part)]
        of_moves = frozenset(names_in_order(moves))
        needed = frozenset(names_in_order([rule.head]))
        for part in moves:
            yield frozenset(names_in_order([part])) - needed
        yield from _alike(rule.body, needed | of_moves)

    def _candidates_by_move(
        self, rule: Rule, move: Atom, values: VariableDomains
    ) -> Iterator[_Candidate]:
        """Yield what can be joined with one projection of a move, and the rest with another."""
        others = tuple(part for part in rule.body if part != move)
        role = {v.name for v in variables_of(move.args[0])}
        needed = frozenset(names_in_order([rule.head]))
        projected = self._moves.project(move, {*needed, *names_in_order(others)})
        if projected != move:
            yield _Candidate((), (*others, projected))
        for group in _alike(others, needed | role):
            joined = tuple(part for part in others if _holds(part, group))
            rest = tuple(part for part in others if part not in joined)
            inside, outside = set(names_in_order(joined)), needed.union(names_in_order(rest))
            selected = set(names_in_order([move])) - role
            if not selected & inside:
                continue
            body = self._bound((self._moves.project(move, inside), *joined), group, values)
            if body:
                names = (n for n in names_in_order([move, *joined]) if n not in group | selected)
                if selected & outside:
                    rest = (*rest, self._moves.project(move, outside))
                passed = tuple(name for name in names if name in outside or name in role)
                yield _Candidate(body, rest, passed)

    def _candidates_by_rows(self, rule: Rule) -> Iterator[_Candidate]:
        """Yield what can be joined with what an atom that holds the head's variables can be.

        Variables that only this atom and filters of it hold are left out, so that there are fewer
        such rows than the atom has.
        """
        if any(map(self._moves.holds_move, rule.body)):
            return
        for atom in _atoms(rule.body):
            held = set(names_in_order([atom]))
            rest = tuple(part for part in rule.body if held.issuperset(names_in_order([part])))
            joined = tuple(part for part in rule.body if part not in rest)
            names = tuple(name for name in names_in_order(joined) if name in held)
            if not names or not held.issuperset(names_in_order([rule.head])):
                continue
            rows = self._row_atom(atom, names)
            if rows is not None:
                share = self._estimator.rows(rows.relation) / self._estimator.rows(atom.relation)
                yield _Candidate((*joined, rows), rest, names, share * self._instances(rule.body))

    def _row_atom(self, atom: Atom, names: Sequence[str]) -> Atom | None:
        """Make an atom of a relation of what some variables of an atom can be together.

        None where the relaxed game has not shown that, or it is too much to be stated.
        """
        table = self._reachable.tables.get(atom.relation)
        column_of = {
            term.name: column for column, term in enumerate(atom.args) if isinstance(term, Variable)
        }
        if not column_of.keys() >= {*names}:
            return None
        if table is None or not 0 < len(table) <= MAX_PROJECTED_ROWS:
            return None
        columns = tuple(column_of[name] for name in names)
        relation = self._row_relations.get((atom.relation, columns))
        if relation is None:
            relation = f" rows {len(self._row_relations)}", len(columns)
            self._row_relations[atom.relation, columns] = relation
            self._suppose_rows(relation, np.unique(table[:, columns], axis=0))
        return Atom(relation[0], tuple(map(Variable, names)))

    def _suppose_rows(self, relation: RelationKey, rows: NDArray[np.int32]) -> None:
        self._unstated[relation] = rows
        held = [np.unique(column).tolist() for column in rows.T]
        self._estimator.set_estimate(relation, len(rows), list(map(len, held)))
        for column, numbers in enumerate(held):
            domain = self._domains[ArgumentPosition(True, *relation, column)] = Domain()
            for number in numbers:
                domain.add(Domain.of(self._symbols.decode(number)))

    def _state_rows(self, relations: Collection[RelationKey]) -> None:
        """State the rows of those relations that need it and have not been stated so far."""
        for relation in sorted(self._unstated.keys() & relations):
            rows = self._unstated.pop(relation)
            terms = {number: self._symbols.decode(number) for number in np.unique(rows).tolist()}
            for row in rows.tolist():
                head = Atom(relation[0], tuple(map(terms.__getitem__, row)))
                self._made.append(Rule(head, ()))

    def _bound(
        self, joined: tuple[Literal, ...], group: Collection[str], values: VariableDomains
    ) -> tuple[Literal, ...]:
        """Add atoms for the variables that none of the literals binds.

        The result is empty where a variable of the group is not bound, or a domain not finite.
        """
        bound = names_in_order(part for part in joined if isinstance(part, Atom))
        unbound = [name for name in names_in_order(joined) if name not in bound]
        if any(name in group or not _is_finite(values.get(name)) for name in unbound):
            return ()
        return (*joined, *(self._domain_atom(name, values[name]) for name in unbound))

    def _domain_atom(self, name: str, domain: Domain) -> Atom:
        """Make an atom of a relation that holds the constants of a domain."""
        key = frozenset(domain.constants)
        known = self._domain_relations.get(key)
        if known is None:
            known = self._domain_relations[key] = f" domain {len(self._domain_relations)}"
            self._made += [Rule(Atom(known, (Constant(value),)), ()) for value in sorted(key)]
            self._estimator.set_estimate((known, 1), len(key), [len(key)])
            self._domains[ArgumentPosition(True, known, 1, 0)] = domain
        atom = self._domain_atoms.get((known, name))
        if atom is None:
            atom = self._domain_atoms[known, name] = Atom(known, (Variable(name),))
        return atom

    # ------------------------------------------------------------------ auxiliary relations

    def _instances(self, body: Sequence[Literal]) -> float:
        """Estimate the instances of a body; the same literals are only looked at once."""
        key = tuple(map(id, body))
        known = self._known_instances.get(key)
        if known is None:
            rows = self._estimator.instances(body, names_in_order(body))
            known = self._known_instances[key] = body, rows  # which keeps the literals and ids
        return known[1]

    def _inner(self, candidate: _Candidate) -> float:
        known = candidate.instances
        return self._instances(candidate.body) if known is None else known

    def _stand_in(self, candidate: _Candidate, rows: float) -> Atom:
        """Make an atom of the size of the auxiliary relation, for an estimate."""
        atom = Atom(" estimate", tuple(map(Variable, candidate.names)))
        self._suppose(candidate, atom.relation, rows)
        return atom

    def _suppose(self, candidate: _Candidate, relation: RelationKey, rows: float) -> None:
        sizes = [self._size(candidate.body, name) for name in candidate.names]
        self._estimator.set_estimate(relation, rows, sizes)

    def _size(self, joined: Sequence[Literal], name: str) -> float:
        return min(
            self._estimator.distinct(part.relation, column)
            for part in joined
            if isinstance(part, Atom)
            for column, term in enumerate(part.args)
            if Variable(name) in variables_of(term)
        )

    def _atom(self, candidate: _Candidate, values: VariableDomains) -> Atom:
        """Make the atom of the auxiliary relation, and define the relation when first needed."""
        key = _key(candidate)
        head = self._auxiliary.get(key)
        if head is None:
            *body, own = key
            assert isinstance(own, Atom)
            head = self._auxiliary[key] = Atom(f" split {len(self._auxiliary)}", own.args)
            for column, name in enumerate(candidate.names):
                self._domains[ArgumentPosition(True, *head.relation, column)] = values.get(
                    name, EMPTY_DOMAIN
                )
            made = Rule(head, tuple(body))
            uses = self._uses.pop(key, 0)  # A relation is of no use to its own definition.
            self._made.append(self._decomposed(made, variable_domains(made, self._domains) or {}))
            self._uses[key] = uses
        self._suppose(candidate, head.relation, self._inner(candidate))
        return Atom(head.name, tuple(map(Variable, candidate.names)))


def _key(candidate: _Candidate) -> tuple[Literal, ...]:
    """Identify an auxiliary relation by its body and an atom of its arguments, with new names."""
    local = dict.fromkeys([*candidate.names, *names_in_order(candidate.body)])
    renaming = {name: Variable(f"{i}") for i, name in enumerate(local)}
    body = sorted((substitute(part, renaming) for part in candidate.body), key=str)
    return (*body, Atom(" ", tuple(renaming[name] for name in candidate.names)))


def _shorter(rule: Rule) -> Iterator[_Candidate]:
    """Yield what can become one literal because it does not hold some variables."""
    for group in _alike(rule.body, ()):
        apart = [part for part in rule.body if not _holds(part, group)]
        bound = names_in_order(part for part in apart if isinstance(part, Atom))
        body = tuple(part for part in apart if set(names_in_order([part])) <= set(bound))
        rest = tuple(part for part in rule.body if part not in body)
        needed = names_in_order([rule.head, *rest])
        if len(body) > 1:
            yield _Candidate(body, rest, tuple(name for name in bound if name in needed))


def _holds(literal: Literal, names: Collection[str]) -> bool:
    return any(variable.name in names for variable in variables_in(literal))


def _is_finite(domain: Domain | None) -> bool:
    """Return True if a domain can be written as facts."""
    return domain is not None and bool(domain.constants) and not domain.functions


def _atoms(literals: Iterable[Literal]) -> Iterator[Atom]:
    return (part for part in literals if isinstance(part, Atom))


def _relations(literals: Iterable[Literal]) -> set[RelationKey]:
    return {atom.relation for atom in _atoms(literals)}


def _alike(literals: Sequence[Literal], kept: Collection[str]) -> Iterator[frozenset[str]]:
    """Yield groups of variables that the same literals hold, leaving out the ``kept`` ones.

    After these come pairs of such groups that share a literal.
    """
    holders: dict[frozenset[int], list[str]] = {}
    for name in names_in_order(literals):
        if name not in kept:
            held_by = [i for i, part in enumerate(literals) if _holds(part, (name,))]
            holders.setdefault(frozenset(held_by), []).append(name)
    for names in holders.values():
        yield frozenset(names)
    for (where, names), (there, others) in combinations(holders.items(), 2):
        if where & there:
            yield frozenset([*names, *others])
