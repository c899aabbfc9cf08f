"""Splitting: rules with many variables become several rules with few.

A variable that neither the head nor a move needs is eliminated: the literals that hold it are
joined in an auxiliary relation over their other variables. A rule that had an instance for every
combination of all its variables then has far fewer, as in a tree decomposition of its body. A
split is made only where the estimated number of instances falls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from gdl.reasoning.plans import make_plan
from gdl.reasoning.statistics import Statistics
from gdl.rewrite import substitute
from gdl.ruleset import KEYWORD_ARITY, Atom, Literal, RelationKey, Rule, atoms_of, variables_in
from gdl.terms import Term, Variable, variables_of

SMALL = 300.0
"""Rules with fewer instances are left alone."""

LARGE = 1000.0
"""Relations of a single rule with more rows are written out where they are used."""

GAIN = 0.6
"""A split must leave less than this share of the instances."""


class Splitter:
    """Splits flattened rules; equal auxiliary relations are one.

    ``statistics`` estimate how many rows a relation can have in any state. ``moves`` are the
    relations that hold the joint move: they stay with what they select, so that rules which
    differ in the move alone can be merged later.
    """

    def __init__(self, statistics: Statistics, moves: Collection[RelationKey]) -> None:
        self._statistics = statistics
        self._moves = moves
        self._auxiliary: dict[tuple[Literal, ...], Atom] = {}
        self._made: list[Rule] = []

    def split(self, rules: Iterable[Rule]) -> list[Rule]:
        """Return the rules after splitting, with those of the auxiliary relations."""
        kept = [self._split(rule) for rule in _unfold(list(rules), self._statistics)]
        return [*self._made, *kept]

    def _split(self, rule: Rule) -> Rule:
        while True:
            shorter = self._split_once(rule)
            if shorter is None:
                return rule
            rule = shorter

    def _split_once(self, rule: Rule) -> Rule | None:
        instances = self._instances(rule.body)
        if instances < SMALL:
            return None
        best: tuple[float, Rule, tuple[Literal, ...], tuple[str, ...]] | None = None
        for joined, names in self._choices(rule):
            rest = tuple(literal for literal in rule.body if literal not in joined)
            inner = self._instances(joined)
            outer = self._instances((*rest, self._stand_in(joined, names, inner)))
            if best is None or inner + outer < best[0]:
                best = inner + outer, rule, joined, names
        if best is None or best[0] > GAIN * instances:
            return None
        _, _, joined, names = best
        rest = tuple(literal for literal in rule.body if literal not in joined)
        return Rule(rule.head, (*rest, self._name(joined, names)), rule.span)

    def _choices(self, rule: Rule) -> Iterator[tuple[tuple[Literal, ...], tuple[str, ...]]]:
        """Yield what can be joined to eliminate variables, with the variables that remain.

        The variables of a move go together, all others one by one.
        """
        needed = {v.name for v in variables_in(rule.head)}
        groups: list[set[str]] = []
        for literal in rule.body:
            if any(atom.relation in self._moves for atom, _ in atoms_of(literal)):
                groups.append({v.name for v in variables_in(literal)} - needed)
        of_moves = {name for group in groups for name in group}
        names = dict.fromkeys(v.name for literal in rule.body for v in variables_in(literal))
        groups += [{name} for name in names if name not in needed | of_moves]
        for group in groups:
            joined = tuple(part for part in rule.body if _holds(part, group))
            if not group or len(joined) == len(rule.body):
                continue
            bound = {v.name for p in joined if isinstance(p, Atom) for v in variables_in(p)}
            others = dict.fromkeys(v.name for part in joined for v in variables_in(part))
            remaining = tuple(other for other in others if other not in group)
            if set(others) <= bound and len(others) < len(names):
                yield joined, remaining

    def _instances(self, body: Sequence[Literal]) -> float:
        names = {v.name for literal in body for v in variables_in(literal)}
        return make_plan(self._statistics, body, (), names).rows

    def _stand_in(self, joined: Sequence[Literal], names: Sequence[str], rows: float) -> Atom:
        """Return an atom that has the auxiliary relation's size, for an estimate."""
        atom = Atom(" estimate", tuple(map(Variable, names)))
        sizes = [self._size(joined, name) for name in names]
        self._statistics.suppose(atom.relation, rows, sizes)
        return atom

    def _size(self, joined: Sequence[Literal], name: str) -> float:
        return min(
            self._statistics.distinct(part.relation, column)
            for part in joined
            if isinstance(part, Atom)
            for column, term in enumerate(part.args)
            if Variable(name) in variables_of(term)
        )

    def _name(self, joined: tuple[Literal, ...], names: tuple[str, ...]) -> Atom:
        """Return the atom of the auxiliary relation, made if no rule has needed it yet."""
        local = dict.fromkeys([*names, *(v.name for part in joined for v in variables_in(part))])
        renaming = {name: Variable(f"{i}") for i, name in enumerate(local)}
        body = tuple(sorted((substitute(part, renaming) for part in joined), key=str))
        head = self._auxiliary.get((*body, Atom(" ", tuple(renaming[n] for n in names))))
        if head is None:
            head = Atom(f" split {len(self._auxiliary)}", tuple(renaming[n] for n in names))
            self._auxiliary[(*body, Atom(" ", head.args))] = head
            self._made.append(self._split(Rule(head, body)))
        rows = self._instances(joined)
        sizes = [self._size(joined, name) for name in names]
        self._statistics.suppose(head.relation, rows, sizes)
        return Atom(head.name, tuple(map(Variable, names)))


def _unfold(rules: Sequence[Rule], statistics: Statistics) -> Iterator[Rule]:
    """Yield the rules with large relations of a single rule replaced by that rule's body.

    Only then can a variable be eliminated that the relation holds together with others.
    """
    defined: dict[RelationKey, list[Rule]] = {}
    for rule in rules:
        defined.setdefault(rule.head.relation, []).append(rule)
    single = {
        relation: own[0]
        for relation, own in defined.items()
        if len(own) == 1
        and own[0].body
        and len(set(own[0].head.args)) == len(own[0].head.args)
        and all(isinstance(term, Variable) for term in own[0].head.args)
        and relation not in {atom.relation for part in own[0].body for atom, _ in atoms_of(part)}
        and relation[0] not in KEYWORD_ARITY
        and statistics.rows(relation) > LARGE
    }
    for rule in rules:
        for number, literal in enumerate(rule.body):
            if isinstance(literal, Atom) and literal.relation in single:
                renaming: dict[str, Term] = {}
                definition = single[literal.relation]
                names = {v.name for part in definition.body for v in variables_in(part)}
                # No other variable begins with a blank: flattening appends to names.
                renaming |= {name: Variable(f" {number} {name}") for name in names}
                renaming |= {
                    term.name: value
                    for term, value in zip(definition.head.args, literal.args, strict=True)
                    if isinstance(term, Variable)
                }
                body = tuple(substitute(part, renaming) for part in definition.body)
                rest = tuple(part for part in rule.body if part is not literal)
                rule = Rule(rule.head, (*rest, *body), rule.span)
        yield rule


def _holds(literal: Literal, names: Collection[str]) -> bool:
    return any(variable.name in names for variable in variables_in(literal))
