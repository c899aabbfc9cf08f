"""Passes over arguments: relations lose those that their rules do not constrain.

Specialization makes versions of a relation. Where a piece reaches a square over one that is to be
ignored, most paths do not pass the ignored square: what is known of them does not depend on it.
``p(a, i)`` becomes ``q(a), at(i)`` for the paths that say no more of ``i`` than that it is a
square, and ``r(a, i)`` for those that pass it, of which there are few. Other relations that are
defined through ``p`` get versions likewise.

Reduction replaces a wide negated relation by relations of fewer arguments. Each rule of the
relation becomes one of its own relation, over the arguments that the rule constrains:
``not p(a, b, c)`` becomes ``not q(a, b), not r(b, c)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import TypeAlias

from gdl.datalog import (
    EMPTY_DOMAIN,
    ArgumentPosition,
    Columns,
    Domain,
    Domains,
    is_keyword_relation,
    variable_domains,
)
from gdl.language import (
    Atom,
    Level,
    Literal,
    Not,
    RelationKey,
    Rule,
    Term,
    Variable,
    atoms_of,
    body_atoms,
    holds_distinct_variables,
    names_in,
    variables_in,
)
from gdl.rewriting.rule_analysis import RuleAnalysis, UnaryFacts, VariableDomains, is_within

MAX_VERSIONS = 16
"""No relation gets versions where a rule would become more than so many rules."""

Shape: TypeAlias = tuple[RelationKey | None, ...]
"""For each argument, the unary facts that alone constrain it, None if other literals do."""

Shapes: TypeAlias = Mapping[RelationKey, Mapping[Shape, str]]
"""The names of each relation's versions."""


def specialize_arguments(analysis: RuleAnalysis) -> Iterator[Rule]:
    """Replace wide relations by versions that hold the arguments that rules constrain."""
    facts = analysis.unary_facts
    shapes = _shapes(analysis.rules, _candidates(analysis), facts)
    domains = dict(analysis.domains) | dict(_version_domains(shapes, analysis.domains))
    for rule in analysis.rules:
        for body in _bodies(rule, shapes):
            head = rule.head
            if head.relation in shapes:
                shape, constraining = _shape(head, body, facts)
                head, body = _version(head, shape, shapes[head.relation][shape]), constraining
            yield Rule(head, tuple(_not_implied(body, analysis, domains)), rule.span)


def _candidates(analysis: RuleAnalysis) -> set[RelationKey]:
    """Find the wide relations that occur in atoms of bodies only."""
    filtered = {
        atom.relation
        for rule in analysis.rules
        for part in rule.body
        if not isinstance(part, Atom)
        for atom, _ in atoms_of(part)
    }
    return {
        relation
        for relation in analysis.definitions.keys() - filtered
        if not is_keyword_relation(relation)
        and analysis.level_of(relation) is not Level.STATIC
        and analysis.is_wide(relation)
    }


def _shapes(rules: Sequence[Rule], candidates: set[RelationKey], facts: UnaryFacts) -> Shapes:
    """Name the versions of some relations; no relation has any if there are too many."""
    shapes: dict[RelationKey, dict[Shape, str]] = {relation: {} for relation in candidates}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            if prod(map(len, _versions(rule, shapes))) > MAX_VERSIONS:
                return {}
            if rule.head.relation in candidates:
                names = shapes[rule.head.relation]
                for body in _bodies(rule, shapes):
                    shape, _ = _shape(rule.head, body, facts)
                    changed |= shape not in names
                    names.setdefault(shape, f" shape {len(names)} {rule.head.name}")
    return {r: names for r, names in shapes.items() if any(any(shape) for shape in names)}


def _versions(rule: Rule, shapes: Shapes) -> list[list[tuple[Literal, ...]]]:
    """List what can replace each literal of a body."""
    return [
        [
            (_version(part, shape, name), *_constraints(part, shape))
            for shape, name in shapes[part.relation].items()
        ]
        if isinstance(part, Atom) and part.relation in shapes
        else [(part,)]
        for part in rule.body
    ]


def _bodies(rule: Rule, shapes: Shapes) -> Iterator[tuple[Literal, ...]]:
    """Yield the combinations of versions that can replace a rule's body."""
    for parts in product(*_versions(rule, shapes)):
        yield tuple(dict.fromkeys(chain(*parts)))


def _version(atom: Atom, shape: Shape, name: str) -> Atom:
    """Return the atom of a version, which holds the constrained arguments."""
    return Atom(name, tuple(a for a, of in zip(atom.args, shape, strict=True) if of is None))


def _constraints(atom: Atom, shape: Shape) -> Iterator[Atom]:
    """Yield the atoms of unary facts for the arguments that a version does not hold."""
    for argument, relation in zip(atom.args, shape, strict=True):
        if relation is not None:
            yield Atom(relation[0], (argument,))


def _shape(
    head: Atom, body: Sequence[Literal], facts: UnaryFacts
) -> tuple[Shape, tuple[Literal, ...]]:
    """Find the shape that a body gives its head, and drop what the shape says from the body."""
    shape: list[RelationKey | None] = []
    dropped: set[Literal] = set()
    for term in head.args:
        holding = [part for part in body if term in list(variables_in(part))]
        part = holding[0] if head.args.count(term) == len(holding) == 1 else None
        if isinstance(part, Atom) and part.relation in facts:
            shape.append(part.relation)
            dropped.add(part)
        else:
            shape.append(None)
    return tuple(shape), tuple(part for part in body if part not in dropped)


def _version_domains(shapes: Shapes, domains: Domains) -> Iterator[tuple[ArgumentPosition, Domain]]:
    """Yield the domains of the versions' arguments: those of the arguments that they hold."""
    for relation, names in shapes.items():
        for shape, name in names.items():
            kept = [column for column, of in enumerate(shape) if of is None]
            for index, column in enumerate(kept):
                known = domains.get(ArgumentPosition(True, *relation, column), EMPTY_DOMAIN)
                yield ArgumentPosition(True, name, len(kept), index), known


def _not_implied(
    body: Sequence[Literal], analysis: RuleAnalysis, domains: Domains
) -> Iterator[Literal]:
    """Yield the literals that are not implied by the domains of their variables."""
    others = [p for p in body if isinstance(p, Atom) and p.relation not in analysis.unary_facts]
    values = variable_domains(Rule(Atom(""), tuple(others)), domains) or {}
    bound = names_in(others)
    return (part for part in body if not analysis.is_implied(part, bound, values))


def reduce_arguments(analysis: RuleAnalysis) -> Iterator[Rule]:
    """Replace wide negated relations by several of fewer arguments."""
    parts: dict[RelationKey, dict[Columns, str]] = {}
    made: list[Rule] = []
    for relation, allowed in _negated(analysis).items():
        own = analysis.definitions.get(relation, ())
        if len(own) > 1 and all(holds_distinct_variables(rule.head) for rule in own):
            reduced = [_reduced(rule, allowed, analysis.unary_facts) for rule in own]
            if any(len(columns) < relation[1] for columns, _ in reduced):
                names = parts[relation] = {}
                for columns, rule in reduced:
                    name = names.setdefault(columns, f" part {len(names)} {relation[0]}")
                    args = tuple(rule.head.args[column] for column in columns)
                    made.append(Rule(Atom(name, args), rule.body, rule.span))
    replaced = [_with_parts(rule, parts) for rule in (*analysis.rules, *made)]
    used = {atom.relation for rule in replaced for atom, _ in body_atoms(rule)}
    for rule in replaced:
        if rule.head.relation in used or rule.head.relation not in parts:
            yield rule


def _negated(analysis: RuleAnalysis) -> dict[RelationKey, list[Domain]]:
    """Find the wide relations that are negated, with what can stand in each column there."""
    found: dict[RelationKey, list[Domain]] = {}
    for rule in analysis.rules:
        values: VariableDomains | None = None
        for part in rule.body:
            atom = part.literal if isinstance(part, Not) else None
            if isinstance(atom, Atom) and analysis.is_wide(atom.relation):
                values = values or variable_domains(rule, analysis.domains) or {}
                columns = found.setdefault(atom.relation, [Domain() for _ in atom.args])
                for domain, term in zip(columns, atom.args, strict=True):
                    domain.add(_domain_of(term, values))
    return found


def _domain_of(term: Term, values: VariableDomains) -> Domain:
    return values.get(term.name, EMPTY_DOMAIN) if isinstance(term, Variable) else Domain.of(term)


def _reduced(rule: Rule, allowed: Sequence[Domain], facts: UnaryFacts) -> tuple[Columns, Rule]:
    """Find the columns that a rule constrains, and drop the literals for all others."""
    kept: list[int] = []
    dropped: set[Literal] = set()
    for column, term in enumerate(rule.head.args):
        assert isinstance(term, Variable)
        holding = {part for part in rule.body if term in variables_in(part)}
        if all(
            isinstance(part, Atom)
            and part.relation in facts
            and is_within(allowed[column], facts[part.relation])
            for part in holding
        ):
            dropped |= holding
        else:
            kept.append(column)
    body = tuple(part for part in rule.body if part not in dropped)
    return tuple(kept), Rule(rule.head, body, rule.span)


def _with_parts(rule: Rule, parts: Mapping[RelationKey, Mapping[Columns, str]]) -> Rule:
    """Negate all parts of a relation where a rule negates the relation."""
    body: list[Literal] = []
    for literal in rule.body:
        atom = literal.literal if isinstance(literal, Not) else None
        if isinstance(atom, Atom) and atom.relation in parts:
            for columns, name in parts[atom.relation].items():
                body.append(Not(Atom(name, tuple(atom.args[column] for column in columns))))
        else:
            body.append(literal)
    return Rule(rule.head, tuple(body), rule.span)
