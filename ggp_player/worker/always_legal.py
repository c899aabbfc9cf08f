"""A move that the rules state as always legal, found in the text alone.

That is a fact such as ``(legal x noop)``, or a rule whose body holds by facts in every state, such
as ``(<= (legal ?r noop) (role ?r))``. Finding one takes moments where a rulesheet takes minutes to
evaluate, and the move is there when nothing else is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from gdl.language import (
    Atom,
    Constant,
    Distinct,
    Function,
    Literal,
    RelationKey,
    Rule,
    Ruleset,
    Substitution,
    Term,
    Variable,
    is_ground,
    substitute_term,
)

MAX_FACTS = 100_000
"""The most facts that are tried for a ruleset."""


def always_legal_move(ruleset: Ruleset, role: str) -> Term | None:
    """Return a move that is legal for a role in every state; None where none is found."""
    names = [name for name in ruleset.roles if name.name.lower() == role.lower()]
    try:
        return next(_Facts(ruleset).legal_moves(names[0]), None) if names else None
    except RecursionError:  # terms that are nested beyond any depth
        return None


class _Facts:
    """The facts of a ruleset, in which the bodies of rules are looked up."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._rules = [rule for rule in ruleset.rules if rule.head.relation == ("legal", 2)]
        self._facts: dict[RelationKey, list[Atom]] = defaultdict(list)
        for rule in ruleset.rules:
            if not rule.body:
                self._facts[rule.head.relation].append(rule.head)
        self._tried = 0

    def legal_moves(self, role: Constant) -> Iterator[Term]:
        """Yield moves that are legal whatever the state is."""
        for rule in self._rules:
            owner, move = rule.head.args
            bound = _match(owner, role, {})
            if bound is not None:
                for found in self._solutions(_ordered(rule), bound):
                    legal = substitute_term(move, found)
                    if is_ground(legal):
                        yield legal

    def _solutions(self, body: Sequence[Literal], bound: Substitution) -> Iterator[Substitution]:
        """Yield the bindings for which each literal of a body holds by facts."""
        if not body:
            yield bound
            return
        for extended in self._bindings(body[0], bound):
            yield from self._solutions(body[1:], extended)

    def _bindings(self, literal: Literal, bound: Substitution) -> Iterator[Substitution]:
        """Yield the bindings for which a literal holds by facts; none for what is not simple."""
        if isinstance(literal, Distinct):
            left, right = (substitute_term(term, bound) for term in (literal.left, literal.right))
            if left != right and is_ground(left) and is_ground(right):
                yield bound
        elif isinstance(literal, Atom):
            for fact in self._facts.get(literal.relation, ()):
                self._tried += 1
                if self._tried > MAX_FACTS:
                    return
                extended = _match_all(literal.args, fact.args, bound)
                if extended is not None:
                    yield extended


def _ordered(rule: Rule) -> Sequence[Literal]:
    """Return the body of a rule, inequalities last, when their variables are bound."""
    return sorted(rule.body, key=lambda literal: isinstance(literal, Distinct))


def _match(pattern: Term, term: Term, bound: Substitution) -> Substitution | None:
    """Return the bindings with which a pattern is a term without variables; None without any."""
    if isinstance(pattern, Variable):
        known = bound.get(pattern.name)
        if known is None:
            return {**bound, pattern.name: term}
        return bound if known == term else None
    if isinstance(pattern, Function) and isinstance(term, Function):
        if (pattern.name, len(pattern.args)) != (term.name, len(term.args)):
            return None
        return _match_all(pattern.args, term.args, bound)
    return bound if pattern == term else None


def _match_all(
    patterns: Sequence[Term], terms: Sequence[Term], bound: Substitution
) -> Substitution | None:
    found: Substitution | None = bound
    for pattern, term in zip(patterns, terms, strict=True):
        if found is not None:
            found = _match(pattern, term, found)
    return found
