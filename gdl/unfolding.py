"""Unfolding: a relation of a single rule is replaced by that rule's body where it is used.

Only then can a variable be eliminated that the relation holds together with others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl.reasoning.statistics import Statistics
from gdl.rewrite import substitute
from gdl.ruleset import KEYWORD_ARITY, Atom, RelationKey, Rule, atoms_of, variables_in
from gdl.terms import Term, Variable

LARGE = 1000.0
"""Relations of a single rule with more rows are written out where they are used."""


def unfold(rules: Sequence[Rule], statistics: Statistics) -> Iterator[Rule]:
    """Yield the rules with large relations of a single rule replaced by that rule's body."""
    defined: dict[RelationKey, list[Rule]] = {}
    for rule in rules:
        defined.setdefault(rule.head.relation, []).append(rule)
    single = {
        relation: own[0]
        for relation, own in defined.items()
        if len(own) == 1
        and own[0].body
        and len(set(own[0].head.args)) == len(own[0].head.args)
        and all(isinstance(term, Variable) for term in own[0].head.args)
        and relation not in {atom.relation for part in own[0].body for atom, _ in atoms_of(part)}
        and relation[0] not in KEYWORD_ARITY
        and statistics.rows(relation) > LARGE
    }
    for rule in rules:
        for number, literal in enumerate(rule.body):
            if isinstance(literal, Atom) and literal.relation in single:
                renaming: dict[str, Term] = {}
                definition = single[literal.relation]
                names = {v.name for part in definition.body for v in variables_in(part)}
                # No other variable begins with a blank: flattening appends to names.
                renaming |= {name: Variable(f" {number} {name}") for name in names}
                renaming |= {
                    term.name: value
                    for term, value in zip(definition.head.args, literal.args, strict=True)
                    if isinstance(term, Variable)
                }
                body = tuple(substitute(part, renaming) for part in definition.body)
                rest = tuple(part for part in rule.body if part is not literal)
                rule = Rule(rule.head, (*rest, *body), rule.span)
        yield rule
