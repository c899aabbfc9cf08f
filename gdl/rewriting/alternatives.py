"""Alternatives: expanded where each holds fewer variables, merged where they differ in one atom.

Expansion. "Two squares are different" has a rule for different files and one for different ranks.
A relation that only compares its arguments is replaced by its rules. A disjunction that ties
variables, such as "less than this rival or less than that one", makes a rule for each alternative.

Merging. Rules that differ in one atom become one over the union of relations, and what they have in
common is then joined once. A disjunction of atoms over the same variables is likewise one atom of a
relation that has a rule for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdl.datalog import variable_domains
from gdl.language import (
    And,
    Atom,
    Distinct,
    Level,
    Literal,
    Or,
    RelationKey,
    Rule,
    Variable,
    holds_distinct_variables,
    names_in,
)
from gdl.rewriting.inlining import instance
from gdl.rewriting.rule_analysis import RuleAnalysis

MIN_DIVIDED_INSTANCES = 1_000_000.0
"""Rules with at most so many instances keep their disjunctions, and what these let them share."""

MAX_ALTERNATIVES = 16
"""No rule becomes more rules than this for its disjunctions."""


def expand_disjunctions(analysis: RuleAnalysis) -> Iterator[Rule]:
    """Make a rule for each alternative of disjunctions that tie variables, in huge rules."""
    for rule in analysis.rules:
        bodies: list[tuple[Literal, ...]] = [()]
        if any(isinstance(part, Or) for part in rule.body) and _is_huge(rule, analysis):
            for part in rule.body:
                bodies = [(*body, *each) for body in bodies for each in _alternatives(part)]
        if 1 < len(bodies) <= MAX_ALTERNATIVES:
            yield from (Rule(rule.head, body, rule.span) for body in bodies)
        else:
            yield rule


def _is_huge(rule: Rule, analysis: RuleAnalysis) -> bool:
    instances = analysis.estimator.instances(rule.body, names_in(rule.body))
    return instances > MIN_DIVIDED_INSTANCES


def _alternatives(literal: Literal) -> Sequence[tuple[Literal, ...]]:
    """List the alternatives of a disjunction of which none holds all variables."""
    if isinstance(literal, Or):
        names = names_in([literal])
        if all(names_in([part]) < names for part in literal.literals):
            return [p.literals if isinstance(p, And) else (p,) for p in literal.literals]
    return [(literal,)]


def expand_cases(analysis: RuleAnalysis) -> Iterator[Rule]:
    """Replace relations that only compare their arguments, in large rules."""
    comparisons = {
        relation: own
        for relation, own in analysis.definitions.items()
        if len(own) > 1 and all(_only_compares(rule, analysis) for rule in own)
    }
    for rule in analysis.rules:
        if analysis.is_large(rule):
            yield from _expanded(rule, comparisons, analysis)
        else:
            yield rule


def _only_compares(rule: Rule, analysis: RuleAnalysis) -> bool:
    """Return True if a rule says no more than that some of its arguments are distinct."""
    own = names_in([rule.head])
    return holds_distinct_variables(rule.head) and all(
        names_in([part]) <= own
        and (
            isinstance(part, Distinct)
            or (isinstance(part, Atom) and part.relation in analysis.unary_facts)
        )
        for part in rule.body
    )


def _expanded(
    rule: Rule, comparisons: Mapping[RelationKey, Sequence[Rule]], analysis: RuleAnalysis
) -> Iterator[Rule]:
    """Yield a rule for each combination of cases, without what the domains imply."""
    others = tuple(
        part for part in rule.body if isinstance(part, Atom) and part.relation not in comparisons
    )
    values = variable_domains(Rule(rule.head, others), analysis.domains) or {}
    bound = names_in(others)
    bodies: list[tuple[Literal, ...]] = [()]
    for number, literal in enumerate(rule.body):
        cases: list[tuple[Literal, ...]] = [(literal,)]
        if isinstance(literal, Atom) and literal.relation in comparisons:
            cases = [instance(case, literal, number) for case in comparisons[literal.relation]]
        bodies = [(*body, *case) for body in bodies for case in cases]
    for body in bodies:
        kept = dict.fromkeys(
            part
            for part in body
            if part in rule.body or not analysis.is_implied(part, bound, values)
        )
        yield Rule(rule.head, tuple(kept), rule.span)


def merge_alternatives(analysis: RuleAnalysis) -> Iterator[Rule]:
    """Merge large rules that differ in the relation of one atom alone."""
    large = {rule for rule in analysis.rules if analysis.is_large(rule)}
    names: dict[tuple[RelationKey, ...], str] = {}
    choices: dict[Or, Atom] = {}
    merged = _merged([rule for rule in analysis.rules if rule in large], analysis, names)
    for rule in analysis.rules:
        kept = merged.get(rule, rule)
        if kept is not None and rule in large:
            body = tuple(_one_atom(part, choices) for part in kept.body)
            kept = Rule(kept.head, body, kept.span)
        if kept is not None:
            yield kept
    for choice, atom in choices.items():
        yield from (Rule(atom, (part,)) for part in choice.literals)
    for key, name in names.items():
        for relation in key:
            args = tuple(Variable(str(i)) for i in range(relation[1]))
            yield Rule(Atom(name, args), (Atom(relation[0], args),))


def _merged(
    rules: Sequence[Rule], analysis: RuleAnalysis, names: dict[tuple[RelationKey, ...], str]
) -> dict[Rule, Rule | None]:
    """Map the first of rules that can be merged to the rule for all of them, the others to None.

    ``names`` receives the names of the unions of relations.
    """
    alike: dict[tuple[object, ...], list[tuple[Rule, Atom]]] = {}
    for rule in rules:
        for atom in _replaceable(rule, analysis):
            rest = frozenset(part for part in rule.body if part != atom)
            alike.setdefault((rule.head, rest, atom.args), []).append((rule, atom))
    merged: dict[Rule, Rule | None] = {}
    for group in alike.values():
        free = {rule: atom for rule, atom in group if rule not in merged}
        if len(free) > 1:
            key = tuple(sorted({atom.relation for atom in free.values()}))
            name = names.setdefault(key, f" any {len(names)}")
            first, replaced = next(iter(free.items()))
            rest_of_body = tuple(part for part in first.body if part != replaced)
            body = (*rest_of_body, Atom(name, replaced.args))
            merged |= dict.fromkeys(free)
            merged[first] = Rule(first.head, body, first.span)
    return merged


def _one_atom(literal: Literal, choices: dict[Or, Atom]) -> Literal:
    """Replace a disjunction of atoms over the same variables by one atom, kept in ``choices``."""
    if not isinstance(literal, Or) or not all(isinstance(part, Atom) for part in literal.literals):
        return literal
    names = [names_in([part]) for part in literal.literals]
    if any(own != names[0] for own in names):
        return literal
    args = tuple(map(Variable, sorted(names[0])))
    return choices.setdefault(literal, Atom(f" either {len(choices)}", args))


def _replaceable(rule: Rule, analysis: RuleAnalysis) -> Iterator[Atom]:
    """Yield the atoms that the atom of a union can replace."""
    for atom in rule.body:
        if (
            isinstance(atom, Atom)
            and atom.relation != rule.head.relation
            and analysis.level_of(atom.relation) is not Level.STATIC
            and holds_distinct_variables(atom)
        ):
            yield atom
