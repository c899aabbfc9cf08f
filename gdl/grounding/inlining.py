"""Unfolding: a relation of a single rule is replaced by that rule's body where it is used.

Only then can a variable be eliminated that the relation holds together with others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.datalog import CardinalityEstimator
from gdl.language import (
    KEYWORDS,
    Atom,
    Literal,
    Rule,
    Term,
    Variable,
    atoms_of,
    by_relation,
    holds_distinct_variables,
    names_in,
    substitute,
)

LARGE = 1000.0
"""Relations of a single rule with more rows are written out where they are used."""


def unfold(rules: Sequence[Rule], statistics: CardinalityEstimator) -> Iterator[Rule]:
    """Yield the rules with large relations of a single rule replaced by that rule's body."""
    single = {
        relation: own[0]
        for relation, own in by_relation(rules).items()
        if len(own) == 1 and _can_replace_uses(own[0]) and statistics.rows(relation) > LARGE
    }
    for rule in rules:
        for number, literal in enumerate(rule.body):
            if isinstance(literal, Atom) and literal.relation in single:
                body = _instance(single[literal.relation], literal, number)
                rest = tuple(part for part in rule.body if part is not literal)
                rule = Rule(rule.head, (*rest, *body), rule.span)
        yield rule


def _can_replace_uses(rule: Rule) -> bool:
    """Tell whether a rule's body says all of its head, and does not ask for it again."""
    head = rule.head
    return (
        bool(rule.body)
        and head.name not in KEYWORDS
        and holds_distinct_variables(head)
        and all(atom.relation != head.relation for part in rule.body for atom, _ in atoms_of(part))
    )


def _instance(definition: Rule, call: Atom, number: int) -> tuple[Literal, ...]:
    """Return the definition's body for a call's arguments; ``number`` tells calls apart."""
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
