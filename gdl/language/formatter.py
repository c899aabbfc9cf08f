"""The formatter: puts a rulesheet in canonical form or into the other notation, with its comments.

Line breaks between rules and facts are kept, but several empty lines become one and lines that are
too long are broken. Formatting is idempotent and does not change the meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from gdl.errors import LINE_END, GdlSyntaxError, Source, Span
from gdl.language.forms import Expression, span_of
from gdl.language.infix import is_infix
from gdl.language.lexical import COMMENT
from gdl.language.parser import parse, read_expressions
from gdl.language.pretty_printer import WIDTH, Line, break_lines
from gdl.language.writers import Comment, InfixWriter, KifWriter, Writer, is_rule


class Notation(StrEnum):
    """The two notations of rulesheets."""

    KIF = "kif"
    INFIX = "infix"

    @property
    def other(self) -> Notation:
        """The other notation."""
        return Notation.INFIX if self is Notation.KIF else Notation.KIF

    @property
    def marker(self) -> str:
        """The character that begins a comment."""
        return ";" if self is Notation.KIF else "%"


_COMMENT = {
    Notation.KIF: re.compile(f"({COMMENT})"),
    Notation.INFIX: re.compile(r'"(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*"|(%[^\r\n]*)'),
}
_WRITERS: dict[Notation, type[Writer]] = {
    Notation.KIF: KifWriter,
    Notation.INFIX: InfixWriter,
}


def notation_of(text: str) -> Notation:
    """Recognise the notation of a text by how it begins."""
    return Notation.INFIX if is_infix(text) else Notation.KIF


def format_text(text: str, name: str = "<rulesheet>") -> str:
    """Format a rulesheet in the notation that it is written in.

    Raises :class:`gdl.GdlSyntaxError` if the text is not made of forms; a form need not be a valid
    rule.
    """
    source = Source(text, name)
    expressions, problems = read_expressions(source)
    if problems:
        raise GdlSyntaxError(source, tuple(problems))
    return _written(text, expressions, notation_of(text))


def convert_text(text: str, notation: Notation, name: str = "<rulesheet>") -> str:
    """Format a rulesheet in the given notation; the rules stay the same.

    Raises :class:`gdl.GdlSyntaxError` with every problem found.
    """
    parse(text, name)
    expressions, _ = read_expressions(Source(text, name))
    # A comment before the parenthesis that ends a rule in KIF stands behind the rule in infix, and
    # breaks its line no more.
    return format_text(_written(text, expressions, notation), name)


def _written(text: str, expressions: Sequence[Expression], notation: Notation) -> str:
    comments = list(_comments(text, notation_of(text), notation))
    page = _Page(text, _WRITERS[notation](text))
    for item in _items(expressions, comments):
        page.add(item)
    return str(page)


def _comments(text: str, source: Notation, target: Notation) -> Iterator[Comment]:
    """Yield the comments of a text with the marker of the target notation."""
    for match in _COMMENT[source].finditer(text):
        if match[1]:
            words = match[1].lstrip(source.marker)
            marker = target.marker * (len(match[1]) - len(words))
            yield Comment(f"{marker}{words}".rstrip(), match.span(1))


@dataclass(frozen=True, slots=True)
class _Item:
    """A comment, or an expression with the comments inside it, at the top level of a text."""

    span: Span
    expression: Expression | None
    comments: Sequence[Comment]


def _items(expressions: Sequence[Expression], comments: Sequence[Comment]) -> Iterator[_Item]:
    """Yield the expressions and comments at the top level, in text order."""
    rest = iter([*comments, None])
    comment = next(rest)
    for expression in sorted(expressions, key=span_of):
        start, end = span_of(expression)
        while comment is not None and comment.span[0] < start:
            yield _Item(comment.span, None, [comment])
            comment = next(rest)
        inside = []
        while comment is not None and comment.span[0] < end:
            inside.append(comment)
            comment = next(rest)
        yield _Item((start, end), expression, inside)
    while comment is not None:
        yield _Item(comment.span, None, [comment])
        comment = next(rest)


class _Page:
    """The lines written so far, and the offset in the text up to which they go."""

    def __init__(self, text: str, writer: Writer) -> None:
        self._text = text
        self._writer = writer
        self._lines: list[Line | None] = []
        self._end = 0
        self._after_fact = False

    def __str__(self) -> str:
        return "".join(f"{line or ''}\n" for line in self._lines)

    def add(self, item: _Item) -> None:
        """Write one more item: on the line of the one before if it was there, otherwise below."""
        breaks = len(LINE_END.findall(self._text, self._end, item.span[0]))
        self._end = item.span[1]
        if item.expression is None:
            lines = [Line(0, "", item.comments[0].text)]
        else:
            lines = break_lines(self._writer.statement(item.expression, item.comments))
        is_fact = item.expression is not None and not is_rule(item.expression)
        joined = None if breaks else self._joined(lines, is_fact)
        if joined is not None:
            self._lines[-1] = joined
        else:
            if breaks > 1 and self._lines:
                self._lines.append(None)
            self._lines += lines
        self._after_fact = is_fact and len(lines) == 1

    def _joined(self, lines: Sequence[Line], is_fact: bool) -> Line | None:
        """Add a comment, or another fact if there is room, to the last line; None if impossible."""
        last, line = self._lines[-1] if self._lines else None, lines[0]
        if last is None or last.comment or len(lines) > 1:
            return None
        if not line.text:
            return replace(last, comment=line.comment)
        text = f"{last.text} {line.text}"
        if not (is_fact and self._after_fact) or len(text) > WIDTH:
            return None
        return replace(last, text=text, comment=line.comment)
