"""Merging of alternatives: rules that differ in one atom become one over the union of relations.

What the rules have in common is then joined once. A disjunction of atoms over the same variables
is likewise one atom of a relation that has a rule for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.language import (
    Atom,
    Level,
    Literal,
    Or,
    RelationKey,
    Rule,
    Variable,
    holds_distinct_variables,
    names_in,
)
from gdl.rewriting.rule_analysis import RuleAnalysis


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
