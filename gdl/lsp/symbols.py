"""The names of a rulesheet: which are the same, where they occur, and where they are defined.

A relation is defined by the rules with it in their heads. A term is defined where a head says that
it is a fact, a move, a percept or a role: ``(next (cell 1 1 x))`` defines the fluent ``cell``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gdl.errors import LINE_END, Severity, Source, Span
from gdl.language import COMMENT, KEYWORDS, WORD, Level, Notation, notation_of, read_ruleset
from gdl.language.rules import Atom, Constant, Function, Rule, Ruleset, body_atoms
from gdl.validation.context import CheckContext
from gdl.validation.names import Kind, occurrences

_PARTS = {
    **dict.fromkeys(("init", "next", "base", "true"), "fluent"),
    **dict.fromkeys(("legal", "input", "does"), "move"),
    "sees": "percept",
    "role": "role",
}
"""What the last argument of a keyword relation is."""

_MADE_BY = {"true": (("init", 1), ("next", 1)), "does": (("legal", 2),)}
"""The relations by whose rules the match gives those that no rule defines."""

_NAME = {
    Notation.KIF: re.compile(rf"(?:[\s(]|{COMMENT})*+({WORD.pattern})"),
    Notation.INFIX: re.compile(r'("(?:[^"\\]|\\.)*+"|[\w+-]++)'),
}
"""A name, after what may stand between the start of its form and itself."""


@dataclass(frozen=True, slots=True)
class RuleSymbol:
    """What a name stands for. One name with two arities, or of two kinds, is two symbols.

    ``name`` is in lower case, as case does not count; ``rule`` is the number of a variable's rule,
    and None for all others.
    """

    kind: Kind
    name: str
    arity: int = 0
    rule: int | None = None

    @property
    def is_keyword(self) -> bool:
        """Whether it is a relation to which the language gives a meaning."""
        return self.kind == "relation" and self.name in KEYWORDS


class NameTable:
    """The names of one text with their spans, as far as the text can be read.

    Raises nothing for a bad rulesheet: rules with mistakes in them are left out, and ``errors``
    has the mistakes.
    """

    def __init__(self, text: str) -> None:
        self.source = Source(text)
        self.notation = notation_of(text)
        self.ruleset, problems = read_ruleset(self.source)
        self.errors = [one for one in problems if one.severity is Severity.ERROR]
        self.spans: dict[RuleSymbol, list[Span]] = {}
        self.definitions: dict[RuleSymbol, list[Span]] = {}
        self.parts: dict[RuleSymbol, str] = {}
        """What terms are for the game: fluents, moves, percepts or roles."""
        self._subjects: dict[int, RuleSymbol] = {}
        found: list[tuple[Span, RuleSymbol]] = []
        for number, rule in enumerate(self.ruleset.rules):
            self._add_parts(rule)
            for one in occurrences(Ruleset((rule,), self.source)):
                own = number if one.kind == "variable" else None
                symbol = RuleSymbol(one.kind, one.name.lower(), one.arity, own)
                span = self._name_span(one.span or (0, 0), one.kind)
                found.append((span, symbol))
                self.spans.setdefault(symbol, []).append(span)
        self.occurrences: Sequence[tuple[Span, RuleSymbol]] = sorted(found, key=lambda one: one[0])
        """Every name, in the order of the text."""

    @cached_property
    def levels(self) -> Mapping[RuleSymbol, Level]:
        """What the extension of each relation depends on."""
        levels = CheckContext.of(self.ruleset).level
        return {
            RuleSymbol("relation", name.lower(), n): level for (name, n), level in levels.items()
        }

    def at(self, offset: int) -> tuple[Span, RuleSymbol] | None:
        """Return the name at an offset, or that ends there, with its span."""
        index = bisect_right(self.occurrences, offset, key=lambda one: one[0][0]) - 1
        if index < 0 or self.occurrences[index][0][1] < offset:
            return None
        return self.occurrences[index]

    def definitions_at(self, offset: int) -> Sequence[Span]:
        """Return where the name at an offset is defined.

        A keyword stands for the fact, move, percept or role that it is about, so ``true`` leads to
        the rules that make the fact true. A variable is defined where its rule names it first.
        """
        found = self.at(offset)
        if found is None:
            return ()
        span, symbol = found
        if symbol.is_keyword:
            symbol = self._subjects.get(span[0], symbol)
        if symbol.kind == "variable":
            return [min(self.spans[symbol])]
        makers = [RuleSymbol("relation", *relation) for relation in _MADE_BY.get(symbol.name, ())]
        known = [symbol, *(makers if symbol.is_keyword else ())]
        return [place for one in known for place in self.definitions.get(one, ())]

    def rule_at(self, offset: int) -> int | None:
        """Return the number of the rule around an offset, None between rules."""
        rules = self.ruleset.rules
        index = bisect_right(rules, offset, key=lambda rule: (rule.span or (0, 0))[0]) - 1
        span = rules[index].span if index >= 0 else None
        return index if span is not None and offset <= span[1] else None

    def spelling(self, symbol: RuleSymbol) -> str:
        """Return the name as the text first writes it, with the signs of its notation."""
        start, end = min(self.spans[symbol])
        return self.source.text[start:end]

    def comment_above(self, span: Span) -> list[str]:
        """Return the comment lines directly above the line in which a span begins."""
        above: list[str] = []
        for line in reversed(LINE_END.split(self.source.text[: span[0]])[:-1]):
            if not line.strip().startswith(self.notation.marker):
                break
            above.append(line.strip().lstrip(self.notation.marker).strip())
        return above[::-1]

    def _add_parts(self, rule: Rule) -> None:
        """Note what a rule defines, and what its terms are for the game."""
        head = self._name_span(rule.head.span or (0, 0), "relation")
        relation = RuleSymbol("relation", rule.head.name.lower(), len(rule.head.args))
        part = self._add_part(rule.head)
        for symbol in filter(None, (relation, part)):
            self.definitions.setdefault(symbol, []).append(head)
        for atom, _ in body_atoms(rule):
            self._add_part(atom)

    def _add_part(self, atom: Atom) -> RuleSymbol | None:
        """Note what a keyword relation is about, and return it; None for other relations."""
        term = atom.args[-1] if atom.name in _PARTS else None
        if isinstance(term, Function):
            part = RuleSymbol("function", term.name.lower(), len(term.args))
        elif isinstance(term, Constant):
            part = RuleSymbol("constant", term.name.lower())
        else:
            return None
        self.parts.setdefault(part, _PARTS[atom.name])
        self._subjects[self._name_span(atom.span or (0, 0), "relation")[0]] = part
        return part

    def _name_span(self, span: Span, kind: Kind) -> Span:
        """Return the span of the name alone, where a span may be that of its whole form."""
        match = _NAME[self.notation].match(self.source.text, *span)
        return span if kind == "variable" or match is None else match.span(1)
