"""Expansion of cases: each holds fewer variables than all of them together.

"Two squares are different" has a rule for different files and one for different ranks. A relation
that only compares its arguments is replaced by its rules. A disjunction that ties variables, such
as "less than this rival or less than that one", makes a rule for each alternative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdl.datalog import variable_domains
from gdl.language import (
    And,
    Atom,
    Distinct,
    Literal,
    Or,
    RelationKey,
    Rule,
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
