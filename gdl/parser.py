"""Reading: from a rulesheet's text to a :class:`~gdl.ruleset.Ruleset`.

Reading happens in three steps. Parentheses are balanced first, because everything else depends
on them; then the Lark grammar turns the text into lists; then each list becomes a rule. Every
step reports what it finds as problems and carries on with the rest of the text, so that one
reading shows all the mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters

from gdl.errors import GdlSyntaxError, Problem, Severity, Source
from gdl.ruleset import (
    CONNECTIVES,
    KEYWORD_ARITY,
    And,
    Atom,
    Distinct,
    Literal,
    Not,
    Or,
    Rule,
    Ruleset,
    atoms_of,
)
from gdl.terms import Constant, Function, Span, Term, Variable

MAX_DEPTH = 200
"""The deepest nesting of parentheses read; the deepest known game has 25."""

MAX_CHARACTERS = 32 * 2**20
"""The longest text read."""

MAX_PROBLEMS = 100
"""How many problems one reading reports before it stops looking for more."""


@dataclass(frozen=True, slots=True)
class Form:
    """A parenthesised list of expressions, before it is given a meaning."""

    items: tuple[Expression, ...]
    span: Span


Expression: TypeAlias = Form | Token


def load(path: str | Path) -> Ruleset:
    """Read the rulesheet in a file: UTF-8 with or without a byte order mark, or Latin-1.

    Raises :class:`gdl.GdlSyntaxError` with every problem found, OSError as ``open`` does.
    """
    return parse(decode(Path(path).read_bytes()), name=str(path))


def decode(data: bytes) -> str:
    """Return the bytes as text: as UTF-8 where they are, otherwise as Latin-1."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse(text: str, name: str = "<rulesheet>") -> Ruleset:
    """Read a rulesheet; ``name`` stands for it in messages.

    Raises :class:`gdl.GdlSyntaxError` with every problem found.
    """
    ruleset, problems = read_ruleset(Source(text, name))
    errors = tuple(p for p in problems if p.severity is Severity.ERROR)
    if errors:
        raise GdlSyntaxError(ruleset.source, errors)
    return ruleset


def parse_term(text: str) -> Term:
    """Read a single term, such as ``(mark 1 1)``; text after it is an error."""
    source = Source(text, "<term>")
    expressions, problems = read_expressions(source)
    builder = _Builder()
    if len(expressions) != 1:
        problems.append(_error("one-term", "expected exactly one term", (0, max(1, len(text)))))
        raise GdlSyntaxError(source, tuple(problems))
    term = builder.term(expressions[0])
    problems += builder.problems
    errors = tuple(p for p in problems if p.severity is Severity.ERROR)
    if errors or term is None:
        raise GdlSyntaxError(source, errors)
    return term


def read_ruleset(source: Source) -> tuple[Ruleset, tuple[Problem, ...]]:
    """Read what can be read of a rulesheet, with every problem found on the way, in text order.

    Never raises for a bad rulesheet; forms that make no sense are left out of the ruleset.
    """
    expressions, problems = read_expressions(source)
    builder = _Builder()
    rules = builder.rules(expressions)
    problems += builder.problems
    problems.sort(key=lambda problem: problem.span)
    warnings = tuple(p for p in problems if p.severity is Severity.WARNING)
    return Ruleset(rules, source, builder.spellings, warnings), tuple(problems)


def read_expressions(source: Source) -> tuple[list[Expression], list[Problem]]:
    """Read a text as a sequence of expressions, and report what is no KIF.

    """
    if len(source.text) > MAX_CHARACTERS:
        message = f"the text has {len(source.text)} characters; at most {MAX_CHARACTERS} are read"
        return [], [_error("too-long", message, (0, 1))]
    text, problems = _balance(source.text)
    expressions: list[Expression] = []
    while len(problems) < MAX_PROBLEMS:
        try:
            expressions = _lark().parse(text)  # type: ignore[assignment]  # our transformer's type
            break
        except UnexpectedCharacters as error:
            at = error.pos_in_stream
            message = f"unexpected character {text[at]!r}"
            if text[at] == "?":
                message = "a variable needs a name after the question mark"
            problems.append(_error("bad-character", message, (at, at + 1)))
            text = f"{text[:at]} {text[at + 1 :]}"
    return expressions, problems


class _FormBuilder(Transformer[Token, list[Expression]]):
    """Turn Lark's reductions into forms while it parses, without a tree in between."""

    def list(self, children: list[Expression]) -> Form:
        opening, *items, closing = children
        assert isinstance(opening, Token)
        assert isinstance(closing, Token)
        return Form(tuple(items), (opening.start_pos or 0, closing.end_pos or 0))

    def start(self, children: list[Expression]) -> list[Expression]:
        return children


@cache
def _lark() -> Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", transformer=_FormBuilder())


def _error(code: str, message: str, span: Span) -> Problem:
    return Problem(Severity.ERROR, code, message, span)


def _shorten(text: str, length: int = 30) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."


# ---------------------------------------------------------------------- parentheses

_PARENTHESIS_OR_COMMENT = re.compile(r";[^\r\n]*|[()]")


def _balance(text: str) -> tuple[str, list[Problem]]:
    """Blank out what keeps the parentheses from matching, and report it.

    A form that is still open when another begins at the start of a line is taken to end there:
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
                message = f"parentheses nested deeper than {MAX_DEPTH} levels"
                return "", [*problems, _error("too-deep", message, (at, at + 1))]
        elif token == ")":
            if open_at:
                open_at.pop()
            else:
                message = "this ')' closes nothing: a '(' is missing or the ')' is one too many"
                problems.append(_error("extra-parenthesis", message, (at, at + 1)))
                blanks.append((at, at + 1))
        if len(problems) >= MAX_PROBLEMS:
            return "", problems
    if open_at:
        problems.append(_unclosed(open_at))
        blanks.append((open_at[0], len(text)))
    return _blanked(text, blanks), problems


def _ends_open(text: str) -> bool:
    """Tell whether more parentheses open than close."""
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
    others = len(open_at) - 1
    more = f", nor are the {others} around it" if others else ""
    return _error("unclosed-parenthesis", f"this '(' is never closed{more}", (at, at + 1))


def _blanked(text: str, spans: Iterable[Span]) -> str:
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], " " * (end - start)]
        last = end
    return "".join([*parts, text[last:]])


# ---------------------------------------------------------------------- meaning


class _Builder:
    """Turns expressions into rules, literals and terms; keeps spellings and problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.spellings: dict[str, str] = {}
        self._connectives: dict[str, Callable[[Form], Literal | None]] = {
            "not": self._not,
            "or": self._or,
            "and": self._and,
            "distinct": self._distinct,
        }

    def rules(self, expressions: Sequence[Expression]) -> tuple[Rule, ...]:
        """Return the rules and facts that the expressions at the top level state.

        A bare word such as ``terminal`` is a fact where some body asks for it; otherwise it is
        text that does not belong here.
        """
        forms = [self.rule(e) for e in expressions if isinstance(e, Form)]
        asked = {"terminal"} | {
            atom.name.lower()
            for rule in forms
            if rule is not None
            for literal in rule.body
            for atom, _ in atoms_of(literal)
        }
        rules = [rule for rule in forms if rule is not None]
        for token in expressions:
            if isinstance(token, Form):
                continue
            if token.lower() in asked:
                self._warn("bare-fact", f"write this fact as '({token})'", token)
                rules.append(Rule(Atom(self._spell(token), (), _span(token)), (), _span(token)))
            else:
                message = f"expected '(' here, found '{_shorten(token)}' outside every form"
                self._complain("stray-text", message, token)
        rules.sort(key=lambda rule: rule.span or (0, 0))
        return tuple(rules)

    def rule(self, form: Form) -> Rule | None:
        """Return the rule or fact that a form at the top level states."""
        if self._name_of(form) != "<=":
            head = self._head(form)
            return Rule(head, (), form.span) if head else None
        if len(form.items) < 2:
            self._complain("empty-rule", "'<=' needs a head and a body", form)
            return None
        head = self._head(form.items[1])
        if len(form.items) == 2:
            self._warn("empty-body", "a rule with an empty body is a fact", form)
        body = [self.literal(item) for item in form.items[2:]]
        if head is None or None in body:
            return None
        return Rule(head, tuple(b for b in body if b is not None), form.span)

    def literal(self, expression: Expression) -> Literal | None:
        """Return the literal that an expression in a rule's body stands for."""
        name = self._name_of(expression)
        if isinstance(expression, Form) and name in self._connectives:
            return self._connectives[name](expression)
        if name in CONNECTIVES:
            self._complain("misplaced-keyword", f"'{name}' cannot stand here", expression)
            return None
        return self._atom(expression)

    def term(self, expression: Expression) -> Term | None:
        """Return the term that an expression stands for."""
        if isinstance(expression, Token):
            return self._simple_term(expression)
        name = self._named(expression)
        if name is None:
            return None
        if name.lower() in CONNECTIVES:
            self._keyword_as_term(name, expression)
        span, arguments = expression.span, expression.items[1:]
        if not arguments:
            self._warn("empty-parentheses", f"'({name})' is the constant '{name}'", expression)
            return Constant(self._spell(name), span)
        args = [self.term(item) for item in arguments]
        if None in args:
            return None
        return Function(self._spell(name), tuple(a for a in args if a is not None), span)

    def _simple_term(self, token: Token) -> Term:
        span = _span(token)
        if token.type == "VARIABLE":
            return Variable(self._spell(token[1:]), span)
        if token.lower() in CONNECTIVES:
            self._keyword_as_term(token, token)
        return Constant(self._spell(token), span)

    def _head(self, expression: Expression) -> Atom | None:
        name = self._name_of(expression)
        if name in CONNECTIVES:
            self._complain("misplaced-keyword", f"'{name}' cannot be the head of a rule", expression)
            return None
        return self._atom(expression)

    def _atom(self, expression: Expression) -> Atom | None:
        if isinstance(expression, Token):
            if expression.type == "VARIABLE":
                self._complain("variable-as-atom", "a variable cannot stand for an atom", expression)
                return None
            return self._checked_atom(expression, (), expression)
        name = self._named(expression)
        if name is None:
            return None
        if len(expression.items) == 1 and name.lower() != "terminal":
            self._warn("empty-parentheses", f"'({name})' is the same as '{name}'", expression)
        args = [self.term(item) for item in expression.items[1:]]
        if None in args:
            return None
        return self._checked_atom(name, tuple(a for a in args if a is not None), expression)

    def _checked_atom(self, name: str, args: tuple[Term, ...], at: Expression) -> Atom | None:
        keyword = name.lower()
        arity = KEYWORD_ARITY.get(keyword)
        if arity is None:
            return Atom(self._spell(name), args, _span(at))
        if arity != len(args):
            message = f"'{keyword}' takes {_count(arity, 'argument')}, found {len(args)}"
            self._complain("keyword-arity", message, at)
            return None
        return Atom(keyword, args, _span(at))

    def _not(self, form: Form) -> Literal | None:
        if len(form.items) != 2:
            message = f"'not' takes 1 literal, found {len(form.items) - 1}"
            self._complain("keyword-arity", message, form)
            return None
        literal = self.literal(form.items[1])
        return Not(literal, form.span) if literal else None

    def _or(self, form: Form) -> Literal | None:
        if len(form.items) == 1:
            self._complain("keyword-arity", "'or' without a literal", form)
            return None
        literals = self._literals(form)
        return Or(literals, form.span) if literals else None

    def _and(self, form: Form) -> Literal | None:
        self._warn("and-connective", "'and' is no connective of the language, though clear", form)
        literals = self._literals(form)
        return None if literals is None else And(literals, form.span)

    def _literals(self, form: Form) -> tuple[Literal, ...] | None:
        literals = [self.literal(item) for item in form.items[1:]]
        known = tuple(literal for literal in literals if literal is not None)
        return known if len(known) == len(literals) else None

    def _distinct(self, form: Form) -> Literal | None:
        if len(form.items) != 3:
            message = f"'distinct' takes 2 terms, found {len(form.items) - 1}"
            self._complain("keyword-arity", message, form)
            return None
        left, right = self.term(form.items[1]), self.term(form.items[2])
        if left is None or right is None:
            return None
        return Distinct(left, right, form.span)

    def _name_of(self, expression: Expression) -> str | None:
        """Return the expression's first name in lower case, None where it has none."""
        first: Expression | None = expression
        if isinstance(expression, Form):
            first = expression.items[0] if expression.items else None
        return first.lower() if isinstance(first, Token) and first.type == "NAME" else None

    def _named(self, form: Form) -> str | None:
        """Return the name that a form begins with, and complain where it has none."""
        if not form.items:
            self._complain("no-name", "'()' has no name in it", form)
            return None
        first = form.items[0]
        if isinstance(first, Token) and first.type == "NAME":
            return str(first)
        found = "a variable" if isinstance(first, Token) else "another '('"
        self._complain("no-name", f"expected a name after '(', found {found}", first)
        return None

    def _keyword_as_term(self, name: str, at: Expression) -> None:
        message = f"'{name.lower()}' is used as an ordinary name inside a term"
        self._warn("keyword-as-term", message, at)

    def _spell(self, name: str) -> str:
        return self.spellings.setdefault(name.lower(), str(name))

    def _complain(self, code: str, message: str, at: Expression) -> None:
        self.problems.append(_error(code, message, _span(at)))

    def _warn(self, code: str, message: str, at: Expression) -> None:
        self.problems.append(Problem(Severity.WARNING, code, message, _span(at)))


def _span(expression: Expression) -> Span:
    if isinstance(expression, Form):
        return expression.span
    return expression.start_pos or 0, expression.end_pos or 0


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
