"""Inlining: where a relation of a single rule is used, the body of that rule replaces it.

Only then can decomposition eliminate a variable that the relation holds together with others.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.grounding.rule_analysis import RuleAnalysis
from gdl.language import (
    KEYWORDS,
    Atom,
    Literal,
    Rule,
    Term,
    Variable,
    body_atoms,
    holds_distinct_variables,
    names_in,
    substitute,
)

MIN_INLINED_ROWS = 1_000.0
"""Relations with at most so many rows are not inlined."""


def inline_relations(analysis: RuleAnalysis) -> Iterator[Rule]:
    """Replace uses of large relations of a single rule by the body of that rule."""
    single = {
        relation: own[0]
        for relation, own in analysis.definitions.items()
        if len(own) == 1
        and _can_be_inlined(own[0])
        and analysis.estimator.rows(relation) > MIN_INLINED_ROWS
    }
    for rule in analysis.rules:
        for number, literal in enumerate(rule.body):
            if isinstance(literal, Atom) and literal.relation in single:
                body = instance(single[literal.relation], literal, number)
                rest = tuple(part for part in rule.body if part is not literal)
                rule = Rule(rule.head, (*rest, *body), rule.span)
        yield rule


def _can_be_inlined(rule: Rule) -> bool:
    """Return True if a rule matches every use of its head, and is not recursive."""
    head = rule.head
    return (
        bool(rule.body)
        and head.name not in KEYWORDS
        and holds_distinct_variables(head)
        and all(atom.relation != head.relation for atom, _ in body_atoms(rule))
    )


def instance(definition: Rule, call: Atom, number: int) -> tuple[Literal, ...]:
    """Rename the definition's body for a call's arguments; ``number`` distinguishes calls."""
    # No other variable begins with a blank: flattening appends to names.
    renaming: dict[str, Term] = {
        name: Variable(f" {number} {name}") for name in names_in(definition.body)
    }
    renaming |= {
        term.name: value
        for term, value in zip(definition.head.args, call.args, strict=True)
        if isinstance(term, Variable)
    }
    return tuple(substitute(part, renaming) for part in definition.body)
