"""Checks of names: used in two ways, spelled in two ways, used but not defined and so on.

All of these are warnings: the game can be played, but its author may have meant something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from gdl.errors import Problem, Source, Span, counted
from gdl.language import (
    KEYWORDS,
    And,
    Atom,
    Constant,
    Distinct,
    Function,
    Literal,
    Not,
    Or,
    RelationKey,
    Rule,
    Ruleset,
    Variable,
    body_atoms,
    named_in,
)
from gdl.validation.context import CheckContext, name_span, warning

Kind: TypeAlias = OneOf["relation", "function", "constant", "variable"]


_KINDS: Mapping[type, Kind] = {
    Atom: "relation",
    Function: "function",
    Constant: "constant",
    Variable: "variable",
}


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence of a name; ``arity`` is 0 for constants and variables."""

    kind: Kind
    name: str
    arity: int
    span: Span | None


def occurrences(ruleset: Ruleset) -> Iterator[Occurrence]:
    """Yield every name in the ruleset, rule by rule, heads before bodies."""
    for rule in ruleset.rules:
        yield from _in_rule(rule, ruleset.source)


def _in_rule(rule: Rule, source: Source) -> Iterator[Occurrence]:
    for part in named_in(rule):
        arity, span = 0, part.span
        if isinstance(part, Atom | Function):  # whose spans are those of whole forms
            arity, span = len(part.args), name_span(source, part.name, part.span)
        yield Occurrence(_KINDS[type(part)], part.name, arity, span)


# ---------------------------------------------------------------------- two uses of one name


def names_used_in_two_ways(context: CheckContext) -> Iterator[Problem]:
    """Report names with two arities, names of two kinds, and keywords inside terms."""
    first: dict[tuple[Kind, str], Occurrence] = {}
    reported: set[tuple[Kind, str, int]] = set()
    found = [o for o in occurrences(context.ruleset) if o.kind in ("relation", "function")]
    for one in found:
        other = first.setdefault((one.kind, one.name), one)
        if other.arity != one.arity and (one.kind, one.name, one.arity) not in reported:
            reported.add((one.kind, one.name, one.arity))
            yield _two_arities(one, other, context.ruleset.source)
    for (kind, name), function in first.items():
        if kind == "function" and name not in KEYWORDS and ("relation", name) in first:
            message = f"'{name}' is a function here and a relation elsewhere: two different things"
            yield warning("relation-and-function", message, function.span)


def _two_arities(one: Occurrence, other: Occurrence, source: Source) -> Problem:
    line, _ = source.position((other.span or (0, 0))[0])
    message = (
        f"the {one.kind} '{one.name}' has {counted(one.arity, 'argument')} here and {other.arity} "
        f"in line {line}: two different {one.kind}s"
    )
    return warning(f"{one.kind}-arities", message, one.span)


def keywords_in_terms(context: CheckContext) -> Iterator[Problem]:
    """Report the names of keyword relations inside terms, once for each name."""
    reported = set[str]()
    for found in occurrences(context.ruleset):
        keyword = found.name.lower()
        if found.kind in ("function", "constant") and keyword in KEYWORDS:
            if keyword not in reported:
                message = f"'{keyword}' is used as an ordinary name inside a term"
                yield warning("keyword-as-term", message, found.span)
            reported.add(keyword)


# ---------------------------------------------------------------------- spelling


def odd_spellings(context: CheckContext) -> Iterator[Problem]:
    """Report names that differ in case only, and names with unusual characters."""
    source = context.ruleset.source
    first: dict[str, str] = {}
    reported = set[str]()
    for rule in context.ruleset.rules:
        variables: dict[str, str] = {}
        for found in _in_rule(rule, source):
            spelling = _spelling(found, source)
            known = variables if found.kind == "variable" else first
            other = known.setdefault(found.name.lower(), spelling)
            mark = "?" if found.kind == "variable" else ""
            if other != spelling and mark + spelling not in reported:
                reported.add(mark + spelling)
                message = f"'{mark}{spelling}' and '{mark}{other}' are one and the same name"
                yield warning("capitals", message, found.span)
            if mark + found.name not in reported and not _is_plain(found.name):
                reported.add(mark + found.name)
                message = f"the name '{mark}{found.name}' has characters that other programs refuse"
                yield warning("unusual-name", message, found.span)


def _spelling(found: Occurrence, source: Source) -> str:
    """Return the name as the text spells it at this occurrence."""
    if found.span is None:
        return found.name
    written = source.text[slice(*found.span)].lstrip("?")
    return written if written.lower() == found.name.lower() else found.name


def _is_plain(name: str) -> bool:
    return all(character.isalnum() or character in "_-" for character in name)


# ---------------------------------------------------------------------- definitions and uses


def undefined_relations(context: CheckContext) -> Iterator[Problem]:
    """Report relations that occur in bodies and that nothing defines."""
    ruleset = context.ruleset
    known: set[RelationKey] = {rule.head.relation for rule in ruleset.rules}
    for rule in ruleset.rules:
        for atom, _ in body_atoms(rule):
            name = atom.name.lower()
            if atom.relation in known or name in KEYWORDS or name in context.unread:
                continue
            known.add(atom.relation)
            message = f"nothing defines {_described(atom.relation)}: it is always false"
            yield warning("undefined-relation", message, _span_of_name(atom, ruleset))


def unused_relations(context: CheckContext) -> Iterator[Problem]:
    """Report relations that are defined and that no rule for another relation uses."""
    used = {
        target
        for origin, targets in context.graph.items()
        for target in targets
        if target != origin
    }
    ruleset = context.ruleset
    for rule in ruleset.rules:
        head = rule.head
        if head.relation in used or head.name in KEYWORDS:
            continue
        used.add(head.relation)
        if head.name.lower() not in context.unread:
            message = f"nothing uses {_described(head.relation)}"
            yield warning("unused-relation", message, _span_of_name(head, ruleset))


def _described(relation: RelationKey) -> str:
    name, arity = relation
    return f"the relation '{name}' with {counted(arity, 'argument')}" if arity else f"'{name}'"


def _span_of_name(atom: Atom, ruleset: Ruleset) -> Span | None:
    return name_span(ruleset.source, atom.name, atom.span)


# ---------------------------------------------------------------------- equality


def negated_inequalities(context: CheckContext) -> Iterator[Problem]:
    """Report ``(not (distinct a b))``, which other programs refuse."""
    for rule in context.ruleset.rules:
        for literal in rule.body:
            yield from _negated_in(literal)


def _negated_in(literal: Literal) -> Iterator[Problem]:
    if isinstance(literal, Not) and isinstance(literal.literal, Distinct):
        message = "a negated 'distinct' means equality: write one term in place of the other"
        yield warning("negated-distinct", message, literal.span)
    elif isinstance(literal, Not):
        yield from _negated_in(literal.literal)
    elif isinstance(literal, Or | And):
        for part in literal.literals:
            yield from _negated_in(part)
