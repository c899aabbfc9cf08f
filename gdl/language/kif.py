"""The reader of KIF, ``(legal ?p (mark ?n))``: from text to forms.

Parentheses are balanced first, because everything else depends on them; that reports problems and
goes on. Then the text is read into forms, word by word: which of the lists are rules and which
words are keywords is decided in :mod:`.parser`, because GDL's keywords are no reserved words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lark import Token

from gdl.errors import Problem, Source, Span
from gdl.language.forms import (
    MAX_DEPTH,
    MAX_PROBLEMS,
    Expression,
    Form,
    syntax_error,
    too_deep,
    too_long,
    unclosed,
    unopened,
)
from gdl.language.lexical import COMMENT, NAME_CHARACTER, WORD


def read_kif(source: Source) -> tuple[list[Expression], list[Problem]]:
    """Read a text as a sequence of expressions, and report what is not KIF."""
    if problem := too_long(source.text):
        return [], [problem]
    text, problems = _without_bad_characters(source.text)
    text, unbalanced = _balance(text)
    problems += unbalanced
    if len(problems) >= MAX_PROBLEMS:
        return [], problems
    return _forms(text), problems


_LEXEME = re.compile(rf"{COMMENT}|[()]|{WORD.pattern}")


def _forms(text: str) -> list[Expression]:
    """Read a text whose parentheses match and whose characters are all good."""
    items: list[Expression] = []
    around: list[tuple[list[Expression], int]] = []
    for match in _LEXEME.finditer(text):
        lexeme = match.group()
        if lexeme == "(":
            around.append((items, match.start()))
            items = []
        elif lexeme == ")":
            inside = tuple(items)
            items, start = around.pop()
            items.append(Form(inside, (start, match.end())))
        elif not lexeme.startswith(";"):
            items.append(_token(lexeme, match.span()))
    return items


def _token(word: str, span: Span) -> Token:
    kind = "VARIABLE" if word.startswith("?") else "NAME"
    return Token(kind, word, start_pos=span[0], end_pos=span[1])


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
            if len(open_at) > MAX_DEPTH:
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
