"""Idle arguments: a relation is told apart by which of its arguments its rules look at.

Where a piece reaches a square over one that is to be ignored, most ways do not pass the ignored
square: what is known of them does not depend on it. ``p(a, i)`` becomes ``q(a), at(i)`` for the
ways that say no more of ``i`` than that it is a square, and ``r(a, i)`` for those that pass it,
of which there are few. Other relations that are defined through ``p`` are told apart likewise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import TypeAlias

from gdl.datalog import Level, is_keyword_relation, variable_domains
from gdl.grounding.argument_reduction import RuleKnowledge, is_implied, static_sets
from gdl.language import (
    Atom,
    Literal,
    RelationKey,
    Rule,
    atoms_of,
    by_relation,
    names_in,
    variables_in,
)

MOST_VERSIONS = 16
"""Rules are left alone where one of them would become more."""

Shape: TypeAlias = tuple[RelationKey | None, ...]
"""For each argument, the static relation that says all there is to say of it, None if more is."""

Shapes: TypeAlias = Mapping[RelationKey, Mapping[Shape, str]]
"""The names of the relations that some relations are told apart into."""

Facts: TypeAlias = Mapping[RelationKey, set[str]]


def set_apart_idle_arguments(rules: Sequence[Rule], knowledge: RuleKnowledge) -> Iterator[Rule]:
    """Yield the rules; wide relations are told apart by which arguments are looked at."""
    facts = static_sets(by_relation(rules))
    shapes = _shapes(rules, _candidates(rules, knowledge), facts)
    for rule in rules:
        for body in _bodies(rule, shapes):
            head = rule.head
            if head.relation in shapes:
                shape, busy = _looked_at(head, body, facts)
                head, body = _narrow(head, shape, shapes[head.relation][shape]), busy
            yield Rule(head, tuple(_not_implied(body, facts, knowledge)), rule.span)


def _candidates(rules: Sequence[Rule], knowledge: RuleKnowledge) -> set[RelationKey]:
    """Return the wide relations that are only asked for positively."""
    filtered = {
        atom.relation
        for rule in rules
        for part in rule.body
        if not isinstance(part, Atom)
        for atom, _ in atoms_of(part)
    }
    return {
        relation
        for relation in {rule.head.relation for rule in rules} - filtered
        if not is_keyword_relation(relation)
        and knowledge.level_of(relation) is not Level.STATIC
        and knowledge.is_wide(relation)
    }


def _shapes(rules: Sequence[Rule], candidates: set[RelationKey], facts: Facts) -> Shapes:
    """Return the relations that some relations are told apart into, none if it is too much."""
    shapes: dict[RelationKey, dict[Shape, str]] = {relation: {} for relation in candidates}
    pending = True
    while pending:
        pending = False
        for rule in rules:
            if prod(map(len, _versions(rule, shapes))) > MOST_VERSIONS:
                return {}
            if rule.head.relation in candidates:
                names = shapes[rule.head.relation]
                for body in _bodies(rule, shapes):
                    shape, _ = _looked_at(rule.head, body, facts)
                    pending |= shape not in names
                    names.setdefault(shape, f" shape {len(names)} {rule.head.name}")
    return {r: names for r, names in shapes.items() if any(any(shape) for shape in names)}


def _versions(rule: Rule, shapes: Shapes) -> list[list[tuple[Literal, ...]]]:
    """Return what can stand for each literal of a body."""
    return [
        [
            (_narrow(part, shape, name), *_sayings(part, shape))
            for shape, name in shapes[part.relation].items()
        ]
        if isinstance(part, Atom) and part.relation in shapes
        else [(part,)]
        for part in rule.body
    ]


def _bodies(rule: Rule, shapes: Shapes) -> Iterator[tuple[Literal, ...]]:
    """Yield the bodies that a rule's body is told apart into."""
    for parts in product(*_versions(rule, shapes)):
        yield tuple(dict.fromkeys(chain(*parts)))


def _narrow(atom: Atom, shape: Shape, name: str) -> Atom:
    """Return the atom that holds those arguments that are looked at."""
    return Atom(name, tuple(a for a, of in zip(atom.args, shape, strict=True) if of is None))


def _sayings(atom: Atom, shape: Shape) -> Iterator[Atom]:
    """Yield the atoms that say all there is to say of the other arguments."""
    for argument, relation in zip(atom.args, shape, strict=True):
        if relation is not None:
            yield Atom(relation[0], (argument,))


def _looked_at(
    head: Atom, body: Sequence[Literal], facts: Facts
) -> tuple[Shape, tuple[Literal, ...]]:
    """Return the shape that a body gives its head, and the body without what the shape says."""
    shape: list[RelationKey | None] = []
    idle: set[Literal] = set()
    for term in head.args:
        holding = [part for part in body if term in list(variables_in(part))]
        part = holding[0] if head.args.count(term) == len(holding) == 1 else None
        if isinstance(part, Atom) and part.relation in facts:
            shape.append(part.relation)
            idle.add(part)
        else:
            shape.append(None)
    return tuple(shape), tuple(part for part in body if part not in idle)


def _not_implied(
    body: Sequence[Literal], facts: Facts, knowledge: RuleKnowledge
) -> Iterator[Literal]:
    """Yield the literals but those that say no more of a variable than others do."""
    others = [p for p in body if isinstance(p, Atom) and p.relation not in facts]
    values = variable_domains(Rule(Atom(""), tuple(others)), knowledge.domains) or {}
    bound = names_in(others)
    return (part for part in body if not is_implied(part, bound, values, facts))
