"""Inlining: where a relation of a single rule is used, the body of that rule replaces it.

Only then can decomposition eliminate a variable that the relation holds together with others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from gdl.datalog import dependency_graph, reachable, unify
from gdl.language import (
    KEYWORDS,
    Atom,
    Function,
    Level,
    Literal,
    RelationKey,
    Rule,
    Term,
    Variable,
    body_atoms,
    holds_distinct_variables,
    names_in,
    substitute,
)
from gdl.rewriting.rule_analysis import RuleAnalysis

MAX_BODY = 40
"""No body is made longer than this."""

MAX_COPIED_INSTANCES = 1_000_000.0
"""A relation that depends on the state and has more instances is inlined if it is used once."""

MIN_INLINED_ROWS = 1_000.0
"""Relations with at most so many rows are not inlined."""


def inline_relations(analysis: RuleAnalysis) -> Iterator[Rule]:
    """Replace uses of large relations of a single rule by the body of that rule."""
    uses = Counter(relation for relation, _ in _places_of_use(analysis.rules))
    single = {
        relation: own[0]
        for relation, own in analysis.definitions.items()
        if len(own) == 1
        and _can_be_inlined(own[0])
        and _is_worth_inlining(relation, uses[relation], analysis)
        and analysis.estimator.rows(relation) > MIN_INLINED_ROWS
    }
    yield from _used([*_inlined(analysis, single)], single, analysis)


def _inlined(analysis: RuleAnalysis, single: dict[RelationKey, Rule]) -> Iterator[Rule]:
    """Yield the rules with the bodies of ``single`` rules, which are themselves inlined first."""
    for rule in analysis.rules:
        for number, literal in enumerate(rule.body):
            if isinstance(literal, Atom) and literal.relation in single:
                body = instance(single[literal.relation], literal, number)
                rest = tuple(part for part in rule.body if part is not literal)
                if len(rest) + len(body) <= MAX_BODY:
                    rule = Rule(rule.head, (*rest, *body), rule.span)
        if rule.head.relation in single:
            single[rule.head.relation] = rule
        yield rule


def _used(
    rules: Sequence[Rule], inlined: Collection[RelationKey], analysis: RuleAnalysis
) -> Iterator[Rule]:
    """Yield the rules without those of static inlined relations that nothing uses any more."""
    roots = [
        relation
        for relation in analysis.definitions
        if relation not in inlined or analysis.level_of(relation) is not Level.STATIC
    ]
    used = reachable(dependency_graph(rules), roots)
    return (rule for rule in rules if rule.head.relation in used)


def _places_of_use(rules: Sequence[Rule]) -> set[tuple[RelationKey, object]]:
    """Return relations with the places where they are used: flattening copies rules."""
    return {
        (atom.relation, rule.span or number)
        for number, rule in enumerate(rules)
        for atom, _ in body_atoms(rule)
    }


def _is_worth_inlining(relation: RelationKey, uses: int, analysis: RuleAnalysis) -> bool:
    """Return True unless the instances of a rule are many, and would be made at several uses."""
    if uses <= 1 or analysis.level_of(relation) is Level.STATIC:
        return uses > 0
    body = analysis.definitions[relation][0].body
    return analysis.estimator.instances(body, names_in(body)) <= MAX_COPIED_INSTANCES


def _can_be_inlined(rule: Rule) -> bool:
    """Return True if a rule matches every use of its head, and is not recursive."""
    head = rule.head
    return (
        bool(rule.body)
        and head.name not in KEYWORDS
        and holds_distinct_variables(head)
        and all(atom.relation != head.relation for atom, _ in body_atoms(rule))
    )


def unfolded(rule: Rule, call: Atom, definition: Rule) -> Rule | None:
    """Add to a rule's body what makes ``call`` hold by a definition of its relation.

    None where the definition's head cannot be the call.
    """
    names = names_in([definition.head, *definition.body])
    # No other variable begins with a blank: flattening appends to names.
    apart: dict[str, Term] = {name: Variable(f" {name}") for name in names}
    head, *body = (substitute(part, apart) for part in (definition.head, *definition.body))
    assert isinstance(head, Atom)
    unifier = unify(Function("", call.args), Function("", head.args))
    if unifier is None:
        return None
    own, *parts = (substitute(part, unifier) for part in (rule.head, *rule.body, *body))
    assert isinstance(own, Atom)
    return Rule(own, tuple(dict.fromkeys(parts)), rule.span)


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
