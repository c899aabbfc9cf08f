"""Narrowing: what huge rules ask for is restated over fewer arguments, before they are split.

Three passes, each of which makes room for the next:

- rules that differ in one atom alone are one rule over a relation that joins what differs, and so
  is a rule that holds a disjunction;
- a static relation that only says by cases which arguments are distinct is written out by cases,
  so that each case holds fewer variables;
- a wide relation that is negated is taken apart into relations that hold only those arguments
  that its rules look at: ``not p(a, b, c)`` becomes ``not q(a, b), not r(b, c)``.

Before the last, :mod:`gdl.grounding.argument_specialization` does the same for relations that are not negated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdl.datalog import (
    EMPTY,
    CardinalityEstimator,
    Columns,
    Domain,
    Domains,
    Level,
    variable_domains,
)
from gdl.language import (
    Atom,
    Constant,
    Distinct,
    Literal,
    Not,
    Or,
    RelationKey,
    Rule,
    Term,
    Variable,
    atoms_of,
    by_relation,
    holds_distinct_variables,
    names_in,
    substitute,
    variables_in,
)

MANY = 1_000.0
"""Rules with fewer instances, and relations with fewer rows, are left alone."""

Values: TypeAlias = Mapping[str, Domain]
Definitions: TypeAlias = Mapping[RelationKey, Sequence[Rule]]


@dataclass(frozen=True, slots=True)
class RuleKnowledge:
    """What is known of the rules: what relations depend on, their sizes and their columns."""

    level_of: Callable[[RelationKey], Level]
    statistics: CardinalityEstimator
    domains: Domains

    def has_many_instances(self, rule: Rule) -> bool:
        """Tell whether a rule is large enough to be restated."""
        return self.statistics.instances(rule.body, names_in(rule.body)) > MANY

    def is_wide(self, relation: RelationKey) -> bool:
        """Tell whether a relation is large enough to be taken apart."""
        return self.statistics.domain_size(relation) > MANY


# ---------------------------------------------------------------------- alternatives


def join_alternatives(rules: Sequence[Rule], knowledge: RuleKnowledge) -> Iterator[Rule]:
    """Yield the rules; those that differ in one atom's relation alone become one."""
    large = {rule for rule in rules if knowledge.has_many_instances(rule)}
    names: dict[tuple[RelationKey, ...], str] = {}
    choices: dict[Or, Atom] = {}
    joined = _joined([rule for rule in rules if rule in large], knowledge, names)
    for rule in rules:
        kept = joined.get(rule, rule)
        if kept is not None and rule in large:
            body = tuple(_one_atom(part, choices) for part in kept.body)
            kept = Rule(kept.head, body, kept.span)
        if kept is not None:
            yield kept
    for choice, atom in choices.items():
        yield from (Rule(atom, (part,)) for part in choice.literals)
    for key, name in names.items():
        for relation in key:
            args = tuple(Variable(str(i)) for i in range(relation[1]))
            yield Rule(Atom(name, args), (Atom(relation[0], args),))


def _joined(
    rules: Sequence[Rule], knowledge: RuleKnowledge, names: dict[tuple[RelationKey, ...], str]
) -> dict[Rule, Rule | None]:
    """Return what stands for rules that can be joined: one rule for the first, None for others.

    ``names`` receives the names of the relations that join others.
    """
    alike: dict[tuple[object, ...], list[tuple[Rule, Atom]]] = {}
    for rule in rules:
        for atom in _replaceable(rule, knowledge):
            rest = frozenset(part for part in rule.body if part != atom)
            alike.setdefault((rule.head, rest, atom.args), []).append((rule, atom))
    joined: dict[Rule, Rule | None] = {}
    for group in alike.values():
        free = {rule: atom for rule, atom in group if rule not in joined}
        if len(free) > 1:
            key = tuple(sorted({atom.relation for atom in free.values()}))
            name = names.setdefault(key, f" any {len(names)}")
            first, replaced = next(iter(free.items()))
            rest_of_body = tuple(part for part in first.body if part != replaced)
            body = (*rest_of_body, Atom(name, replaced.args))
            joined |= dict.fromkeys(free)
            joined[first] = Rule(first.head, body, first.span)
    return joined


def _one_atom(literal: Literal, choices: dict[Or, Atom]) -> Literal:
    """Return the atom of a relation that joins a disjunction's atoms; other literals as are."""
    if not isinstance(literal, Or) or not all(isinstance(part, Atom) for part in literal.literals):
        return literal
    names = [names_in([part]) for part in literal.literals]
    if any(own != names[0] for own in names):
        return literal
    args = tuple(map(Variable, sorted(names[0])))
    return choices.setdefault(literal, Atom(f" either {len(choices)}", args))


def _replaceable(rule: Rule, knowledge: RuleKnowledge) -> Iterator[Atom]:
    for atom in rule.body:
        if (
            isinstance(atom, Atom)
            and atom.relation != rule.head.relation
            and knowledge.level_of(atom.relation) is not Level.STATIC
            and holds_distinct_variables(atom)
        ):
            yield atom


# ---------------------------------------------------------------------- cases


def write_out_cases(rules: Sequence[Rule], knowledge: RuleKnowledge) -> Iterator[Rule]:
    """Yield the rules; in large ones, relations that only compare are replaced by their cases."""
    defined = by_relation(rules)
    facts = static_sets(defined)
    compares = {
        relation: own
        for relation, own in defined.items()
        if len(own) > 1 and all(_only_compares(rule, facts) for rule in own)
    }
    for rule in rules:
        if knowledge.has_many_instances(rule):
            yield from _by_cases(rule, compares, facts, knowledge)
        else:
            yield rule


def _only_compares(rule: Rule, facts: Mapping[RelationKey, set[str]]) -> bool:
    """Tell whether a rule says no more than that some of its arguments are distinct."""
    own = names_in([rule.head])
    return holds_distinct_variables(rule.head) and all(
        names_in([part]) <= own
        and (isinstance(part, Distinct) or (isinstance(part, Atom) and part.relation in facts))
        for part in rule.body
    )


def _by_cases(
    rule: Rule,
    compares: Definitions,
    facts: Mapping[RelationKey, set[str]],
    knowledge: RuleKnowledge,
) -> list[Rule]:
    others = tuple(
        part for part in rule.body if isinstance(part, Atom) and part.relation not in compares
    )
    values = variable_domains(Rule(rule.head, others), knowledge.domains) or {}
    bound = names_in(others)
    bodies: list[tuple[Literal, ...]] = [()]
    for literal in rule.body:
        cases: list[tuple[Literal, ...]] = [(literal,)]
        if isinstance(literal, Atom) and literal.relation in compares:
            cases = [_inlined(case, literal) for case in compares[literal.relation]]
        bodies = [(*body, *case) for body in bodies for case in cases]
    return [
        Rule(
            rule.head,
            tuple(
                dict.fromkeys(
                    part
                    for part in body
                    if part in rule.body or not is_implied(part, bound, values, facts)
                )
            ),
            rule.span,
        )
        for body in bodies
    ]


def _inlined(case: Rule, call: Atom) -> tuple[Literal, ...]:
    renaming = {
        variable.name: term
        for variable, term in zip(case.head.args, call.args, strict=True)
        if isinstance(variable, Variable)
    }
    return tuple(substitute(part, renaming) for part in case.body)


def is_implied(
    literal: Literal, bound: set[str], values: Values, facts: Mapping[RelationKey, set[str]]
) -> bool:
    """Tell whether a literal says no more of a bound variable than its domain does."""
    if not isinstance(literal, Atom) or literal.relation not in facts:
        return False
    (term,) = literal.args
    return (
        isinstance(term, Variable)
        and term.name in bound
        and _within(values.get(term.name, EMPTY), facts[literal.relation])
    )


# ---------------------------------------------------------------------- negated relations


def take_apart_negated(rules: Sequence[Rule], knowledge: RuleKnowledge) -> Iterator[Rule]:
    """Yield the rules; wide negated relations are replaced by several narrower ones."""
    defined = by_relation(rules)
    facts = static_sets(defined)
    parts: dict[RelationKey, dict[Columns, str]] = {}
    made: list[Rule] = []
    for relation, allowed in _negated(rules, knowledge).items():
        own = defined.get(relation, ())
        if len(own) > 1 and all(holds_distinct_variables(rule.head) for rule in own):
            narrowed = [_narrowed(rule, allowed, facts) for rule in own]
            if any(len(columns) < relation[1] for columns, _ in narrowed):
                names = parts[relation] = {}
                for columns, rule in narrowed:
                    name = names.setdefault(columns, f" part {len(names)} {relation[0]}")
                    args = tuple(rule.head.args[column] for column in columns)
                    made.append(Rule(Atom(name, args), rule.body, rule.span))
    replaced = [_with_parts(rule, parts) for rule in (*rules, *made)]
    asked = {atom.relation for rule in replaced for part in rule.body for atom, _ in atoms_of(part)}
    for rule in replaced:
        if rule.head.relation in asked or rule.head.relation not in parts:
            yield rule


def _negated(rules: Sequence[Rule], knowledge: RuleKnowledge) -> dict[RelationKey, list[Domain]]:
    """Return the wide relations that are negated, with what each column is asked for."""
    asked: dict[RelationKey, list[Domain]] = {}
    for rule in rules:
        values: Values | None = None
        for part in rule.body:
            atom = part.literal if isinstance(part, Not) else None
            if isinstance(atom, Atom) and knowledge.is_wide(atom.relation):
                values = values or variable_domains(rule, knowledge.domains) or {}
                columns = asked.setdefault(atom.relation, [Domain() for _ in atom.args])
                for domain, term in zip(columns, atom.args, strict=True):
                    domain.add(_domain_of(term, values))
    return asked


def _domain_of(term: Term, values: Values) -> Domain:
    return values.get(term.name, EMPTY) if isinstance(term, Variable) else Domain.of(term)


def _narrowed(
    rule: Rule, allowed: Sequence[Domain], facts: Mapping[RelationKey, set[str]]
) -> tuple[Columns, Rule]:
    """Return the columns that a rule looks at, and the rule without looks at the others."""
    kept: list[int] = []
    idle: set[Literal] = set()
    for column, term in enumerate(rule.head.args):
        assert isinstance(term, Variable)
        holding = {part for part in rule.body if term in variables_in(part)}
        if all(
            isinstance(part, Atom)
            and part.relation in facts
            and _within(allowed[column], facts[part.relation])
            for part in holding
        ):
            idle |= holding
        else:
            kept.append(column)
    body = tuple(part for part in rule.body if part not in idle)
    return tuple(kept), Rule(rule.head, body, rule.span)


def _with_parts(rule: Rule, parts: Mapping[RelationKey, Mapping[Columns, str]]) -> Rule:
    body: list[Literal] = []
    for literal in rule.body:
        atom = literal.literal if isinstance(literal, Not) else None
        if isinstance(atom, Atom) and atom.relation in parts:
            for columns, name in parts[atom.relation].items():
                body.append(Not(Atom(name, tuple(atom.args[column] for column in columns))))
        else:
            body.append(literal)
    return Rule(rule.head, tuple(body), rule.span)


# ---------------------------------------------------------------------- in common


def static_sets(defined: Definitions) -> dict[RelationKey, set[str]]:
    """Return the relations of one argument that are stated as facts, with their constants."""
    return {
        relation: {str(rule.head.args[0]) for rule in own}
        for relation, own in defined.items()
        if relation[1] == 1
        and all(not rule.body and isinstance(rule.head.args[0], Constant) for rule in own)
    }


def _within(domain: Domain, constants: set[str]) -> bool:
    return not domain.functions and domain.constants <= constants
