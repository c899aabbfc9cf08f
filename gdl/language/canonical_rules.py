"""The canonical form of a ruleset: the same for all rulesets that differ in words and order alone.

A game manager may scramble the words of a game, and rulesheets of one game differ in the order of
their rules. The canonical form is what they have in common: names by structure, rules and literals
in alphabetical order::

    >>> import gdl
    >>> one = gdl.parse("(role white) (init (cell 1 b)) (<= (next ?f) (true ?f) (not stop))")
    >>> other = gdl.parse("(role rot) (<= (next ?x) (not halt) (true ?x)) (init (feld a leer))")
    >>> forms = canonical_form(one), canonical_form(other)
    >>> forms[0].digest == forms[1].digest
    True
    >>> forms[0].text_of(gdl.parse_term("(cell 1 b)")) == forms[1].text_of(
    ...     gdl.parse_term("(feld a leer)"))
    True

Relations, functions, constants and variables lose their names, numbers among them. What the
language gives a meaning stays: keywords, the role ``random``, the order of the roles, and goal
values.

The ruleset is drawn as a graph, with a vertex for each symbol and each part of a rule, and symbols
get colours by :mod:`.colour_refinement`. While some have one colour, the first of them is
individualized. If a symmetry of the game exchanges them, it does not matter which is the first;
otherwise, which is rare, two forms of one game differ. Equal forms always mean equal games.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from gdl.language.colour_refinement import ColourRefinement, WorkLimitError
from gdl.language.keywords import RANDOM_ROLE, RESERVED_WORDS
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
    named_in,
    terms_of,
)

WORK = 1_000_000
"""Edges of the graph that are visited at most: about a second."""

Symbol: TypeAlias = tuple[str, str, int]
"""What kind of symbol it is, its name in lower case, and its arity."""

_RELATION, _FUNCTION, _CONSTANT = "relation", "function", "constant"

_HEAD, _BODY, _PART, _SYMBOL, _ARGUMENT = range(1, 6)
"""Labels of edges; an argument's has its position added."""

_INTEGER = re.compile("[0-9]{1,9}")

_HIGHEST_GOAL = 100


@dataclass(frozen=True, slots=True)
class CanonicalForm:
    """The canonical form of a ruleset, by its SHA-256, and what it calls functions and constants.

    ``digest`` has 64 hexadecimal digits. ``names`` maps a name in lower case and an arity, 0 for a
    constant, to the canonical name.
    """

    digest: str
    names: Mapping[tuple[str, int], str]

    def text_of(self, term: Term) -> str:
        """A ground term in canonical names, as KIF.

        Raises KeyError where a name does not occur in the rules, TypeError for a variable.
        """
        if isinstance(term, Constant):
            return self.names[term.name.lower(), 0]
        if isinstance(term, Variable):
            raise TypeError(f"expected a ground term, found the variable {term}")
        name = self.names[term.name.lower(), len(term.args)]
        return f"({name} {' '.join(map(self.text_of, term.args))})"


def canonical_form(ruleset: Ruleset) -> CanonicalForm | None:
    """The canonical form of a ruleset, in about a second at most.

    None for rules that are too large or have too many symmetries for that, and for roles that are
    derived, as names decide on their order.
    """
    if any(rule.body for rule in ruleset.rules if rule.head.relation == ("role", 1)):
        return None
    try:
        graph = _RuleGraph(ruleset)
        graph.distinguish_symbols()
        names = graph.names()
        rules = {_text_of_rule(rule, names, graph.variables(rule)) for rule in graph.rules}
    except WorkLimitError:
        return None
    roles = " ".join(names[_CONSTANT, role.name.lower(), 0] for role in ruleset.roles)
    text = "\n".join([roles, *sorted(rules)])
    terms = {(name, arity): new for (kind, name, arity), new in names.items() if kind != _RELATION}
    return CanonicalForm(hashlib.sha256(text.encode()).hexdigest(), MappingProxyType(terms))


class _RuleGraph:
    """Symbols, and the parts of rules, as vertices of a graph."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.rules = ruleset.rules
        self._graph = ColourRefinement(WORK)
        self._roles = {role.name.lower(): str(i) for i, role in enumerate(ruleset.roles)}
        self._fixed = {RANDOM_ROLE, *_goal_values(ruleset.rules)}
        self._symbols: dict[Symbol, int] = {}
        self._variables: dict[int, dict[str, int]] = {}
        for rule in ruleset.rules:
            self._add_rule(rule)

    def distinguish_symbols(self) -> None:
        """Refine until every symbol has a colour of its own."""
        graph, colours = self._graph, self._graph.colours
        graph.refine()
        tied = [vertex for vertex in self._symbols.values() if not graph.is_alone(vertex)]
        while tied:
            first = min(colours[vertex] for vertex in tied)
            for vertex in tied:
                if colours[vertex] == first and not graph.is_alone(vertex):
                    graph.individualize(vertex)
            tied = [vertex for vertex in tied if not graph.is_alone(vertex)]

    def names(self) -> dict[Symbol, str]:
        """The canonical names, by the order of the colours; fixed words keep theirs."""
        colours, counts = self._graph.colours, Counter[str]()
        found: dict[Symbol, str] = {}
        for symbol, _ in sorted(self._symbols.items(), key=lambda item: colours[item[1]]):
            kind, name, _ = symbol
            if self._is_fixed(symbol):
                found[symbol] = name
            else:
                found[symbol] = f"{kind[0]}{counts[kind]}"
                counts[kind] += 1
        return found

    def variables(self, rule: Rule) -> dict[str, str]:
        """The canonical names of a rule's variables, which get colours of their own.

        They do not depend on the rules before, which come in any order.
        """
        graph, vertices = self._graph, self._variables[id(rule)]
        with graph.forgetting_steps():
            while (
                first := _first_of_many(graph.colours[v] for v in vertices.values())
            ) is not None:
                graph.individualize(next(v for v in vertices.values() if graph.colours[v] == first))
        ordered = sorted(vertices, key=lambda name: graph.colours[vertices[name]])
        return {name: f"?{number}" for number, name in enumerate(ordered)}

    def _is_fixed(self, symbol: Symbol) -> bool:
        kind, name, _ = symbol
        if kind == _CONSTANT:
            return name in self._fixed
        return kind == _RELATION and name in RESERVED_WORDS

    def _add_rule(self, rule: Rule) -> None:
        variables = self._variables[id(rule)] = {}
        head = self._add_literal(rule.head, variables)
        vertex = self._graph.add_vertex("rule")
        self._graph.add_edge(vertex, head, _HEAD)
        for literal in rule.body:
            self._graph.add_edge(vertex, self._add_literal(literal, variables), _BODY)

    def _add_literal(self, literal: Literal, variables: dict[str, int]) -> int:
        if isinstance(literal, Atom):
            return self._add_application(_RELATION, literal.name, literal.args, variables)
        vertex = self._graph.add_vertex(type(literal).__name__)
        for part in _parts_of(literal):
            self._graph.add_edge(vertex, self._add_part(part, variables), _PART)
        return vertex

    def _add_part(self, part: Literal | Term, variables: dict[str, int]) -> int:
        if isinstance(part, Constant | Function | Variable):
            return self._add_term(part, variables)
        return self._add_literal(part, variables)

    def _add_term(self, term: Term, variables: dict[str, int]) -> int:
        if isinstance(term, Constant):
            return self._symbol(_CONSTANT, term.name, 0)
        if isinstance(term, Function):
            return self._add_application(_FUNCTION, term.name, term.args, variables)
        name = term.name.lower()
        if name not in variables:
            variables[name] = self._graph.add_vertex("variable")
        return variables[name]

    def _add_application(
        self, kind: str, name: str, arguments: tuple[Term, ...], variables: dict[str, int]
    ) -> int:
        """Add a vertex for a relation or a function that is applied to terms.

        That two arguments are equal, as on a board's diagonal, is what refinement would not see.
        """
        texts = [str(argument).lower() for argument in arguments]
        vertex = self._graph.add_vertex(f"{kind} of {list(map(texts.index, texts))}")
        self._graph.add_edge(vertex, self._symbol(kind, name, len(arguments)), _SYMBOL)
        for position, argument in enumerate(arguments):
            target = self._add_term(argument, variables)
            self._graph.add_edge(vertex, target, _ARGUMENT + position)
        return vertex

    def _symbol(self, kind: str, name: str, arity: int) -> int:
        symbol = kind, name.lower(), arity
        if symbol not in self._symbols:
            fixed = symbol[1] if self._is_fixed(symbol) else ""
            role = self._roles.get(symbol[1], "") if kind == _CONSTANT else ""
            self._symbols[symbol] = self._graph.add_vertex(f"{kind} {arity} {role} {fixed}")
        return self._symbols[symbol]


def _first_of_many(colours: Iterable[int]) -> int | None:
    """The least colour that occurs more than once."""
    return min((colour for colour, count in Counter(colours).items() if count > 1), default=None)


def _goal_values(rules: Iterable[Rule]) -> set[str]:
    """The numbers that are goal values; all numbers up to 100 where variables stand for goals."""
    parts: list[Atom | Term] = [
        rule.head.args[1] for rule in rules if rule.head.relation == ("goal", 2)
    ]
    if any(isinstance(goal, Variable) for goal in parts):
        parts = [part for rule in rules for part in named_in(rule)]
    names = {part.name.lower() for part in parts if isinstance(part, Constant)}
    return {n for n in names if _INTEGER.fullmatch(n) and int(n) <= _HIGHEST_GOAL}


def _parts_of(part: Literal | Function) -> tuple[Literal | Term, ...]:
    """The parts of a literal or of a function's term."""
    if isinstance(part, Function):
        return part.args
    if isinstance(part, Not):
        return (part.literal,)
    return part.literals if isinstance(part, Or | And) else terms_of(part)


# ---------------------------------------------------------------------- text


def _text_of_rule(rule: Rule, names: Mapping[Symbol, str], variables: Mapping[str, str]) -> str:
    """Write a rule in canonical names and order."""

    def text(part: Literal | Term) -> str:
        if isinstance(part, Variable):
            return variables[part.name.lower()]
        if isinstance(part, Constant):
            return names[_CONSTANT, part.name.lower(), 0]
        if isinstance(part, Atom | Function):
            kind = _RELATION if isinstance(part, Atom) else _FUNCTION
            name = names[kind, part.name.lower(), len(part.args)]
            return f"({' '.join([name, *map(text, part.args)])})"
        connective = "distinct" if isinstance(part, Distinct) else type(part).__name__.lower()
        return f"({' '.join([connective, *sorted(map(text, _parts_of(part)))])})"

    return " ".join([text(rule.head), *sorted(map(text, rule.body))])
