"""Relevance: wide relations are grounded only for the arguments that somebody can ask for.

A relation of seven arguments may have millions of instances of which its callers can meet a few
thousand. What they can meet is found in a relaxed game, in which every fact that is ever possible
holds at once and nothing is negated: a rule that holds in some state holds there too. Its
relations are static, so that grounding evaluates them away, and they give each wide relation a
guard: the keys that are asked for.

Source: C. Beeri and R. Ramakrishnan, On the power of magic (1991), applied to a relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from gdl.datalog import CardinalityEstimator, Level, is_keyword_relation
from gdl.grounding.asked_arguments import find_keys, occurrences
from gdl.language import Atom, Literal, RelationKey, Rule, Variable, atoms_of, by_relation, names_in

WIDE = 100_000
"""Relations whose arguments can be combined in more ways are guarded by what is asked for."""

FAIRLY_WIDE = 256
"""So are those with fewer, but more than this, that ask for guarded ones."""


def guard_wide_relations(
    rules: Sequence[Rule],
    flows: Iterable[tuple[RelationKey, RelationKey]],
    level_of: Callable[[RelationKey], Level],
    statistics: CardinalityEstimator,
) -> list[Rule]:
    """Return the rules with guards, and the rules of the relaxed game that the guards need.

    ``flows`` are pairs of relations: rows of the first can come to be rows of the second.
    ``statistics`` say how many rows the relations can have in any state.
    """
    wide = _wide_relations(rules, statistics)
    return _Relaxation(rules, flows, level_of, wide, statistics).rules()


def _wide_relations(rules: Sequence[Rule], statistics: CardinalityEstimator) -> list[RelationKey]:
    """Return the relations that may be worth a guard."""
    size = {
        relation: statistics.domain_size(relation)
        for relation in dict.fromkeys(rule.head.relation for rule in rules)
        if not is_keyword_relation(relation)
    }
    wide = {relation for relation in size if size[relation] > WIDE}
    asking = [
        (rule.head.relation, {atom.relation for part in rule.body for atom, _ in atoms_of(part)})
        for rule in rules
        if size.get(rule.head.relation, 0.0) > FAIRLY_WIDE
    ]
    while added := {relation for relation, asked in asking if asked & wide} - wide:
        wide |= added
    return [relation for relation in size if relation in wide]


class _Relaxation:
    def __init__(
        self,
        rules: Sequence[Rule],
        flows: Iterable[tuple[RelationKey, RelationKey]],
        level_of: Callable[[RelationKey], Level],
        wide: Sequence[RelationKey],
        statistics: CardinalityEstimator,
    ) -> None:
        self._rules = rules
        self._defined = by_relation(rules)
        self._origins: dict[RelationKey, list[RelationKey]] = {}
        for origin, target in flows:
            self._origins.setdefault(target, []).append(origin)
        self._level_of = level_of
        self._wide = frozenset(wide)
        self._keys = find_keys(rules, self._wide, statistics) if wide else {}
        self._wanted: list[RelationKey] = []

    def rules(self) -> list[Rule]:
        """Return all rules."""
        if not self._keys:
            return list(self._rules)
        guarded = [self._guarded(rule) for rule in self._rules]
        guards = [guard for rule in self._rules for guard in self._guards(rule)]
        relaxed: list[Rule] = []
        done = 0
        while done < len(self._wanted):
            relaxed += self._relaxed_rules(self._wanted[done])
            done += 1
        return [*guarded, *dict.fromkeys(guards), *relaxed]

    # ------------------------------------------------------------------ guards

    def _guard(self, atom: Atom) -> Atom:
        columns = self._keys[atom.relation]
        name = f" asked {atom.name} {len(atom.args)}"
        return Atom(name, tuple(atom.args[column] for column in columns))

    def _guarded(self, rule: Rule) -> Rule:
        if rule.head.relation not in self._keys:
            return rule
        return Rule(rule.head, (self._guard(rule.head), *rule.body), rule.span)

    def _guards(self, rule: Rule) -> Iterator[Rule]:
        """Yield the rules for what a rule asks of wide relations."""
        for atom, passed in occurrences(rule, self._wide):
            if atom.relation not in self._keys:
                continue
            guard = self._guard(atom)
            body = tuple(_connected(self._asking_body(rule, passed), names_in([guard])))
            if guard not in body:
                yield Rule(guard, body)

    # ------------------------------------------------------------------ the relaxed game

    def _asking_body(self, rule: Rule, passed: Sequence[Atom]) -> list[Literal]:
        """Return what must hold in the relaxed game before a rule asks for more."""
        body: list[Literal] = []
        if rule.head.relation in self._keys:
            body.append(self._guard(rule.head))
        body += map(self._relaxed, passed)
        known = names_in(body)
        filters = [part for part in rule.body if not isinstance(part, Atom)]
        body += [part for part in filters if self._is_static(part) and names_in([part]) <= known]
        return body

    def _is_static(self, literal: Literal) -> bool:
        return all(
            self._level_of(atom.relation) is Level.STATIC and atom.relation not in self._keys
            for atom, _ in atoms_of(literal)
        )

    def _relaxed(self, atom: Atom) -> Atom:
        """Return the atom of the relaxed game; static ones are as they are."""
        if self._level_of(atom.relation) is Level.STATIC and atom.relation not in self._keys:
            return atom
        if atom.relation not in self._wanted:
            self._wanted.append(atom.relation)
        return Atom(f" possible {atom.name}", atom.args)

    def _relaxed_rules(self, relation: RelationKey) -> Iterator[Rule]:
        columns = tuple(Variable(str(i)) for i in range(relation[1]))
        for origin in self._origins.get(relation, ()):
            body = self._relaxed(Atom(origin[0], columns))
            yield Rule(Atom(f" possible {relation[0]}", columns), (body,))
        for rule in self._defined.get(relation, ()):
            body_all: list[Literal] = []
            if relation in self._keys:
                body_all.append(self._guard(rule.head))
            for literal in rule.body:
                if isinstance(literal, Atom):
                    body_all.append(self._relaxed(literal))
                elif self._is_static(literal):
                    body_all.append(literal)
            yield Rule(Atom(f" possible {relation[0]}", rule.head.args), tuple(body_all))


def _connected(body: Sequence[Literal], needed: set[str]) -> Iterator[Literal]:
    """Yield the literals that share variables, directly or not, with the needed ones."""
    names = set(needed)
    pending = list(body)
    while True:
        linked = [part for part in pending if names_in([part]) & names]
        if not linked:
            return
        for part in linked:
            names |= names_in([part])
            yield part
        pending = [part for part in pending if part not in linked]
