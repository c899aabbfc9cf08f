"""Splitting: rules with many variables become several rules with few.

A variable that the head does not need is eliminated: the literals that hold it are joined in an
auxiliary relation over their other variables. A rule that had an instance for every combination
of all its variables then has far fewer, as in a tree decomposition of its body. A split is made
only where the estimated number of instances falls.

A role makes one move. An atom that holds it can therefore stand on both sides of a split, each
time with those of the move's arguments alone that the side needs, and what both sides say of
them need not be passed on: ``does(r, m(a, b)), p(a, c), q(b, c)`` becomes ``s(r, c), m2(r, b),
q(b, c)`` with ``s(r, c)`` for ``m1(r, a), p(a, c)``.

In huge games the instances of an auxiliary relation count once for all rules that can use it; and
where rules stay large, literals that hold few of their variables become one literal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import TypeAlias

from gdl.datalog import (
    EMPTY,
    ArgumentPosition,
    CardinalityEstimator,
    Domain,
    Domains,
    variable_domains,
)
from gdl.grounding.inlining import unfold
from gdl.grounding.move_projection import MoveProjections
from gdl.language import (
    Atom,
    Constant,
    Literal,
    RelationKey,
    Rule,
    Variable,
    substitute,
    variables_in,
    variables_of,
)

SMALL = 60.0
"""Rules with fewer instances are left alone."""

GAIN = 0.9
"""A split must leave less than this share of the instances."""

MANY = 20_000.0
"""Of huge games, rules with more instances share what they can, and are shortened."""

SHORTER = 0.7
"""Shortening must leave less than this share of the literals in all instances."""

Values: TypeAlias = Mapping[str, Domain]
"""What each variable of a rule can be."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """What may become an auxiliary relation: its body and arguments, and what is left over.

    Without a body, what is left over replaces the whole.
    """

    body: tuple[Literal, ...]
    rest: tuple[Literal, ...]
    names: tuple[str, ...] = ()


class Splitter:
    """Splits flattened rules; equal auxiliary relations are one.

    ``statistics`` estimate how many rows a relation can have in any state. ``moves`` are the
    relations that hold the joint move; what they select stays with them unless it can be told
    apart by the move's arguments, so that rules which differ in the move alone can be merged
    later. A game ``is_huge`` where splitting each rule by itself leaves too many instances.
    """

    def __init__(
        self,
        statistics: CardinalityEstimator,
        moves: Collection[RelationKey],
        domains: Domains,
        is_huge: bool = False,
    ) -> None:
        self._many = MANY if is_huge else inf
        self._statistics = statistics
        self._domains = dict(domains)
        self._moves = MoveProjections(moves, statistics, self._domains)
        self._domain_relations: dict[frozenset[str], str] = {}
        self._auxiliary: dict[tuple[Literal, ...], Atom] = {}
        self._uses: Counter[tuple[Literal, ...]] = Counter()
        self._made: list[Rule] = []

    def split(self, rules: Iterable[Rule]) -> list[Rule]:
        """Return the rules after splitting, with those of the auxiliary relations."""
        pending = [(rule, self._values(rule)) for rule in unfold(list(rules), self._statistics)]
        for rule, values in pending:
            if self._instances(rule.body) >= self._many:
                choices = self._choices(rule, values)
                self._uses.update({_key(choice) for choice in choices if choice.body})
        kept = [self._split(rule, values) for rule, values in pending]
        return [*self._moves.rules, *self._made, *kept]

    def _split(self, rule: Rule, values: Values) -> Rule:
        while True:
            shorter = self._split_once(rule, values)
            if shorter is None:
                return self._shortened(rule, values)
            rule = shorter

    def _values(self, rule: Rule) -> Values:
        """Return what each variable can be, by the body and by what the head can be."""
        values = variable_domains(rule, self._domains) or {}
        for column, term in enumerate(rule.head.args):
            known = self._domains.get(ArgumentPosition(True, *rule.head.relation, column))
            if known is not None and isinstance(term, Variable) and term.name in values:
                values[term.name] = values[term.name] & known
        return values

    def _split_once(self, rule: Rule, values: Values) -> Rule | None:
        instances = self._instances(rule.body)
        if instances < SMALL:
            return None
        best: tuple[float, _Choice] | None = None
        for choice in self._choices(rule, values):
            cost = self._cost(choice)
            if best is None or cost < best[0]:
                best = cost, choice
        if best is None or best[0] > GAIN * instances:
            return None
        choice = best[1]
        self._moves.define(_relations(choice.body + choice.rest))
        auxiliary = (self._name(choice, values),) if choice.body else ()
        return Rule(rule.head, (*choice.rest, *auxiliary), rule.span)

    def _cost(self, choice: _Choice) -> float:
        """Return how many instances there are after a split, estimated.

        Those of an auxiliary relation are shared by the rules that can use it.
        """
        cost = self._moves.cost(_relations(choice.body + choice.rest))
        if not choice.body:
            return cost + self._instances(choice.rest)
        inner = self._instances(choice.body)
        uses = self._uses[_key(choice)] if self._uses else 0
        if uses > 1:
            asked = self._statistics.instances(choice.body + choice.rest, _names(choice.body))
            inner = min(inner, asked)
        rest = self._instances((*choice.rest, self._stand_in(choice, inner)))
        return cost + rest + inner / max(1, uses)

    def _shortened(self, rule: Rule, values: Values) -> Rule:
        """Return a rule, if it is large, with literals that hold few variables made into one."""
        instances = self._instances(rule.body)
        if instances < self._many or any(map(self._moves.holds_move, rule.body)):
            return rule
        best: tuple[float, _Choice] | None = None
        for choice in _shorter(rule):
            inner = self._instances(choice.body)
            cost = inner * (1 + len(choice.body)) + instances * (2 + len(choice.rest))
            if best is None or cost < best[0]:
                best = cost, choice
        if best is None or best[0] > SHORTER * instances * (1 + len(rule.body)):
            return rule
        return Rule(rule.head, (*best[1].rest, self._name(best[1], values)), rule.span)

    # ------------------------------------------------------------------ choices

    def _choices(self, rule: Rule, values: Values) -> Iterator[_Choice]:
        """Yield what can be joined to eliminate variables.

        A variable that remains but that only filters of the joined literals hold is bound by an
        atom of its domain.
        """
        every = _names(rule.body)
        for group in self._groups(rule):
            joined = tuple(part for part in rule.body if _holds(part, group))
            others = _names(joined)
            if group and len(joined) < len(rule.body) and len(others) < len(every):
                body = self._bound(joined, group, values)
                if body:
                    rest = tuple(part for part in rule.body if part not in joined)
                    yield _Choice(body, rest, tuple(n for n in others if n not in group))
        for part in rule.body:
            if isinstance(part, Atom) and self._moves.tells_move(part):
                yield from self._choices_by_move(rule, part, values)

    def _groups(self, rule: Rule) -> Iterator[frozenset[str]]:
        """Yield the variables that may be eliminated together.

        The variables of a move go together; so do variables that the same literals hold, and two
        such groups that share a literal.
        """
        moves = [part for part in rule.body if self._moves.holds_move(part)]
        of_moves = frozenset(_names(moves))
        needed = frozenset(_names([rule.head]))
        for part in moves:
            yield frozenset(_names([part])) - needed
        yield from _alike(rule.body, needed | of_moves)

    def _choices_by_move(self, rule: Rule, move: Atom, values: Values) -> Iterator[_Choice]:
        """Yield what can be joined with a move's atom so that the atom stands on both sides."""
        others = tuple(part for part in rule.body if part != move)
        role = {v.name for v in variables_of(move.args[0])}
        needed = frozenset(_names([rule.head]))
        projected = self._moves.project(move, {*needed, *_names(others)})
        if projected != move:
            yield _Choice((), (*others, projected))
        for group in _alike(others, needed | role):
            joined = tuple(part for part in others if _holds(part, group))
            rest = tuple(part for part in others if part not in joined)
            inside, outside = set(_names(joined)), needed.union(_names(rest))
            selected = set(_names([move])) - role
            if not selected & inside:
                continue
            body = self._bound((self._moves.project(move, inside), *joined), group, values)
            if body:
                names = (n for n in _names([move, *joined]) if n not in group | selected)
                if selected & outside:
                    rest = (*rest, self._moves.project(move, outside))
                passed = tuple(name for name in names if name in outside or name in role)
                yield _Choice(body, rest, passed)

    def _bound(
        self, joined: tuple[Literal, ...], group: Collection[str], values: Values
    ) -> tuple[Literal, ...]:
        """Return literals with atoms for the variables that none of them binds.

        Nothing is returned where one of the group is not bound, or a domain is not finite.
        """
        bound = _names(part for part in joined if isinstance(part, Atom))
        unbound = [name for name in _names(joined) if name not in bound]
        if any(name in group or not _is_finite(values.get(name)) for name in unbound):
            return ()
        return (*joined, *(self._domain_atom(name, values[name]) for name in unbound))

    def _domain_atom(self, name: str, domain: Domain) -> Atom:
        """Return the atom of a relation that holds a domain's constants."""
        key = frozenset(domain.constants)
        known = self._domain_relations.get(key)
        if known is None:
            known = self._domain_relations[key] = f" domain {len(self._domain_relations)}"
            self._made += [Rule(Atom(known, (Constant(value),)), ()) for value in sorted(key)]
            self._statistics.set_estimate((known, 1), len(key), [len(key)])
            self._domains[ArgumentPosition(True, known, 1, 0)] = domain
        return Atom(known, (Variable(name),))

    # ------------------------------------------------------------------ auxiliary relations

    def _instances(self, body: Sequence[Literal]) -> float:
        return self._statistics.instances(body, _names(body))

    def _stand_in(self, choice: _Choice, rows: float) -> Atom:
        """Return an atom that has the auxiliary relation's size, for an estimate."""
        atom = Atom(" estimate", tuple(map(Variable, choice.names)))
        self._suppose(choice, atom.relation, rows)
        return atom

    def _suppose(self, choice: _Choice, relation: RelationKey, rows: float) -> None:
        sizes = [self._size(choice.body, name) for name in choice.names]
        self._statistics.set_estimate(relation, rows, sizes)

    def _size(self, joined: Sequence[Literal], name: str) -> float:
        return min(
            self._statistics.distinct(part.relation, column)
            for part in joined
            if isinstance(part, Atom)
            for column, term in enumerate(part.args)
            if Variable(name) in variables_of(term)
        )

    def _name(self, choice: _Choice, values: Values) -> Atom:
        """Return the atom of the auxiliary relation, made if no rule has needed it yet."""
        key = _key(choice)
        head = self._auxiliary.get(key)
        if head is None:
            *body, own = key
            assert isinstance(own, Atom)
            head = self._auxiliary[key] = Atom(f" split {len(self._auxiliary)}", own.args)
            for column, name in enumerate(choice.names):
                self._domains[ArgumentPosition(True, *head.relation, column)] = values.get(
                    name, EMPTY
                )
            made = Rule(head, tuple(body))
            uses = self._uses.pop(key, 0)  # A relation is of no use to its own definition.
            self._made.append(self._split(made, variable_domains(made, self._domains) or {}))
            self._uses[key] = uses
        self._suppose(choice, head.relation, self._instances(choice.body))
        return Atom(head.name, tuple(map(Variable, choice.names)))


def _key(choice: _Choice) -> tuple[Literal, ...]:
    """Return the body of an auxiliary relation and an atom of its arguments, with new names."""
    local = dict.fromkeys([*choice.names, *_names(choice.body)])
    renaming = {name: Variable(f"{i}") for i, name in enumerate(local)}
    body = sorted((substitute(part, renaming) for part in choice.body), key=str)
    return (*body, Atom(" ", tuple(renaming[name] for name in choice.names)))


def _shorter(rule: Rule) -> Iterator[_Choice]:
    """Yield what can become one literal because it does not hold some variables."""
    for group in _alike(rule.body, ()):
        apart = [part for part in rule.body if not _holds(part, group)]
        bound = _names(part for part in apart if isinstance(part, Atom))
        body = tuple(part for part in apart if set(_names([part])) <= set(bound))
        rest = tuple(part for part in rule.body if part not in body)
        needed = _names([rule.head, *rest])
        if len(body) > 1:
            yield _Choice(body, rest, tuple(name for name in bound if name in needed))


def _names(literals: Iterable[Literal]) -> list[str]:
    """Return the names of the variables in some literals, each once, in their order."""
    return list(dict.fromkeys(v.name for literal in literals for v in variables_in(literal)))


def _holds(literal: Literal, names: Collection[str]) -> bool:
    return any(variable.name in names for variable in variables_in(literal))


def _is_finite(domain: Domain | None) -> bool:
    """Tell whether a domain can be written as facts."""
    return domain is not None and bool(domain.constants) and not domain.functions


def _relations(literals: Iterable[Literal]) -> set[RelationKey]:
    return {part.relation for part in literals if isinstance(part, Atom)}


def _alike(literals: Sequence[Literal], kept: Collection[str]) -> Iterator[frozenset[str]]:
    """Yield the variables, but for some, that the same literals hold, in groups.

    After these come pairs of such groups that share a literal.
    """
    holders: dict[frozenset[int], list[str]] = {}
    for name in _names(literals):
        if name not in kept:
            held_by = [i for i, part in enumerate(literals) if _holds(part, (name,))]
            holders.setdefault(frozenset(held_by), []).append(name)
    for names in holders.values():
        yield frozenset(names)
    for (where, names), (there, others) in combinations(holders.items(), 2):
        if where & there:
            yield frozenset([*names, *others])
