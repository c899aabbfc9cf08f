"""Writers: expressions as text to be laid out, in KIF and in infix, with their comments in place.

A comment that ends a line stays behind what it follows; one on a line of its own stays above what
it precedes. One inside a rule's head, or between the two words of an opening, comes after it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from lark import Token

from gdl.errors import LINE_END, Span
from gdl.language.forms import Expression, Form, span_of
from gdl.language.keywords import RESERVED_WORDS
from gdl.language.pretty_printer import Comments, Group

_PLAIN = re.compile(r"[a-z0-9][A-Za-z0-9_]*")
_WORD = re.compile(r"[A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its marker, and where it is in the text."""

    text: str
    span: Span


class Writer(ABC):
    """Turns expressions, read from ``text``, into pieces of layout in one notation."""

    def __init__(self, text: str) -> None:
        self._text = text

    @abstractmethod
    def statement(self, expression: Expression, comments: Sequence[Comment]) -> Group:
        """Return a rule or fact with the comments inside it."""

    def _fill(
        self, piece: Group, opening_end: int, parts: Sequence[_Part], comments: Sequence[Comment]
    ) -> Group:
        """Return the piece with its items, the parts, and all comments in their places.

        ``opening_end`` is where the opening ends in the text that was read.
        """
        places = [_Place() for _ in (*parts, None)]
        opening: list[str] = []
        spans = [span_of(part.expression) for part in parts]
        ends = [end for _, end in spans]
        for comment in comments:
            start = comment.span[0]
            index = bisect_right(ends, start)
            previous_end = ends[index - 1] if index else opening_end
            if index < len(parts) and spans[index][0] < start:
                places[index].inside.append(comment)
            elif start < previous_end or self._same_line(previous_end, start):
                (places[index - 1].after if index else opening).append(comment.text)
            else:
                places[index].before.append(comment.text)
        places[0].before[:0] = opening[1:]
        items = tuple(place.item(part) for place, part in zip(places, parts, strict=False))
        own = Comments(opening="".join(opening[:1]), end=tuple(places[-1].before))
        return _with_last_comment_outside(replace(piece, items=items, comments=own))

    def _same_line(self, start: int, end: int) -> bool:
        return LINE_END.search(self._text, start, end) is None


@dataclass(frozen=True, slots=True)
class _Part:
    """An expression that is to be an item, and how it is written."""

    expression: Expression
    write: Callable[[Expression, Sequence[Comment]], Group]


class _Place:
    """The comments at one item."""

    def __init__(self) -> None:
        self.before: list[str] = []
        self.inside: list[Comment] = []
        self.after: list[str] = []

    def item(self, part: _Part) -> Group:
        """Return the item with its comments."""
        piece = part.write(part.expression, self.inside)
        own = piece.comments
        before, after = [*self.before, *own.before], own.after
        if self.after:
            before += filter(None, [after])
            after = self.after[0]
        return replace(piece, comments=replace(own, before=tuple(before), after=after))


def _with_last_comment_outside(piece: Group) -> Group:
    """Return the piece with a comment right before its closing moved behind the closing."""
    own = piece.comments
    if own.end:
        return piece
    if not piece.items:
        return replace(piece, comments=Comments(after=own.opening))
    *others, last = piece.items
    if not last.comments.after:
        return piece
    last_own = replace(last.comments, after="")
    items = (*others, replace(last, comments=last_own))
    return replace(piece, items=items, comments=replace(own, after=last.comments.after))


class KifWriter(Writer):
    """Writes KIF: a rule has its head on the first line and every literal on one of its own."""

    def statement(self, expression: Expression, comments: Sequence[Comment]) -> Group:
        """Return a rule or fact with the comments inside it."""
        if isinstance(expression, Form) and is_rule(expression) and len(expression.items) > 2:
            _, head, *body = expression.items
            opening = f"(<= {self._expression(head, ()).on_one_line()}"
            piece = Group(opening, closing=")", gap=" ", broken=True)
            return self._fill(piece, span_of(head)[1], self._parts(body), comments)
        return self._expression(expression, comments)

    def _expression(self, expression: Expression, comments: Sequence[Comment]) -> Group:
        if isinstance(expression, Token):
            return Group(str(expression))
        first = expression.items[0] if expression.items else None
        if not isinstance(first, Token):
            begin = expression.span[0] + 1
            return self._fill(
                Group("(", closing=")"), begin, self._parts(expression.items), comments
            )
        piece = Group(f"({first}", closing=")", gap=" ")
        return self._fill(piece, span_of(first)[1], self._parts(expression.items[1:]), comments)

    def _parts(self, expressions: Sequence[Expression]) -> list[_Part]:
        return [_Part(expression, self._expression) for expression in expressions]


class InfixWriter(Writer):
    """Writes infix: a rule is on one line where it fits, or has a line for every literal.

    Names are written so that :mod:`gdl.language.infix` reads them back; see there.
    """

    def statement(self, expression: Expression, comments: Sequence[Comment]) -> Group:
        """Return a rule or fact with the comments inside it."""
        if isinstance(expression, Token) or not is_rule(expression):
            fact = self._literal(expression, comments)
            # A full stop tells a lone word from the beginning of a text in KIF.
            return fact if fact.closing else replace(fact, opening=f"{fact.opening}.")
        _, head, *body = expression.items
        text = self._literal(head, ()).on_one_line()
        piece = Group(f"{text} :-" if body else f"{text}", gap=" ", separator=" &")
        parts = [_Part(literal, self._literal) for literal in body]
        return self._fill(piece, span_of(head)[1], parts, comments)

    def _literal(self, expression: Expression, comments: Sequence[Comment]) -> Group:
        if isinstance(expression, Token):
            return Group(self._word(expression, RESERVED_WORDS))
        name, *arguments = expression.items
        if _is(expression, "not") and len(arguments) == 1:
            return self._negation(arguments[0], comments)
        if _is(expression, "or", "and"):
            parts = [_Part(argument, self._literal) for argument in arguments]
            if len(parts) > 1:
                sign = " |" if _is(expression, "or") else " &"
                piece = Group("(", closing=")", separator=sign)
                return self._fill(piece, span_of(name)[1], parts, comments)
            return self._application(expression, parts, comments)
        return self._term(expression, comments, RESERVED_WORDS)

    def _negation(self, literal: Expression, comments: Sequence[Comment]) -> Group:
        start, end = span_of(literal)
        inside = [c for c in comments if start < c.span[0] < end]
        outside = tuple(c.text for c in comments if not start < c.span[0] < end)
        piece = self._literal(literal, inside)
        own = piece.comments
        if outside:
            own = replace(own, before=(*outside, *own.before))
        return replace(piece, opening=f"~{piece.opening}", comments=own)

    def _term(
        self,
        expression: Expression,
        comments: Sequence[Comment],
        lowered: Collection[str] = frozenset(),
    ) -> Group:
        if isinstance(expression, Token):
            return Group(self._word(expression, lowered))
        parts = [_Part(argument, self._term) for argument in expression.items[1:]]
        return self._application(expression, parts, comments, lowered)

    def _application(
        self,
        form: Form,
        parts: Sequence[_Part],
        comments: Sequence[Comment],
        lowered: Collection[str] = RESERVED_WORDS,
    ) -> Group:
        name = form.items[0]
        assert isinstance(name, Token)
        word = self._word(name, lowered)
        piece = Group(f"{word}(", closing=")", separator=",", space="")
        if not parts and not _is(form, "and"):
            piece = Group(word)
        return self._fill(piece, span_of(name)[1], parts, comments)

    def _word(self, token: Token, lowered: Collection[str]) -> str:
        """Return a name or a variable; names among ``lowered`` are the same in any capitals."""
        if token.type == "VARIABLE":
            start, end = span_of(token)
            return "_" if self._text[start:end] == "_" else _infix_variable(token[1:])
        return token.lower() if token.lower() in lowered else _infix_name(token)


def _infix_name(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else _quoted(name)


def _infix_variable(name: str) -> str:
    if not _WORD.fullmatch(name):
        return f"_{_quoted(name)}"
    return name[0].upper() + name[1:] if "a" <= name[0] <= "z" else f"_{name}"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def is_rule(expression: Expression) -> bool:
    """Tell whether an expression is a rule rather than a fact."""
    return isinstance(expression, Form) and _is(expression, "<=")


def _is(form: Form, *words: str) -> bool:
    """Tell whether a form begins with one of the words."""
    first = form.items[0] if form.items else None
    return isinstance(first, Token) and first.lower() in words
