"""Forms: rulesheets as nested lists of names, before anything in them has a meaning.

Forms are what KIF shows; infix is read into the same forms. The limits of reading are here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from lark import Token

from gdl.errors import Problem, Severity, Span

MAX_NESTING = 200
"""The deepest nesting of parentheses read; the deepest known game has 25."""

MAX_CHARACTERS = 32 * 2**20
"""The longest text read."""

MAX_TOKENS = 1_000_000
"""The most words and signs read, about ten times as many as the largest known game has."""

MAX_PROBLEMS = 100
"""How many errors, and how many warnings, one reading reports."""

_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Form:
    """A list of expressions.

    The span of a list of one name is the name's own where the text has no parentheses around it.
    """

    items: tuple[Expression, ...]
    span: Span


Expression: TypeAlias = Form | Token
"""A list, or a token of the type ``NAME`` or, with its question mark, ``VARIABLE``."""


def span_of(expression: Expression) -> Span:
    """Return the offsets of the text that an expression was read from."""
    if isinstance(expression, Form):
        return expression.span
    return expression.start_pos or 0, expression.end_pos or 0


def has_empty_parentheses(form: Form) -> bool:
    """Return True for a name that has parentheses in the text but no arguments."""
    return len(form.items) == 1 and form.span != span_of(form.items[0])


def syntax_error(code: str, message: str, span: Span) -> Problem:
    """Return an error found in reading a text."""
    return Problem(Severity.ERROR, code, message, span)


def too_deep(span: Span) -> Problem:
    """Return the error of parentheses that are nested too deeply."""
    return syntax_error("too-deep", f"parentheses nested deeper than {MAX_NESTING} levels", span)


def unclosed(opening: str, span: Span, around: int) -> Problem:
    """Return the error of a parenthesis that is never closed, nor are those around it."""
    those = "is the one" if around == 1 else f"are the {around}"
    more = f", nor {those} around it" if around else ""
    return syntax_error("unclosed-parenthesis", f"this '{opening}' is never closed{more}", span)


def unopened(closing: str, opening: str, span: Span) -> Problem:
    """Return the error of a parenthesis that closes nothing."""
    message = f"this '{closing}' closes nothing: a '{opening}' is missing or it is one too many"
    return syntax_error("extra-parenthesis", message, span)


def too_long(text: str) -> Problem | None:
    """Return an error if the text is longer than the limits of reading, otherwise None."""
    if len(text) > MAX_CHARACTERS:
        message = f"the text has {len(text)} characters; at most {MAX_CHARACTERS} are read"
        return syntax_error("too-long", message, (0, 1))
    if len(text) > MAX_TOKENS and sum(1 for _ in _TOKEN.finditer(text)) > MAX_TOKENS:
        message = f"the text has over {MAX_TOKENS} words and signs"
        return syntax_error("too-long", message, (0, 1))
    return None


def first_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return the first ``MAX_PROBLEMS`` errors and as many warnings, in text order."""
    ordered = sorted(problems, key=lambda problem: problem.span)
    left = dict.fromkeys(Severity, MAX_PROBLEMS)
    kept = []
    for problem in ordered:
        left[problem.severity] -= 1
        if left[problem.severity] >= 0:
            kept.append(problem)
    return kept
