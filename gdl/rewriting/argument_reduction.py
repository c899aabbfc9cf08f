"""Argument reduction: a wide negated relation is replaced by relations of fewer arguments.

Each rule of the relation becomes one of its own relation, over the arguments that the rule
constrains: ``not p(a, b, c)`` becomes ``not q(a, b), not r(b, c)``.
:mod:`gdl.rewriting.argument_specialization` does the same for relations that are not
negated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdl.datalog import EMPTY_DOMAIN, Columns, Domain, variable_domains
from gdl.language import (
    Atom,
    Literal,
    Not,
    RelationKey,
    Rule,
    Term,
    Variable,
    body_atoms,
    holds_distinct_variables,
    variables_in,
)
from gdl.rewriting.rule_analysis import RuleAnalysis, UnaryFacts, VariableDomains, is_within


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
