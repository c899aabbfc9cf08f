"""Checks of the relations to which the language gives a meaning: where they may stand.

Source: M. Genesereth, M. Thielscher, General Game Playing (2014), section 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdl.errors import Problem
from gdl.language import KEYWORDS, Atom, Constant, Function, Level, Rule, Term, Variable, atoms_of
from gdl.validation.context import CheckContext, error, warning

REQUIRED = {
    "role": "no role is named",
    "legal": "no move is legal",
    "goal": "no goal is stated",
    "terminal": "nothing ends a match",
}
"""The relations that every game defines, with what it means if one is missing."""


def missing_relations(analysis: CheckContext) -> Iterator[Problem]:
    """Report the relations that no game can do without."""
    defined = {rule.head.name for rule in analysis.ruleset.rules}
    start = (0, min(1, len(analysis.ruleset.source.text)))
    for name, meaning in REQUIRED.items():
        if name not in defined and name not in analysis.unread:
            yield error(f"missing-{name}", f"{meaning}: '{name}' is not defined anywhere", start)


def misplaced_relations(analysis: CheckContext) -> Iterator[Problem]:
    """Report what the rules may only use or only define, where they do the other."""
    for rule in analysis.ruleset.rules:
        keyword = KEYWORDS.get(rule.head.name)
        if keyword is not None and not keyword.in_head:
            message = f"'{rule.head.name}' comes from the match: rules may only ask for it"
            yield error("keyword-in-head", message, rule.head.span)
        for literal in rule.body:
            for atom, _ in atoms_of(literal):
                asked = KEYWORDS.get(atom.name)
                if asked is not None and not asked.in_body:
                    message = f"'{atom.name}' can be defined but not asked for in a body"
                    yield error("keyword-in-body", message, atom.span)


def forbidden_dependencies(analysis: CheckContext) -> Iterator[Problem]:
    """Report what depends on the state or on moves and must not."""
    for rule in analysis.ruleset.rules:
        keyword = KEYWORDS.get(rule.head.name)
        if keyword is not None and keyword.in_head:
            yield from _forbidden_in(rule, keyword.level, analysis)


def _forbidden_in(rule: Rule, highest: Level, analysis: CheckContext) -> Iterator[Problem]:
    """Report the first atom of a rule through which its head depends on too much."""
    for literal in rule.body:
        for atom, _ in atoms_of(literal):
            level = analysis.level[atom.relation]
            if level <= highest:
                continue
            source = ("true", 1) if level is Level.VIEW else ("does", 2)
            message = f"'{rule.head.name}' must not depend on '{source[0]}'"
            if atom.relation != source:
                message += f": {analysis.chain(atom.relation, source)}"
            code = "depends-on-moves" if highest is Level.VIEW else "depends-on-state"
            yield error(code, message, atom.span)
            return


# ---------------------------------------------------------------------- what can never match

_MADE_BY = {"true": ("init", "next"), "does": ("legal",)}
"""The relations whose heads say what can be true, and what can be done."""


def impossible_terms(analysis: CheckContext) -> Iterator[Problem]:
    """Report facts that no rule makes true, and moves that no rule makes legal."""
    rules = analysis.ruleset.rules
    for asked, makers in _MADE_BY.items():
        made = [rule.head.args[-1] for rule in rules if rule.head.name in makers]
        if any(isinstance(term, Variable) for term in made):
            continue
        known = set(map(_kind, made))
        for atom in _body_atoms(rules, asked):
            term = atom.args[-1]
            if isinstance(term, Variable) or _kind(term) in known:
                continue
            known.add(_kind(term))
            if term.name.lower() in analysis.unread:
                continue
            what = "is never true" if asked == "true" else "can never be done"
            message = f"{term} {what}: no rule for {' or '.join(map(repr, makers))} has such a head"
            yield warning(f"never-{asked}", message, term.span)


def unknown_roles(analysis: CheckContext) -> Iterator[Problem]:
    """Report what stands in the place of a role and is none."""
    rules = analysis.ruleset.rules
    stated = [rule.head.args[0] for rule in rules if rule.head.name == "role" and not rule.body]
    if len(stated) < sum(rule.head.name == "role" for rule in rules) or not stated:
        return
    known = set(stated)
    for rule in rules:
        for atom in (rule.head, *(a for literal in rule.body for a, _ in atoms_of(literal))):
            keyword = KEYWORDS.get(atom.name)
            role = atom.args[0] if keyword is not None and keyword.starts_with_role else None
            if isinstance(role, Constant) and role not in known:
                known.add(role)
                if role.name.lower() not in analysis.unread:
                    yield warning("unknown-role", f"no role is called {role}", role.span)


def _body_atoms(rules: Iterable[Rule], name: str) -> Iterator[Atom]:
    for rule in rules:
        for literal in rule.body:
            for atom, _ in atoms_of(literal):
                if atom.name == name:
                    yield atom


def _kind(term: Term) -> tuple[str, int]:
    return term.name, len(term.args) if isinstance(term, Function) else 0
