"""Forms: rulesheets as nested lists of names, before anything in them has a meaning.

Both notations, KIF and infix, are read into forms; a form printed with parentheses is KIF.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from lark import Token

from gdl.errors import Problem, Severity, Span

MAX_DEPTH = 200
"""The deepest nesting of parentheses read; the deepest known game has 25."""

MAX_CHARACTERS = 32 * 2**20
"""The longest text read."""

MAX_TOKENS = 1_000_000
"""The most words and signs read, about ten times what the largest known game has."""

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
    """Tell whether the form is a name that has parentheses in the text though no arguments."""
    return len(form.items) == 1 and form.span != span_of(form.items[0])


def syntax_error(code: str, message: str, span: Span) -> Problem:
    """Return a problem that keeps a text from being read."""
    return Problem(Severity.ERROR, code, message, span)


def too_long(text: str) -> Problem | None:
    """Return the problem of a text that takes too long to read, None for any other."""
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
