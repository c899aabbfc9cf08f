"""The normal form of rules, and unification.

In the normal form, a body consists of atoms, which bind variables, and of filters, which only test
values that atoms have bound: negated atoms, inequalities and disjunctions of these. ``and`` is
gone, ``not`` stands before atoms and inequalities only, and a disjunction that binds a variable
has become several rules. The meaning stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf

from gdl.datalog.dependencies import dependency_graph, strongly_connected_components
from gdl.errors import ResourceLimitError, RulesetError, Source
from gdl.language import (
    And,
    Atom,
    Distinct,
    Function,
    Literal,
    Not,
    Or,
    Rule,
    Term,
    Variable,
    atoms_of,
    names_in,
    substitute,
    substitute_term,
    variables_in,
    variables_of,
)

MAX_ALTERNATIVES = 4096
"""The most bodies that expanding a rule's disjunctions may visit."""


def normal_form(rules: Iterable[Rule], source: Source) -> list[Rule]:
    """Rewrite rules in normal form, without duplicates.

    Raises :class:`gdl.RulesetError` for a rule with a variable that nothing binds, with its
    position in ``source``.
    """
    result: dict[Rule, None] = {}
    for rule in rules:
        result |= dict.fromkeys(_without_equalities(rule) if rule.body else (rule,))
    _check_safety(list(result), source)
    return list(result)


def _without_equalities(rule: Rule) -> Iterator[Rule]:
    """Expand the disjunctions that bind variables, and solve what is equal in each alternative."""
    for alternative in expand(_in_conjuncts(rule), _binding_disjunction):
        if (solved := _solve_equalities(alternative)) is not None:
            yield solved


def split_recursion(rules: Iterable[Rule]) -> list[Rule]:
    """Expand each disjunction that contains a relation defined through the rule's own head.

    Semi-naive evaluation joins new rows of such a relation with the atoms of a body, not with its
    filters.
    """
    rules = list(rules)
    component = {
        relation: number
        for number, relations in enumerate(strongly_connected_components(dependency_graph(rules)))
        for relation in relations
    }

    def recursive_disjunction(rule: Rule) -> int | None:
        own = component[rule.head.relation]
        for index, literal in enumerate(rule.body):
            if isinstance(literal, Or) and any(
                positive and component[atom.relation] == own for atom, positive in atoms_of(literal)
            ):
                return index
        return None

    split = [
        part
        for rule in rules
        for part in (expand(rule, recursive_disjunction) if _has_disjunction(rule) else (rule,))
    ]
    return list(dict.fromkeys(split)) if split != rules else rules


def expand(
    rule: Rule, choose: Callable[[Rule], int | None], limit: float = MAX_ALTERNATIVES
) -> Iterator[Rule]:
    """Expand disjunctions of a rule: yield a rule for each combination of their branches.

    ``choose`` returns the index of the next disjunction to expand in a body, None if there is none.
    The rules come in the order of the branches, the last disjunction varying fastest. Raises
    :class:`gdl.ResourceLimitError` if more than ``limit`` bodies are visited.
    """
    worklist = [rule]
    visited = 0
    while worklist:
        if visited >= limit:
            message = f"the disjunctions of a rule for '{rule.head.name}' make over {limit} rules"
            raise ResourceLimitError(message)
        visited += 1
        current = worklist.pop()
        index = choose(current)
        if index is None:
            yield current
        else:
            worklist += reversed(_branches(current, index))


def expand_all(rule: Rule) -> Iterator[Rule]:
    """Expand all disjunctions of a rule, lazily and without a limit."""
    return expand(_in_conjuncts(rule), _first_disjunction, inf)


def _first_disjunction(rule: Rule) -> int | None:
    return next((i for i, literal in enumerate(rule.body) if isinstance(literal, Or)), None)


def _has_disjunction(rule: Rule) -> bool:
    return _first_disjunction(rule) is not None


def _in_conjuncts(rule: Rule) -> Rule:
    """Push negation inwards, down to atoms and inequalities, and flatten the conjunctions."""
    body = tuple(part for literal in rule.body for part in _conjuncts(_inward(literal)))
    return Rule(rule.head, body, rule.span)


def binders(rule: Rule) -> list[Atom]:
    """Return the atoms of a normal body, which bind its variables."""
    return [literal for literal in rule.body if isinstance(literal, Atom)]


def _inward(literal: Literal, positive: bool = True) -> Literal:
    """Push negation inwards, down to atoms and inequalities."""
    if isinstance(literal, Not):
        return _inward(literal.literal, not positive)
    if isinstance(literal, Or | And):
        parts = tuple(_inward(part, positive) for part in literal.literals)
        conjunctive = isinstance(literal, And) == positive
        if len(parts) == 1:
            return parts[0]
        return And(parts, literal.span) if conjunctive else Or(parts, literal.span)
    return literal if positive else Not(literal, literal.span)


def _conjuncts(literal: Literal) -> Iterator[Literal]:
    if isinstance(literal, And):
        for part in literal.literals:
            yield from _conjuncts(part)
    else:
        yield literal


def _binding_disjunction(rule: Rule) -> int | None:
    """Find a disjunction with a variable that no atom of the body binds."""
    if not _has_disjunction(rule):
        return None
    bound = names_in(binders(rule))
    for index, literal in enumerate(rule.body):
        if isinstance(literal, Or) and not names_in([literal]) <= bound:
            return index
    return None


def _branches(rule: Rule, index: int) -> list[Rule]:
    disjunction = rule.body[index]
    assert isinstance(disjunction, Or)
    before, after = rule.body[:index], rule.body[index + 1 :]
    return [
        Rule(rule.head, (*before, *_conjuncts(branch), *after), rule.span)
        for branch in disjunction.literals
    ]


def _solve_equalities(rule: Rule) -> Rule | None:
    """Replace ``(not (distinct a b))`` by unifying a and b; None if the body can never hold."""
    body = list(rule.body)
    head = rule.head
    index = 0
    while index < len(body):
        literal = body[index]
        if isinstance(literal, Not) and isinstance(literal.literal, Distinct):
            unifier = unify(literal.literal.left, literal.literal.right)
            if unifier is None:
                return None
            del body[index]
            body = [substitute(part, unifier) for part in body]
            substituted = substitute(head, unifier)
            assert isinstance(substituted, Atom)
            head = substituted
        else:
            index += 1
    kept = []
    for literal in body:
        if isinstance(literal, Distinct):
            if literal.left == literal.right:
                return None
            if unify(literal.left, literal.right) is None:
                continue
        kept.append(literal)
    return Rule(head, tuple(dict.fromkeys(kept)), rule.span)


def unify(left: Term, right: Term) -> dict[str, Term] | None:
    """Return the most general unifier of two terms, None if they do not unify."""
    bindings: dict[str, Term] = {}
    worklist = [(left, right)]
    while worklist:
        one, other = (substitute_term(term, bindings) for term in worklist.pop())
        if one == other:
            continue
        if isinstance(one, Variable) or isinstance(other, Variable):
            variable, value = (one, other) if isinstance(one, Variable) else (other, one)
            assert isinstance(variable, Variable)
            if variable in variables_of(value):
                return None
            step = {variable.name: value}
            bindings = {name: substitute_term(term, step) for name, term in bindings.items()} | step
        elif (
            isinstance(one, Function)
            and isinstance(other, Function)
            and (one.name, len(one.args)) == (other.name, len(other.args))
        ):
            worklist += zip(one.args, other.args, strict=True)
        else:
            return None
    return bindings


def _check_safety(rules: Sequence[Rule], source: Source) -> None:
    """Raise an error for the first variable that nothing binds."""
    held = [names_in((rule.head, *rule.body)) for rule in rules]
    for rule, names in zip(rules, held, strict=True):
        if names and (free := names - names_in(binders(rule))):
            literals = (rule.head, *rule.body)
            variable = next(v for part in literals for v in variables_in(part) if v.name in free)
            line, column = source.position((variable.span or rule.span or (0, 0))[0])
            raise RulesetError(
                f"{source.name}:{line}:{column}: nothing binds the variable {variable} "
                f"in a rule for '{rule.head.name}'"
            )
