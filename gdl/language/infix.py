r"""The reader of infix, ``legal(P,mark(N)) :- true(free(N)) & ~taken(N)``: from text to forms.

Infix is the notation of Stanford's course and its game managers, for rules and messages: the name
stands before the parentheses, ``:-`` after a rule's head, ``&`` between literals, ``|`` is or,
``~`` is not, ``%`` begins a comment. A full stop at the end of a statement is optional.

A name of letters, digits and ``_`` is a constant if it begins with a lower-case letter or a digit,
and a variable if it begins with an upper-case letter or ``_``. KIF allows more names; those that
would read as something else are quoted, so that reading and writing are inverse:

=============  ==============  ==========================================================
KIF            infix           where
=============  ==============  ==========================================================
``white``      ``white``
``White``      ``"White"``     a constant with another beginning or with other characters
``?player``    ``Player``
``?Player``    ``_Player``     a variable that does not begin with a lower-case letter
``?n++``       ``_"n++"``      a variable with other characters
=============  ==============  ==========================================================

In quotes, ``\`` escapes a quote or another ``\``. Every ``_`` alone is a variable of its own. A
list, ``[a,b]``, has no meaning in rules; it is read as the KIF list ``(a b)``, and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedToken

from gdl.errors import Problem, Source
from gdl.language import lexical
from gdl.language.forms import (
    MAX_NESTING,
    MAX_PROBLEMS,
    Expression,
    Form,
    span_of,
    syntax_error,
    too_deep,
    too_long,
    unclosed,
    unopened,
)

_BEGINNING = re.compile(
    r"""[\s\ufeff]*+ (?: % | (?: \w++ | "(?:[^"\\\r\n]|\\.)*+" ) (?: \( | \s*:- | \.(?:\s|$) ) )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")

_OPENING, _CLOSING = frozenset({"LPAR", "LSQB"}), frozenset({"RPAR", "RSQB"})
_OPERANDS = frozenset({"NAME", "VARIABLE"})
_ENDS_OPERAND = _OPERANDS | _CLOSING

_SYMBOLS = {
    "NAME": "a name",
    "VARIABLE": "a variable",
    "IF": "':-'",
    "AND": "'&'",
    "OR": "'|'",
    "COMMA": "','",
    "RPAR": "')'",
    "RSQB": "']'",
    "STOP": "the end of the statement",
}
"""What a token is called in messages."""


def is_infix(text: str) -> bool:
    """Return True if the text begins as infix does.

    Infix begins with a comment, or with a name directly before a parenthesis, ``:-`` or a full
    stop; a rulesheet in KIF cannot begin with any of these.
    """
    return _BEGINNING.match(text) is not None


def read_infix(source: Source) -> tuple[list[Expression], list[Problem]]:
    """Read a text as a sequence of statements, each as the form that it would be in KIF."""
    if problem := too_long(source.text):
        return [], [problem]
    splitter = _Splitter(source.text)
    forms: list[Expression] = []
    for tokens in splitter.statements():
        form = splitter.read(tokens)
        if form is not None:
            forms.append(form)
    return forms, splitter.problems


@cache
def _lark() -> Lark:
    grammar = Path(__file__).with_name("infix.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", transformer=_FormBuilder())


class _Splitter:
    """Splits a text into statements and reads each by itself: a mistake spoils only its own."""

    def __init__(self, text: str) -> None:
        self.problems: list[Problem] = []
        self._text = text
        self._statement: list[Token] = []
        self._open: list[Token] = []
        self._anonymous = 0

    def statements(self) -> Iterator[list[Token]]:
        """Yield the tokens of each statement, with names and variables written as in KIF."""
        for token in map(self._readable, _lark().lex(self._text)):
            if token is None:
                continue
            if self._begins(token) and (statement := self._take()):
                yield statement
            if self._follow_parentheses(token):
                self._statement.append(token)
            if token.type == "STOP" and not self._open:
                yield self._take()
            if len(self.problems) >= MAX_PROBLEMS or len(self._open) > MAX_NESTING:
                return
        if statement := self._take():
            yield statement

    def read(self, tokens: Sequence[Token]) -> Form | None:
        """Parse a statement; return None if it cannot be read."""
        parser = _lark().parse_interactive("")
        form = None
        for number, token in enumerate([*tokens, Token.new_borrow_pos("$END", "", tokens[-1])]):
            try:
                form = parser.feed_token(token)
            except UnexpectedToken:
                self.problems.append(_unexpected(token, tokens[:number]))
                return None
        return form

    def _begins(self, token: Token) -> bool:
        """Return True if the token begins a statement, as nothing connects it with the one before.

        Inside parentheses it must also start a line: then a parenthesis was left open.
        """
        if not self._statement or token.type not in _OPERANDS:
            return False
        start = token.start_pos or 0
        at_line_start = self._text[start - 1] in "\r\n"
        return self._statement[-1].type in _ENDS_OPERAND and (not self._open or at_line_start)

    def _take(self) -> list[Token]:
        """Return the gathered tokens, or none if a parenthesis is still open."""
        statement, self._statement, self._anonymous = self._statement, [], 0
        if not self._open:
            return statement
        opening = self._open[-1]
        self.problems.append(unclosed(opening, span_of(opening), len(self._open) - 1))
        self._open.clear()
        return []

    def _follow_parentheses(self, token: Token) -> bool:
        """Follow what is open; return False for a token that closes nothing."""
        if token.type in _OPENING:
            self._open.append(token)
            if len(self._open) > MAX_NESTING:
                self.problems.append(too_deep(span_of(token)))
        elif token.type in _CLOSING:
            if not self._open:
                opening = "(" if token == ")" else "["
                self.problems.append(unopened(token, opening, span_of(token)))
                return False
            self._open.pop()
        return True

    def _readable(self, token: Token) -> Token | None:
        """Return a token as the grammar expects it, None if it is no token of the language."""
        if token.type == "UNREADABLE":
            message = f"unexpected character {str(token)!r}"
            if token == '"':
                message = "this quote is not closed on its line"
            self._complain("bad-character", message, token)
            return None
        if token.type == "LSQB":
            self._complain("list", "a list has no meaning in a rulesheet", token)
        if token.type in {"VARIABLE", "QUOTED_VARIABLE"}:
            name = self._variable(token)
            if not lexical.VARIABLE.fullmatch(name):
                self._complain_of_name(token)
            return Token.new_borrow_pos("VARIABLE", name, token)
        if token.type == "QUOTED_NAME":
            name = _ESCAPE.sub(r"\1", token[1:-1])
            if not lexical.NAME.fullmatch(name):
                self._complain_of_name(token)
            return Token.new_borrow_pos("NAME", name, token)
        return token

    def _variable(self, token: Token) -> str:
        """Return a variable as written in KIF."""
        if token == "_":
            self._anonymous += 1
            return f"?_{self._anonymous}"
        if token.type == "QUOTED_VARIABLE":
            return "?" + _ESCAPE.sub(r"\1", token[2:-1])
        return f"?{token[1:]}" if token[0] == "_" else f"?{token[0].lower()}{token[1:]}"

    def _complain_of_name(self, token: Token) -> None:
        message = f"{token} cannot be a name: names have no blanks, parentheses or ';' in them"
        self._complain("bad-name", message, token)

    def _complain(self, code: str, message: str, token: Token) -> None:
        self.problems.append(syntax_error(code, message, span_of(token)))


def _unexpected(found: Token, before: Sequence[Token]) -> Problem:
    """Return the error of a statement that cannot go on with the token found."""
    parser = _lark().parse_interactive("")
    for token in before:
        parser.feed_token(token)
    accepted = parser.accepts()  # type: ignore[no-untyped-call]  # Lark does not annotate it
    wanted = [text for name, text in _SYMBOLS.items() if name in accepted]
    expected = " or ".join(filter(None, (", ".join(wanted[:-1]), wanted[-1])))
    what = "the end of the statement" if found.type == "$END" else f"'{found}'"
    return syntax_error("bad-syntax", f"expected {expected}, found {what}", span_of(found))


Conjuncts: TypeAlias = tuple[Expression, ...]
"""The meaning of an expression: a conjunction, most often of a single expression."""


class _FormBuilder(Transformer[Token, Form]):
    """Turns Lark's reductions into forms while it parses, without a tree in between."""

    def start(self, children: Sequence[Expression | Conjuncts | None]) -> Form:
        head, _, body, _ = children
        assert isinstance(head, Form | Token)
        if not isinstance(body, tuple):
            return head if isinstance(head, Form) else Form((head,), span_of(head))
        span = span_of(head)[0], span_of(body[-1])[1]
        return Form((_word("<=", span[0]), head, *([] if _is_empty_body(body) else body)), span)

    def expression(self, children: Sequence[Conjuncts | Token]) -> Conjuncts:
        alternatives = [child for child in children if not isinstance(child, Token)]
        if len(alternatives) == 1:
            return alternatives[0]
        return (_connected("or", [_single(conjuncts) for conjuncts in alternatives]),)

    def conjunction(self, children: Sequence[Expression]) -> Conjuncts:
        return tuple(children[::2])

    def negation(self, children: Sequence[Expression]) -> Form:
        sign, literal = children
        span = span_of(sign)[0], span_of(literal)[1]
        return Form((_word("not", span[0]), literal), span)

    def group(self, children: Sequence[Expression | Conjuncts]) -> Expression:
        inside = _single(next(child for child in children if isinstance(child, tuple)))
        if not isinstance(inside, Form) or inside.items[0] not in {"or", "and"}:
            return inside
        start, end = _outer_span(children)
        connective = _word(str(inside.items[0]), start, start + 1)
        return Form((connective, *inside.items[1:]), (start, end))

    def list(self, children: Sequence[Expression | Conjuncts]) -> Form:
        return Form(_arguments(children), _outer_span(children))

    def application(self, children: Sequence[Expression | Conjuncts | None]) -> Expression:
        name = children[0]
        assert isinstance(name, Token)
        if children[1] is None:
            return name
        return Form((name, *_arguments(children)), _outer_span(children))


def _single(conjuncts: Conjuncts) -> Expression:
    return conjuncts[0] if len(conjuncts) == 1 else _connected("and", conjuncts)


def _connected(connective: str, parts: Sequence[Expression]) -> Form:
    span = span_of(parts[0])[0], span_of(parts[-1])[1]
    return Form((_word(connective, span[0]), *parts), span)


def _arguments(children: Sequence[Expression | Conjuncts | None]) -> tuple[Expression, ...]:
    return tuple([_single(child) for child in children if isinstance(child, tuple)])


def _outer_span(children: Sequence[Expression | Conjuncts | None]) -> tuple[int, int]:
    first, last = children[0], children[-1]
    assert isinstance(first, Token)
    assert isinstance(last, Token)
    return span_of(first)[0], span_of(last)[1]


def _word(text: str, start: int, end: int | None = None) -> Token:
    """Return the KIF word for which infix has a sign, or nothing at all."""
    return Token("NAME", text, start_pos=start, end_pos=start if end is None else end)


def _is_empty_body(body: Conjuncts) -> bool:
    """Return True if a body is only the word ``true``, as some write facts."""
    return len(body) == 1 and isinstance(body[0], Token) and body[0] == "true"
