"""Writers: from expressions to groups for the pretty-printer, in KIF and in infix, with comments.

A comment at the end of a line stays behind what it follows; one on a line of its own stays above
what it precedes. One inside a rule's head, or between the two words of an opening, moves behind it.
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
    """A comment with its marker, and its position in the text."""

    text: str
    span: Span


class Writer(ABC):
    """Turns expressions, read from ``text``, into groups in one notation."""

    def __init__(self, text: str) -> None:
        self._text = text

    @abstractmethod
    def statement(self, expression: Expression, comments: Sequence[Comment]) -> Group:
        """Write a rule or fact with the comments inside it."""

    def _fill(
        self, group: Group, opening_end: int, parts: Sequence[_Part], comments: Sequence[Comment]
    ) -> Group:
        """Add the items of a group, and each comment to the item that it belongs to.

        ``opening_end`` is the offset at which the opening ends in the text that was read.
        """
        slots = [_CommentSlot() for _ in (*parts, None)]
        opening: list[str] = []
        spans = [span_of(part.expression) for part in parts]
        ends = [end for _, end in spans]
        for comment in comments:
            start = comment.span[0]
            index = bisect_right(ends, start)
            previous_end = ends[index - 1] if index else opening_end
            if index < len(parts) and spans[index][0] < start:
                slots[index].inside.append(comment)
            elif start < previous_end or self._same_line(previous_end, start):
                (slots[index - 1].after if index else opening).append(comment.text)
            else:
                slots[index].before.append(comment.text)
        slots[0].before[:0] = opening[1:]
        items = tuple(slot.item(part) for slot, part in zip(slots, parts, strict=False))
        own = Comments(opening="".join(opening[:1]), end=tuple(slots[-1].before))
        return _with_last_comment_outside(replace(group, items=items, comments=own))

    def _same_line(self, start: int, end: int) -> bool:
        return LINE_END.search(self._text, start, end) is None


@dataclass(frozen=True, slots=True)
class _Part:
    """An expression that becomes an item, and how it is written."""

    expression: Expression
    write: Callable[[Expression, Sequence[Comment]], Group]


class _CommentSlot:
    """The comments around and inside one item."""

    def __init__(self) -> None:
        self.before: list[str] = []
        self.inside: list[Comment] = []
        self.after: list[str] = []

    def item(self, part: _Part) -> Group:
        """Write the item with its comments."""
        group = part.write(part.expression, self.inside)
        own = group.comments
        before, after = [*self.before, *own.before], own.after
        if self.after:
            before += filter(None, [after])
            after = self.after[0]
        return replace(group, comments=replace(own, before=tuple(before), after=after))


def _with_last_comment_outside(group: Group) -> Group:
    """Move a comment right before the closing of a group behind the closing."""
    own = group.comments
    if own.end:
        return group
    if not group.items:
        return replace(group, comments=Comments(after=own.opening))
    *others, last = group.items
    if not last.comments.after:
        return group
    last_own = replace(last.comments, after="")
    items = (*others, replace(last, comments=last_own))
    return replace(group, items=items, comments=replace(own, after=last.comments.after))


class KifWriter(Writer):
    """Writes KIF: a rule has its head on the first line and every literal on a line of its own."""

    def statement(self, expression: Expression, comments: Sequence[Comment]) -> Group:
        """Write a rule or fact with the comments inside it."""
        if isinstance(expression, Form) and is_rule(expression) and len(expression.items) > 2:
            _, head, *body = expression.items
            opening = f"(<= {self._expression(head, ()).on_one_line()}"
            group = Group(opening, closing=")", gap=" ", broken=True)
            return self._fill(group, span_of(head)[1], self._parts(body), comments)
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
        group = Group(f"({first}", closing=")", gap=" ")
        return self._fill(group, span_of(first)[1], self._parts(expression.items[1:]), comments)

    def _parts(self, expressions: Sequence[Expression]) -> list[_Part]:
        return [_Part(expression, self._expression) for expression in expressions]


class InfixWriter(Writer):
    """Writes infix: a rule is on one line if it fits, otherwise every literal has its own.

    Names are quoted as :mod:`gdl.language.infix` says, so that they read back.
    """

    def statement(self, expression: Expression, comments: Sequence[Comment]) -> Group:
        """Write a rule or fact with the comments inside it."""
        if isinstance(expression, Token) or not is_rule(expression):
            fact = self._literal(expression, comments)
            # Without a full stop, a lone word could be the beginning of a text in KIF.
            return fact if fact.closing else replace(fact, opening=f"{fact.opening}.")
        _, head, *body = expression.items
        text = self._literal(head, ()).on_one_line()
        group = Group(f"{text} :-" if body else f"{text}", gap=" ", separator=" &")
        parts = [_Part(literal, self._literal) for literal in body]
        return self._fill(group, span_of(head)[1], parts, comments)

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
                group = Group("(", closing=")", separator=sign)
                return self._fill(group, span_of(name)[1], parts, comments)
            return self._application(expression, parts, comments)
        return self._term(expression, comments, RESERVED_WORDS)

    def _negation(self, literal: Expression, comments: Sequence[Comment]) -> Group:
        start, end = span_of(literal)
        inside = [c for c in comments if start < c.span[0] < end]
        outside = tuple(c.text for c in comments if not start < c.span[0] < end)
        group = self._literal(literal, inside)
        own = group.comments
        if outside:
            own = replace(own, before=(*outside, *own.before))
        return replace(group, opening=f"~{group.opening}", comments=own)

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
        group = Group(f"{word}(", closing=")", separator=",", space="")
        if not parts and not _is(form, "and"):
            group = Group(word)
        return self._fill(group, span_of(name)[1], parts, comments)

    def _word(self, token: Token, lowered: Collection[str]) -> str:
        """Write a name or a variable; names among ``lowered`` are put in lower case."""
        if token.type == "VARIABLE":
            start, end = span_of(token)
            return "_" if self._text[start:end] == "_" else _infix_variable(token[1:])
        return token.lower() if token.lower() in lowered else infix_name(token)


def infix_name(name: str) -> str:
    """Write a constant's name in infix, in quotes where it would read as something else."""
    return name if _PLAIN.fullmatch(name) else _quoted(name)


def _infix_variable(name: str) -> str:
    if not _WORD.fullmatch(name):
        return f"_{_quoted(name)}"
    return name[0].upper() + name[1:] if "a" <= name[0] <= "z" else f"_{name}"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def is_rule(expression: Expression) -> bool:
    """Return True for a rule, False for a fact."""
    return isinstance(expression, Form) and _is(expression, "<=")


def _is(form: Form, *words: str) -> bool:
    """Return True if the form begins with one of the words."""
    first = form.items[0] if form.items else None
    return isinstance(first, Token) and first.lower() in words
