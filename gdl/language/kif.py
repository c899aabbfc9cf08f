"""The reader of KIF, ``(legal ?p (mark ?n))``: from text to forms.

Parentheses are balanced first, because everything else depends on them; then the Lark grammar
``kif.lark`` turns the text into forms. Both steps report problems and go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from lark import Lark, Token, Transformer

from gdl.errors import Problem, Source, Span
from gdl.language.forms import (
    MAX_NESTING,
    MAX_PROBLEMS,
    Expression,
    Form,
    syntax_error,
    too_deep,
    too_long,
    unclosed,
    unopened,
)
from gdl.language.lexical import COMMENT, NAME_CHARACTER


def read_kif(source: Source) -> tuple[list[Expression], list[Problem]]:
    """Read a text as a sequence of expressions, and report what is not KIF."""
    if problem := too_long(source.text):
        return [], [problem]
    text, problems = _without_bad_characters(source.text)
    text, unbalanced = _balance(text)
    problems += unbalanced
    if len(problems) >= MAX_PROBLEMS:
        return [], problems
    return _lark().parse(text), problems  # type: ignore[return-value]  # our transformer's type


class _FormBuilder(Transformer[Token, Sequence[Expression]]):
    """Turns Lark's reductions into forms while it parses, without a tree in between."""

    def list(self, children: Sequence[Expression]) -> Form:
        opening, *items, closing = children
        assert isinstance(opening, Token)
        assert isinstance(closing, Token)
        return Form(tuple(items), (opening.start_pos or 0, closing.end_pos or 0))

    def start(self, children: Sequence[Expression]) -> Sequence[Expression]:
        return children


@cache
def _lark() -> Lark:
    grammar = Path(__file__).with_name("kif.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", transformer=_FormBuilder())


# ---------------------------------------------------------------------- characters

_COMMENT_OR_BAD = re.compile(
    rf"{COMMENT}|[\x00-\x08\x0e-\x1b\x7f]|(?<!{NAME_CHARACTER})\?(?!{NAME_CHARACTER})"
)
"""A comment, a control character, or a question mark that no name follows."""


def _without_bad_characters(text: str) -> tuple[str, list[Problem]]:
    """Blank out characters that the grammar does not accept, and report them."""
    problems: list[Problem] = []
    for match in _COMMENT_OR_BAD.finditer(text):
        if not match.group().startswith(";"):
            message = f"unexpected character {match.group()!r}"
            if match.group() == "?":
                message = "a variable needs a name after the question mark"
            problems.append(syntax_error("bad-character", message, match.span()))
            if len(problems) >= MAX_PROBLEMS:
                break
    return _blanked(text, [problem.span for problem in problems]), problems


# ---------------------------------------------------------------------- parentheses

_PARENTHESIS_OR_COMMENT = re.compile(rf"{COMMENT}|[()]")


def _balance(text: str) -> tuple[str, list[Problem]]:
    """Blank out what keeps the parentheses from matching, and report it.

    A form that is still open where another begins at the start of a line is taken to end there:
    a missing parenthesis then spoils one form and not the rest of the text.
    """
    problems: list[Problem] = []
    open_at: list[int] = []
    blanks: list[Span] = []
    ends_open = _ends_open(text)
    for match in _PARENTHESIS_OR_COMMENT.finditer(text):
        at, token = match.start(), match.group()[0]
        if token == "(":
            if ends_open and open_at and (at == 0 or text[at - 1] in "\r\n"):
                problems.append(_unclosed(open_at))
                blanks.append((open_at[0], at))
                open_at.clear()
            open_at.append(at)
            if len(open_at) > MAX_NESTING:
                return "", [*problems, too_deep((at, at + 1))]
        elif token == ")":
            if open_at:
                open_at.pop()
            else:
                problems.append(unopened(")", "(", (at, at + 1)))
                blanks.append((at, at + 1))
        if len(problems) >= MAX_PROBLEMS:
            return "", problems
    if open_at:
        problems.append(_unclosed(open_at))
        blanks.append((open_at[0], len(text)))
    return _blanked(text, blanks), problems


def _ends_open(text: str) -> bool:
    """Return True if more parentheses open than close."""
    depth = 0
    for match in _PARENTHESIS_OR_COMMENT.finditer(text):
        token = match.group()[0]
        if token == "(":
            depth += 1
        elif token == ")" and depth:
            depth -= 1
    return depth > 0


def _unclosed(open_at: Sequence[int]) -> Problem:
    at = open_at[-1]
    return unclosed("(", (at, at + 1), len(open_at) - 1)


def _blanked(text: str, spans: Iterable[Span]) -> str:
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], " " * (end - start)]
        last = end
    return "".join([*parts, text[last:]])
