"""The parser: from a rulesheet's text to a :class:`~gdl.language.rules.Ruleset`.

It works in two steps. The text, in either notation, is turned into forms (:mod:`gdl.language.kif`,
:mod:`gdl.language.infix`); then each form becomes a rule. Both steps report problems and go on with
the rest of the text, so that all mistakes are reported at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from lark import Token

from gdl.errors import GdlSyntaxError, Problem, Severity, Source, counted
from gdl.game_library import find_own_game, similar_names
from gdl.language.forms import (
    Expression,
    Form,
    first_problems,
    has_empty_parentheses,
    span_of,
    syntax_error,
)
from gdl.language.infix import is_infix, read_infix
from gdl.language.keywords import CONNECTIVES, KEYWORDS
from gdl.language.kif import read_kif
from gdl.language.rules import (
    And,
    Atom,
    Constant,
    Distinct,
    Function,
    Literal,
    Not,
    Or,
    Rule,
    Ruleset,
    Term,
    Variable,
    body_atoms,
)

_APPLICATION = re.compile(r"\(|[^\s()]+\(")
"""How a term begins that is a function of others, in either notation."""


def load(path: str | Path) -> Ruleset:
    """Read the rulesheet in a file: UTF-8 with or without a byte order mark, or Latin-1.

    A text that names no file can be the name of one of our own games, in any case: ``hex``. Raises
    :class:`gdl.GdlSyntaxError` with every problem found, OSError as ``open`` does.
    """
    own = find_own_game(path) if isinstance(path, str) and not Path(path).exists() else None
    try:
        return parse(decode((own or Path(path)).read_bytes()), name=str(own or path))
    except FileNotFoundError as error:
        near = similar_names(Path(path).stem)
        if near:
            error.add_note(f"did you mean our own game {' or '.join(near)}?")
        raise


def decode(data: bytes) -> str:
    """Decode bytes as UTF-8, or as Latin-1 if they are not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse(text: str, name: str = "<rulesheet>") -> Ruleset:
    """Read a rulesheet in KIF or in infix; messages call it ``name``.

    Raises :class:`gdl.GdlSyntaxError` with every problem found, and TypeError for what is no text.
    """
    if not isinstance(text, str):
        found = type(text).__name__
        raise TypeError(f"expected the text of a rulesheet, found {found}; gdl.load reads files")
    ruleset, problems = read_ruleset(Source(text, name))
    errors = tuple(p for p in problems if p.severity is Severity.ERROR)
    if errors:
        raise GdlSyntaxError(ruleset.source, errors)
    return ruleset


def parse_term(text: str) -> Term:
    """Read a single term, ``(mark 1 1)`` or ``mark(1,1)``; text after it is an error.

    A word alone is read as KIF: ``a.`` is a constant's name.
    """
    source = Source(text, "<term>")
    expressions, problems = (read_expressions if "(" in text else read_kif)(source)
    if len(expressions) != 1:
        span = (0, max(1, len(text)))
        problems.append(syntax_error("one-term", "expected exactly one term", span))
        raise GdlSyntaxError(source, tuple(problems))
    builder = _Builder()
    term = builder.term(expressions[0])
    errors = tuple(p for p in (*problems, *builder.problems) if p.severity is Severity.ERROR)
    if errors or term is None:
        raise GdlSyntaxError(source, errors)
    return term


@lru_cache(maxsize=4096)
def _term_of_text(text: str) -> Term:
    bare = text.strip()
    if " " in bare and not _APPLICATION.match(bare):
        return parse_term(f"({bare})")
    return parse_term(bare)


def as_term(given: Term | str) -> Term:
    """Return a term that is given as one or as text: ``(drop 4)``, ``drop 4`` or ``drop(4)``.

    Raises :class:`gdl.GdlSyntaxError` for text that is no term.
    """
    return _term_of_text(given) if isinstance(given, str) else given


def read_expressions(source: Source) -> tuple[list[Expression], list[Problem]]:
    """Read a text in either notation as a sequence of expressions, and report problems."""
    return read_infix(source) if is_infix(source.text) else read_kif(source)


def read_ruleset(source: Source) -> tuple[Ruleset, tuple[Problem, ...]]:
    """Read as much of a rulesheet as possible, and return it with all problems, in text order.

    Never raises for a bad rulesheet; forms that are no rules are left out of the ruleset.
    """
    expressions, problems = read_expressions(source)
    builder = _Builder()
    rules = builder.rules(expressions)
    problems = first_problems([*problems, *builder.problems])
    warnings = tuple(p for p in problems if p.severity is Severity.WARNING)
    return Ruleset(rules, source, builder.spellings, warnings), tuple(problems)


def _shorten(text: str, length: int = 30) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."


class _Builder:
    """Turns expressions into rules, literals and terms; keeps spellings and problems."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.spellings: dict[str, str] = {}
        self._variables: dict[str, str] = {}
        self._connectives: dict[str, Callable[[Form], Literal | None]] = {
            "not": self._not,
            "or": self._or,
            "and": self._and,
            "distinct": self._distinct,
        }

    def rules(self, expressions: Sequence[Expression]) -> tuple[Rule, ...]:
        """Turn the expressions at the top level into rules and facts.

        A bare word such as ``terminal`` is a fact if some body asks for it, otherwise stray text.
        """
        forms = [self.rule(e) for e in expressions if isinstance(e, Form)]
        asked = {"terminal"} | {
            atom.name.lower()
            for rule in forms
            if rule is not None
            for atom, _ in body_atoms(rule)
            if not atom.args
        }
        rules = [rule for rule in forms if rule is not None]
        for token in expressions:
            if isinstance(token, Form):
                continue
            if token.lower() in asked:
                self._warn("bare-fact", f"write this fact as '({token})'", token)
                name = "terminal" if token.lower() == "terminal" else self._spell(token)
                rules.append(Rule(Atom(name, (), span_of(token)), (), span_of(token)))
            else:
                message = f"expected '(' here, found '{_shorten(token)}' outside every form"
                self._complain("stray-text", message, token)
        rules.sort(key=lambda rule: rule.span or (0, 0))
        return tuple(rules)

    def rule(self, form: Form) -> Rule | None:
        """Turn a form at the top level into a rule or fact."""
        if self._name_of(form) != "<=":
            head = self._head(form)
            return Rule(head, (), form.span) if head else None
        if len(form.items) < 2:
            self._complain("empty-rule", "'<=' needs a head and a body", form)
            return None
        head = self._head(form.items[1])
        if len(form.items) == 2:
            self._warn("empty-body", "a rule with an empty body is a fact", form)
        body = self._literals(form.items[2:])
        return None if head is None or body is None else Rule(head, body, form.span)

    def literal(self, expression: Expression) -> Literal | None:
        """Turn an expression in a rule's body into a literal."""
        name = self._name_of(expression)
        if isinstance(expression, Form) and name in self._connectives:
            return self._connectives[name](expression)
        if name in CONNECTIVES:
            self._complain("misplaced-keyword", f"'{name}' cannot stand here", expression)
            return None
        return self._atom(expression)

    def term(self, expression: Expression) -> Term | None:
        """Turn an expression into a term."""
        if isinstance(expression, Token):
            return self._simple_term(expression)
        name = self._named(expression)
        if name is None:
            return None
        span, arguments = expression.span, expression.items[1:]
        if name.lower() in CONNECTIVES:
            self._connective_in_term(name.lower(), bool(arguments), expression.items[0])
        if not arguments:
            self._warn("empty-parentheses", f"'({name})' is the constant '{name}'", expression)
            return Constant(self._spell(name), span)
        args = self._terms(arguments)
        return None if args is None else Function(self._spell(name), args, span)

    def _literals(self, expressions: Sequence[Expression]) -> tuple[Literal, ...] | None:
        literals = [self.literal(expression) for expression in expressions]
        known = tuple(literal for literal in literals if literal is not None)
        return known if len(known) == len(literals) else None

    def _terms(self, expressions: Sequence[Expression]) -> tuple[Term, ...] | None:
        terms = [self.term(expression) for expression in expressions]
        known = tuple(term for term in terms if term is not None)
        return known if len(known) == len(terms) else None

    def _connective_in_term(self, name: str, is_function: bool, at: Expression) -> None:
        """Report a connective as the name of a function, which is odd, or of a constant."""
        if is_function:
            message = f"'{name}' is used as an ordinary name inside a term"
            self._warn("keyword-as-term", message, at)
        else:  # it could not be read back, as a constant is printed without parentheses
            self._complain("misplaced-keyword", f"'{name}' cannot be an object", at)

    def _simple_term(self, token: Token) -> Term:
        span = span_of(token)
        if token.type == "VARIABLE":
            name = str(token[1:])
            return Variable(self._variables.setdefault(name.lower(), name), span)
        if token.lower() in CONNECTIVES:
            self._connective_in_term(token.lower(), False, token)
        return Constant(self._spell(token), span)

    def _head(self, expression: Expression) -> Atom | None:
        name = self._name_of(expression)
        if name in CONNECTIVES:
            self._complain(
                "misplaced-keyword", f"'{name}' cannot be the head of a rule", expression
            )
            return None
        return self._atom(expression)

    def _atom(self, expression: Expression) -> Atom | None:
        if isinstance(expression, Token):
            if expression.type == "VARIABLE":
                self._complain(
                    "variable-as-atom", "a variable cannot stand for an atom", expression
                )
                return None
            return self._checked_atom(expression, (), expression)
        name = self._named(expression)
        if name is None:
            return None
        if has_empty_parentheses(expression) and name.lower() != "terminal":
            self._warn("empty-parentheses", f"'({name})' is the same as '{name}'", expression)
        args = self._terms(expression.items[1:])
        return None if args is None else self._checked_atom(name, args, expression)

    def _checked_atom(self, name: str, args: tuple[Term, ...], at: Expression) -> Atom | None:
        keyword = KEYWORDS.get(name.lower())
        if keyword is None:
            return Atom(self._spell(name), args, span_of(at))
        if keyword.arity != len(args):
            wanted = counted(keyword.arity, "argument")
            message = f"'{keyword.name}' takes {wanted}, found {len(args)}"
            self._complain("keyword-arity", message, at)
            return None
        return Atom(keyword.name, args, span_of(at))

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
        literals = self._literals(form.items[1:])
        return None if literals is None else Or(literals, form.span)

    def _and(self, form: Form) -> Literal | None:
        self._warn("and-connective", "'and' is no connective of the language, though clear", form)
        literals = self._literals(form.items[1:])
        return None if literals is None else And(literals, form.span)

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
        """Return the expression's first name in lower case, None if it has none."""
        first: Expression | None = expression
        if isinstance(expression, Form):
            first = expression.items[0] if expression.items else None
        return first.lower() if isinstance(first, Token) and first.type == "NAME" else None

    def _named(self, form: Form) -> str | None:
        """Return the name with which a form begins; report an error if it has none."""
        if not form.items:
            self._complain("no-name", "'()' has no name in it", form)
            return None
        first = form.items[0]
        if isinstance(first, Token) and first.type == "NAME":
            return str(first)
        found = "a variable" if isinstance(first, Token) else "another '('"
        start, end = span_of(first)
        span = (start, end if isinstance(first, Token) else start + 1)
        message = f"expected a name after '(', found {found}"
        self.problems.append(syntax_error("no-name", message, span))
        return None

    def _spell(self, name: str) -> str:
        return self.spellings.setdefault(name.lower(), str(name))

    def _complain(self, code: str, message: str, at: Expression) -> None:
        self.problems.append(syntax_error(code, message, span_of(at)))

    def _warn(self, code: str, message: str, at: Expression) -> None:
        self.problems.append(Problem(Severity.WARNING, code, message, span_of(at)))
