"""Rewriting rules into a normal form with the same meaning.

In the normal form, the body of a rule holds atoms, which bind variables, and filters, which only
test values that atoms have bound: negated atoms, inequalities and disjunctions of these.
``and`` is gone, ``not`` stands before atoms and inequalities only, and a disjunction that binds
a variable has become several rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
    substitute,
    substitute_term,
    variables_in,
    variables_of,
)

MAX_ALTERNATIVES = 4096
"""How many bodies multiplying out a rule's disjunctions may go through."""


def normal_form(rules: Iterable[Rule], source: Source) -> list[Rule]:
    """Return rules in normal form, without duplicates.

    Raises :class:`gdl.RulesetError` for a rule with a variable that nothing binds, with its
    position in ``source``.
    """
    result: dict[Rule, None] = {}
    for rule in rules:
        for alternative in _alternatives(rule):
            _check_safety(alternative, source)
            result[alternative] = None
    return list(result)


def split_recursion(rules: Iterable[Rule]) -> list[Rule]:
    """Multiply out each disjunction that holds a relation defined through the rule's own head.

    New rows of such a relation are followed through atoms of the body, not through filters.
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

    split = (part for rule in rules for part in expand(rule, recursive_disjunction))
    return list(dict.fromkeys(split))


def expand(
    rule: Rule, choose: Callable[[Rule], int | None], limit: float = MAX_ALTERNATIVES
) -> Iterator[Rule]:
    """Multiply out the disjunctions of a rule that ``choose`` points at, one after the other.

    ``choose`` returns the index of a disjunction in the body, None where none is left to expand.
    The rules come in the order of the branches, the last disjunction varying fastest. Raises
    :class:`gdl.ResourceLimitError` where more than ``limit`` bodies are visited.
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
    """Multiply out every disjunction of a rule, without a limit: bound what you take."""
    return expand(_in_conjuncts(rule), _first_disjunction, inf)


def _first_disjunction(rule: Rule) -> int | None:
    return next((i for i, literal in enumerate(rule.body) if isinstance(literal, Or)), None)


def _in_conjuncts(rule: Rule) -> Rule:
    """Push negation inwards, down to atoms and inequalities, and dissolve the conjunctions."""
    body = tuple(part for literal in rule.body for part in _conjuncts(_inward(literal)))
    return Rule(rule.head, body, rule.span)


def binders(rule: Rule) -> Iterator[Atom]:
    """Yield the atoms of a normal body, which bind its variables."""
    return (literal for literal in rule.body if isinstance(literal, Atom))


def _alternatives(rule: Rule) -> Iterator[Rule]:
    for alternative in expand(_in_conjuncts(rule), _binding_disjunction):
        solved = _solve_equalities(alternative)
        if solved is not None:
            yield solved


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
    """Return the index of a disjunction with a variable that no atom of the body binds."""
    bound = {v.name for atom in binders(rule) for v in variables_in(atom)}
    for index, literal in enumerate(rule.body):
        if isinstance(literal, Or) and any(v.name not in bound for v in variables_in(literal)):
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
    """Replace ``(not (distinct a b))`` by unifying a and b; None where the body cannot hold."""
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
    """Return the most general unifier of two terms, None where there is none."""
    bindings: dict[str, Term] = {}
    agenda = [(left, right)]
    while agenda:
        one, other = (substitute_term(term, bindings) for term in agenda.pop())
        if one == other:
            continue
        if isinstance(one, Variable) or isinstance(other, Variable):
            variable, value = (one, other) if isinstance(one, Variable) else (other, one)
            assert isinstance(variable, Variable)
            if variable in variables_of(value):
                return None
            step = {variable.name: value}
            bindings = {name: substitute_term(term, step) for name, term in bindings.items()} | step
        elif _same_function(one, other):
            assert isinstance(one, Function)
            assert isinstance(other, Function)
            agenda += zip(one.args, other.args, strict=True)
        else:
            return None
    return bindings


def _same_function(one: Term, other: Term) -> bool:
    return (
        isinstance(one, Function)
        and isinstance(other, Function)
        and one.name == other.name
        and len(one.args) == len(other.args)
    )


def _check_safety(rule: Rule, source: Source) -> None:
    bound = {v.name for atom in binders(rule) for v in variables_in(atom)}
    for literal in (rule.head, *rule.body):
        for variable in variables_in(literal):
            if variable.name not in bound:
                line, column = source.position((variable.span or rule.span or (0, 0))[0])
                raise RulesetError(
                    f"{source.name}:{line}:{column}: nothing binds the variable {variable} "
                    f"in a rule for '{rule.head.name}'"
                )
