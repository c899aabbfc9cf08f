"""Checks of the keyword relations: where they may stand and what they may depend on.

Source: M. Genesereth, M. Thielscher, General Game Playing (2014), section 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdl.errors import Problem
from gdl.language import KEYWORDS, Constant, Function, Level, Rule, Term, Variable, body_atoms
from gdl.validation.context import CheckContext, error, warning

REQUIRED = {
    "role": "no role is named",
    "legal": "no move is legal",
    "goal": "no goal is stated",
    "terminal": "nothing ends a match",
}
"""The relations that every game defines, and what is wrong where one is missing."""


def missing_relations(context: CheckContext) -> Iterator[Problem]:
    """Report the relations that every game needs and this one does not define."""
    defined = {rule.head.name for rule in context.ruleset.rules}
    start = (0, min(1, len(context.ruleset.source.text)))
    for name, meaning in REQUIRED.items():
        if name not in defined and name not in context.unread:
            yield error(f"missing-{name}", f"{meaning}: '{name}' is not defined anywhere", start)


def misplaced_relations(context: CheckContext) -> Iterator[Problem]:
    """Report ``true`` and ``does`` in heads; ``init``, ``next``, ``base``, ``input`` in bodies."""
    for rule in context.ruleset.rules:
        keyword = KEYWORDS.get(rule.head.name)
        if keyword is not None and not keyword.in_head:
            message = f"'{rule.head.name}' comes from the match: rules may only ask for it"
            yield error("keyword-in-head", message, rule.head.span)
        for atom, _ in body_atoms(rule):
            asked = KEYWORDS.get(atom.name)
            if asked is not None and not asked.in_body:
                message = f"'{atom.name}' can be defined but not asked for in a body"
                yield error("keyword-in-body", message, atom.span)


def misformed_roles(context: CheckContext) -> Iterator[Problem]:
    """Report roles that are no constants."""
    for rule in context.ruleset.rules:
        if rule.head.name == "role" and isinstance(rule.head.args[0], Function):
            message = f"a role is a constant, and {rule.head.args[0]} is not"
            yield error("role-not-constant", message, rule.head.args[0].span)


def forbidden_dependencies(context: CheckContext) -> Iterator[Problem]:
    """Report keyword relations that depend on the state or on moves and must not."""
    for rule in context.ruleset.rules:
        keyword = KEYWORDS.get(rule.head.name)
        if keyword is not None and keyword.in_head:
            yield from _forbidden_in(rule, keyword.level, context)


def _forbidden_in(rule: Rule, highest: Level, context: CheckContext) -> Iterator[Problem]:
    """Report the first atom of a rule through which its head depends on too much."""
    for atom, _ in body_atoms(rule):
        level = context.level[atom.relation]
        if level <= highest:
            continue
        source = ("true", 1) if level is Level.VIEW else ("does", 2)
        message = f"'{rule.head.name}' must not depend on '{source[0]}'"
        if atom.relation != source:
            message += f": {context.chain(atom.relation, source)}"
        code = "depends-on-moves" if highest is Level.VIEW else "depends-on-state"
        yield error(code, message, atom.span)
        return


# ---------------------------------------------------------------------- what can never match

_MADE_BY = {"true": ("init", "next"), "does": ("legal",)}
"""The relations whose heads say which facts can be true, and which moves can be made."""


def impossible_terms(context: CheckContext) -> Iterator[Problem]:
    """Report facts that no rule makes true, and moves that no rule makes legal."""
    rules = context.ruleset.rules
    for asked, makers in _MADE_BY.items():
        made = [rule.head.args[-1] for rule in rules if rule.head.name in makers]
        if any(isinstance(term, Variable) for term in made):
            continue
        known = set(map(_kind, made))
        atoms = (atom for rule in rules for atom, _ in body_atoms(rule) if atom.name == asked)
        for atom in atoms:
            term = atom.args[-1]
            if isinstance(term, Variable) or _kind(term) in known:
                continue
            known.add(_kind(term))
            if term.name.lower() in context.unread:
                continue
            what = "is never true" if asked == "true" else "can never be done"
            message = f"{term} {what}: no rule for {' or '.join(map(repr, makers))} has such a head"
            yield warning(f"never-{asked}", message, term.span)


def unknown_roles(context: CheckContext) -> Iterator[Problem]:
    """Report constants that stand where a role must stand, and name none."""
    rules = context.ruleset.rules
    stated = [rule.head.args[0] for rule in rules if rule.head.name == "role" and not rule.body]
    if len(stated) < sum(rule.head.name == "role" for rule in rules) or not stated:
        return
    known = set(stated)
    for rule in rules:
        for atom in (rule.head, *(atom for atom, _ in body_atoms(rule))):
            keyword = KEYWORDS.get(atom.name)
            role = atom.args[0] if keyword is not None and keyword.starts_with_role else None
            if isinstance(role, Constant) and role not in known:
                known.add(role)
                if role.name.lower() not in context.unread:
                    yield warning("unknown-role", f"no role is called {role}", role.span)


def _kind(term: Term) -> tuple[str, int]:
    return term.name, len(term.args) if isinstance(term, Function) else 0
