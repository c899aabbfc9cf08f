"""Checks that keep a game finite: safe variables and the recursion restriction.

A rule is safe if each variable of its head, of its negations and of its inequalities is bound: it
occurs in a positive atom of the body, and in every branch if that atom is inside an ``or``. The
recursion restriction keeps recursive rules from building ever larger terms.

Source: N. Love et al., General Game Playing: Game Description Language Specification (2008).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from gdl.errors import Problem
from gdl.language import (
    And,
    Atom,
    Distinct,
    Literal,
    Not,
    Or,
    RelationKey,
    Rule,
    Term,
    Variable,
    atoms_of,
    is_ground,
    variables_in,
)
from gdl.validation.context import CheckContext, error


def unsafe_variables(context: CheckContext) -> Iterator[Problem]:
    """Report each variable that nothing binds, once in each rule."""
    for rule in context.ruleset.rules:
        yield from unsafe_in(rule)


def unsafe_in(rule: Rule) -> Iterator[Problem]:
    """Report each variable of a rule that nothing binds."""
    names: set[str] = set()
    for variable, where in _unbound(rule):
        if variable.name not in names:
            names.add(variable.name)
            yield _unsafe(rule, variable, where)


def _unsafe(rule: Rule, variable: Variable, where: str) -> Problem:
    span = variable.span or rule.span
    if not rule.body:
        return error("variable-in-fact", f"a fact cannot hold a variable, found {variable}", span)
    message = f"nothing binds {variable} in {where}: no atom of the body holds it"
    if any(variable == v for literal in rule.body for v in _bound_somewhere(literal)):
        message = f"only some branches of an 'or' bind {variable} in {where}"
    return error("unsafe-variable", message, span)


def _unbound(rule: Rule) -> Iterator[tuple[Variable, str]]:
    """Yield the unbound variables of a rule, and where each of them occurs."""
    bound = (_bound_by_all(rule.body),)
    for variable in variables_in(rule.head):
        if not _holds(bound, variable):
            yield variable, "the head"
    yield from _unbound_within(rule.body, bound)


def _unbound_within(
    literals: Iterable[Literal], bound: tuple[Set[str], ...], positive: bool = True
) -> Iterator[tuple[Variable, str]]:
    """Yield the unbound variables of a conjunction, or of a negated disjunction.

    ``bound`` holds the names that are bound at each level of nesting.
    """
    for literal in literals:
        if isinstance(literal, Not):
            yield from _unbound_within((literal.literal,), bound, not positive)
        elif isinstance(literal, Or | And):
            for part in _alternatives(literal, positive):
                inner = (*bound, _bound_by_all(part, positive))
                yield from _unbound_within(part, inner, positive)
        elif isinstance(literal, Distinct) or not positive:
            where = "'distinct'" if isinstance(literal, Distinct) else "'not'"
            unbound = (v for v in variables_in(literal) if not _holds(bound, v))
            yield from ((variable, where) for variable in unbound)


def _alternatives(literal: Or | And, positive: bool = True) -> list[tuple[Literal, ...]]:
    """Split a literal, or its negation, into alternatives: conjunctions that hold together."""
    if isinstance(literal, And) == positive:
        return [literal.literals]
    return [(part,) for part in literal.literals]


def _holds(bound: tuple[Set[str], ...], variable: Variable) -> bool:
    return any(variable.name in names for names in bound)


def _bound_by_all(literals: Iterable[Literal], positive: bool = True) -> frozenset[str]:
    return frozenset[str]().union(*(_bound_by(literal, positive) for literal in literals))


def _bound_by(literal: Literal, positive: bool = True) -> frozenset[str]:
    """Return the names of the variables that a literal, or its negation, binds."""
    if isinstance(literal, Atom):
        return frozenset(v.name for v in variables_in(literal)) if positive else frozenset()
    if isinstance(literal, Not):
        return _bound_by(literal.literal, not positive)
    if isinstance(literal, Distinct):
        return frozenset()
    if isinstance(literal, And) == positive:
        return _bound_by_all(literal.literals, positive)
    branches = [_bound_by(part, positive) for part in literal.literals]
    return branches[0].intersection(*branches[1:]) if branches else frozenset()


def _bound_somewhere(literal: Literal) -> Iterator[Variable]:
    for atom, positive in atoms_of(literal):
        if positive:
            yield from variables_in(atom)


# ---------------------------------------------------------------------- recursion


def unrestricted_recursion(context: CheckContext) -> Iterator[Problem]:
    """Report the arguments through which a recursive rule could build ever larger terms."""
    for rule in context.ruleset.rules:
        if rule.head.relation in context.cycle_of:
            yield from _unrestricted_in(rule, context)


def _unrestricted_in(rule: Rule, context: CheckContext) -> Iterator[Problem]:
    """Report the arguments of a rule that break the recursion restriction."""
    head = rule.head.relation
    anchors = (frozenset(rule.head.args),)
    for atom, allowed in _with_anchors(rule.body, anchors, head, context):
        for term in atom.args:
            if not is_ground(term) and not any(term in terms for terms in allowed):
                cycle = context.cycle(head, atom.relation)
                message = (
                    f"{term} breaks the recursion restriction in the cycle {cycle}: it must be an "
                    "argument of the head or of an atom outside the cycle"
                )
                yield error("unrestricted-recursion", message, term.span or atom.span)


def _with_anchors(
    literals: Sequence[Literal],
    anchors: tuple[Set[Term], ...],
    head: RelationKey,
    context: CheckContext,
) -> Iterator[tuple[Atom, tuple[Set[Term], ...]]]:
    """Yield each positive atom in a cycle with the head, and the terms that its arguments may be.

    Negated atoms build no terms. The allowed terms come as one set per level of nesting.
    """
    outside = (a for a in _conjuncts(literals) if not context.in_cycle(head, a.relation))
    anchors = (*anchors, frozenset(term for atom in outside for term in atom.args))
    for literal in literals:
        if isinstance(literal, Or | And):
            for part in _alternatives(literal):
                yield from _with_anchors(part, anchors, head, context)
            continue
        for atom, positive in atoms_of(literal):
            if positive and context.in_cycle(head, atom.relation):
                yield atom, anchors


def _conjuncts(literals: Iterable[Literal]) -> Iterator[Atom]:
    for literal in literals:
        if isinstance(literal, Atom):
            yield literal
        elif isinstance(literal, And):
            yield from _conjuncts(literal.literals)
