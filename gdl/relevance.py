"""Relevance: wide relations are grounded only for the arguments that somebody can ask for.

A relation of seven arguments may have millions of instances of which its callers can meet a few
thousand. What they can meet is found in a relaxed game, in which every fact that is ever possible
holds at once and nothing is negated: a rule that holds in some state holds there too. Its
relations are static, so that grounding evaluates them away, and they give each wide relation a
guard: the keys that are asked for.

Source: C. Beeri and R. Ramakrishnan, On the power of magic (1991), applied to a relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gdl.dependencies import Level
from gdl.reasoning.plans import Columns
from gdl.ruleset import (
    KEYWORD_ARITY,
    Atom,
    Literal,
    RelationKey,
    Rule,
    atoms_of,
    variables_in,
)
from gdl.terms import Variable, variables_of


def guard_wide_relations(
    rules: Sequence[Rule],
    flows: Iterable[tuple[RelationKey, RelationKey]],
    level_of: Callable[[RelationKey], Level],
    is_wide: Callable[[RelationKey], bool],
) -> list[Rule]:
    """Return the rules with guards, and the rules of the relaxed game that the guards need.

    ``flows`` are pairs of relations: rows of the first can come to be rows of the second.
    """
    return _Relaxation(rules, flows, level_of, is_wide).rules()


class _Relaxation:
    def __init__(
        self,
        rules: Sequence[Rule],
        flows: Iterable[tuple[RelationKey, RelationKey]],
        level_of: Callable[[RelationKey], Level],
        is_wide: Callable[[RelationKey], bool],
    ) -> None:
        self._rules = rules
        self._defined: dict[RelationKey, list[Rule]] = {}
        for rule in rules:
            self._defined.setdefault(rule.head.relation, []).append(rule)
        self._origins: dict[RelationKey, list[RelationKey]] = {}
        for origin, target in flows:
            self._origins.setdefault(target, []).append(origin)
        self._level_of = level_of
        wide = [r for r in self._defined if r[0].split(" ")[0] not in KEYWORD_ARITY and is_wide(r)]
        self._keys = self._find_keys(wide)
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

    def _find_keys(self, wide: Sequence[RelationKey]) -> dict[RelationKey, Columns]:
        """Return the columns of each wide relation that are bound wherever it is asked for."""
        keys = {relation: tuple(range(relation[1])) for relation in wide}
        changed = True
        while changed:
            changed = False
            for rule in self._rules:
                known = self._known(rule, keys)
                for atom in self._occurrences(rule, keys):
                    before = keys[atom.relation]
                    after = tuple(
                        column
                        for column in before
                        if all(v.name in known for v in variables_of(atom.args[column]))
                    )
                    if after != before:
                        keys[atom.relation] = after
                        changed = True
        return {relation: columns for relation, columns in keys.items() if columns}

    def _occurrences(self, rule: Rule, keys: Mapping[RelationKey, Columns]) -> Iterator[Atom]:
        for literal in rule.body:
            for atom, _ in atoms_of(literal):
                if atom.relation in keys:
                    yield atom

    def _known(self, rule: Rule, keys: Mapping[RelationKey, Columns]) -> set[str]:
        """Return the variables that a guard and the atoms of narrow relations bind."""
        columns = keys.get(rule.head.relation, ())
        known = {v.name for column in columns for v in variables_of(rule.head.args[column])}
        for literal in rule.body:
            if isinstance(literal, Atom) and literal.relation not in keys:
                known |= {v.name for v in variables_in(literal)}
        return known

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
        for atom in self._occurrences(rule, self._keys):
            guard = self._guard(atom)
            needed = {v.name for v in variables_in(guard)}
            body = tuple(_connected(self._relaxed_body(rule), needed))
            if guard not in body:
                yield Rule(guard, body)

    # ------------------------------------------------------------------ the relaxed game

    def _relaxed_body(self, rule: Rule) -> list[Literal]:
        """Return what must hold of a rule's narrow relations in the relaxed game."""
        body: list[Literal] = []
        if rule.head.relation in self._keys:
            body.append(self._guard(rule.head))
        for literal in rule.body:
            if isinstance(literal, Atom):
                if literal.relation not in self._keys:
                    body.append(self._relaxed(literal))
            elif self._is_static(literal):
                body.append(literal)
        known = {v.name for part in body if isinstance(part, Atom) for v in variables_in(part)}
        return [
            part
            for part in body
            if isinstance(part, Atom) or {v.name for v in variables_in(part)} <= known
        ]

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
        linked = [part for part in pending if {v.name for v in variables_in(part)} & names]
        if not linked:
            return
        for part in linked:
            names |= {v.name for v in variables_in(part)}
            yield part
        pending = [part for part in pending if part not in linked]
